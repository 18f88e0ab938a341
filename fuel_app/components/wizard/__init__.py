"""Wizards: a frame for every step, and what stands at its foot."""

from fuel_app.kit.ui.wizard import Step, back_link, step_buttons, wizard

__all__ = ["Step", "back_link", "step_buttons", "wizard"]
