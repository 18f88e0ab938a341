"""The staff login modal."""

from typing import TypedDict

import reflex as rx
import structlog

from fuel_app.domain.errors import Refusal
from fuel_app.services import staff

log = structlog.get_logger(__name__)


class LoginForm(TypedDict):
    password: str


class StaffLoginState(rx.State):
    """One tab's login modal; the password itself is never kept."""

    opened: bool = False
    busy: bool = False
    error: str = ""

    @rx.event
    def show(self, opened: bool):
        """Open the modal, or close it and forget what went wrong."""
        self.opened, self.error = opened is True, ""

    @rx.event
    async def login(self, form: LoginForm):
        """Check the password on the server."""
        self.busy, self.error = True, ""
        yield
        try:
            await staff.check_password(
                form.get("password") if isinstance(form, dict) else None,
                address=self.router.session.client_ip,
            )
            self.error = "The staff's screens are not part of this version yet."
        except Refusal as error:
            self.error = str(error)
            yield rx.set_focus("staff-password")
        except Exception:
            log.exception("staff.login_failed")
            self.error = "Signing in does not work just now. Please try again."
        finally:
            self.busy = False
