"""Wizards: a frame for every step, and what stands at its foot."""

from fuel_app.components.wizard.frame import back_link, step_buttons, wizard
from fuel_app.components.wizard.indicator import Step

__all__ = ["Step", "back_link", "step_buttons", "wizard"]
