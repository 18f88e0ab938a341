"""The waitlist modal: form, neighborhood picker and confirmation."""

from fuel_app.joining.ui.modal import join_button, waitlist_modal

__all__ = ["join_button", "waitlist_modal"]
