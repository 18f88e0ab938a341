"""The card that asks a sign-up for the code of its mail."""

from collections.abc import Mapping
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.service import sign_up
from fuel_app.accounts.state.session import (
    Answer,
    SessionState,
    guarded_event,
    session_of,
    visitor_of,
)
from fuel_app.accounts.state.sign_in import CookieState
from fuel_app.customers.rules.sign_up import VERIFY_FORM
from fuel_app.customers.service import sign_up as customers
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.fields import focus_field

log = structlog.get_logger()

FAILED = "This does not work just now. Please try again."


async def _check_sign_up(tab: rx.State) -> Answer:
    """Lead any other tab to the dashboard, which shows a person's own or leads to the sign-in."""
    if await (await tab.get_state(VerifyState))._sign_up():
        return None
    return [rx.redirect(routes.DASHBOARD, replace=True)]


for_sign_ups = guarded_event(_check_sign_up)


class VerifyState(CustomerScreen, rx.State):
    """A sign-up's verification; the code itself is never kept."""

    email: str = ""  # where the code was sent; empty unless it is a sign-up
    error: str = ""
    notice: str = ""
    busy: bool = False
    sending: bool = False
    verified: bool = False  # the cookie of the person's session follows

    @rx.event
    async def arrive(self):
        """Show the card to a sign-up alone."""
        session = await self._sign_up()
        pending = await sign_up.find(session) if session else None
        self._begin(pending.applicant.email if pending else "")

    @for_sign_ups
    async def verify(self, form: dict[str, Any]):
        """Make the sign-up an account. The code is right once, so a second press finds it used."""
        session = await session_of(self)
        self.busy, self.error, self.notice = True, "", ""
        yield
        try:
            signed_in = await customers.verify(
                session,
                form.get("code") if isinstance(form, Mapping) else None,
                await visitor_of(self),
            )
        except Refusal as refusal:
            self.error = str(refusal)
            yield focus_field(VERIFY_FORM, "code")
        except Exception:
            log.exception("sign_up.verification_failed")
            self.error = FAILED
        else:
            self._begin("")
            self.verified = True
            (await self.get_state(CookieState))._fetch(signed_in, routes.DASHBOARD)
        self.busy = False

    @for_sign_ups
    async def resend(self):
        """Send a new code."""
        session = await session_of(self)
        self.sending, self.error, self.notice = True, "", ""
        yield
        try:
            await sign_up.resend(session, await visitor_of(self))
            self.notice = "We have sent a new code. The one before no longer works."
        except Refusal as refusal:
            self.error = str(refusal)
        except Exception:
            log.exception("sign_up.resend_failed")
            self.error = FAILED
        self.sending = False

    async def _sign_up(self) -> Session | None:
        session = await (await self.get_state(SessionState))._look()
        return session if session and session.sign_up_id else None

    def _begin(self, email: str) -> None:
        self.email, self.error, self.notice = email, "", ""
        self.busy = self.sending = self.verified = False
        self._is_private = bool(email)
