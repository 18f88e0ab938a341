"""State of Privacy & Security: the second factor."""

import reflex as rx

from fuel_app.customers.state.preview import PreviewScreen

METHODS = (
    ("sms", "Text Message (SMS)"),
    ("app", "Authenticator App"),
)
_KNOWN = {method for method, _ in METHODS}


class SecurityState(PreviewScreen, rx.State):
    """Before launch the choice is this session's own, and nothing follows from it."""

    setting_up: bool = False
    method: str = ""

    @rx.event
    def set_up(self):
        """Show or hide the choice."""
        self.setting_up = not self.setting_up

    @rx.event
    def choose(self, method: str):
        if isinstance(method, str) and method in _KNOWN:
            self.method = method
