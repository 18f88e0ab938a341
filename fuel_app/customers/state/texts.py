"""Text messages, turned on under their switch: the consent, then a code that verifies the phone."""

from collections.abc import Awaitable, Callable
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.rules.security import WrongCode
from fuel_app.accounts.service import security
from fuel_app.accounts.state.session import session_of
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, for_own
from fuel_app.kit.errors import Refusal, problem_of
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.messages import service as messages

TEXTS_FORM = "texts"


class OfferTextsState(CustomerScreen, rx.State):
    """The consent to offers by text message."""

    shown: bool = False  # in the preview there is none
    agreed: bool = False
    error: str = ""

    @for_own
    async def arrive(self):
        """Show whether it is given."""
        await self._look()

    @for_own
    async def agree(self):
        """Store the consent whose wording is shown."""
        await self._change(messages.agree_to_offer_texts)

    @for_own
    async def end(self):
        """End it."""
        await self._change(messages.end_offer_texts)

    async def _change(self, change: Callable[[Actor], Awaitable[None]]) -> None:
        actor = (await session_of(self)).actor
        self.error = await problem_of(change(actor), "texts.offers_failed")
        await self._look()

    async def _look(self) -> None:
        person_id = (await session_of(self)).person_id
        self.agreed, self.shown = await messages.gets_offer_texts(person_id), True


class TextsState(CustomerScreen, rx.State):
    """The code on its way to the account's phone. The code itself is never kept."""

    code_sent: bool = False
    error: str = ""
    busy: bool = False

    @for_own
    async def send_code(self):
        """Text a code to the phone whose owner agrees by this press."""
        if self.busy:
            return
        self.busy, self.error = True, ""
        yield
        try:
            await security.send_texts_code(await session_of(self), check=messages.check_consent)
            self.code_sent = True
        except Refusal as refusal:
            self.error = str(refusal)
        finally:
            self.busy = False
        if self.code_sent:
            yield
            yield focus_field(TEXTS_FORM, "code")

    @for_own
    async def confirm(self, form: dict[str, Any]):
        """Verify the phone by its code, and turn text messages on."""
        if self.busy or not self.code_sent:
            return
        self.busy, self.error = True, ""
        yield
        code = form.get("code") if isinstance(form, dict) else ""
        try:
            await security.confirm_texts(
                await session_of(self), code, agree=messages.agree_to_texts
            )
        except Refusal as refusal:
            self.error = str(refusal)
            if isinstance(refusal, WrongCode):
                yield focus_field(TEXTS_FORM, "code")
        else:
            self.code_sent = False
            customer = await self.get_state(CustomerState)
            customer.consent_needed = False
            customer._become(await customer._opened.read())
            (await self.get_state(ToastState))._show("Text messages are on")
            here = self.router.url.path.rstrip("/")
            yield focus_field(
                "notifications" if here == routes.NOTIFICATIONS else "preferences", "sms"
            )
        finally:
            self.busy = False
