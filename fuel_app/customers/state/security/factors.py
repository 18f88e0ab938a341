"""Second factors on the screen. Codes are checked and dropped; a seed never comes here."""

from typing import Any

import reflex as rx

from fuel_app.accounts.rules.factors import APP, SMS, PhoneForm
from fuel_app.accounts.rules.sign_in import WrongCode
from fuel_app.accounts.service import authenticator, factors, passkeys, text_messages
from fuel_app.accounts.state.session import (
    OwnScreen,
    SessionState,
    person_only,
    session_of,
    visitor_of,
)
from fuel_app.customers.state.security.own import OwnSecurityState
from fuel_app.customers.state.security.proof import AFTER_PROOF, is_proved, proved
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import PhoneStopped

FORM = "factor"
SETUP_BUTTON = "factor-setup"
PASSKEY_BUTTON = "passkey-add"
METHODS = (SMS, APP)


class FactorsState(OwnScreen, rx.State):
    """The factor that is being set up."""

    choosing: bool = False
    method: str = ""
    app_waits: bool = False  # its QR code is shown
    setup: int = 0  # in the address of the QR code, which a browser would keep
    code_sent: bool = False
    phone_error: str = ""
    code_error: str = ""
    problem: str = ""
    busy: bool = False
    codes_offered: bool = False  # recovery codes, after the password
    naming: bool = False  # a passkey
    is_first: bool = False  # the first factor was added just now

    @person_only
    async def set_up(self):
        """Show or hide the choice. An app that is not confirmed counts for nothing."""
        is_open = self.choosing
        self._clear()
        self.choosing = not is_open

    @person_only
    async def choose(self, method: str):
        """Choose how codes come; an app's setup begins at once."""
        if not isinstance(method, str) or method not in METHODS:
            return
        self._clear()
        self.choosing, self.method = True, method
        if method == APP:
            await self._start_app()
        if method == SMS or self.app_waits:  # else the password is asked for before
            yield
            yield focus_field(FORM, "phone" if method == SMS else "code")

    @person_only
    async def choose_typed(self, form: dict[str, Any]):
        """Choose by the form: arrow keys alone begin nothing."""
        chosen = form.get("second-factor") if isinstance(form, dict) else ""
        if chosen not in METHODS:
            self.problem = "Choose how you would like to get your codes."
            return
        yield FactorsState.choose(chosen)

    @person_only
    async def send_code(self, form: dict[str, Any]):
        """Text a code to the typed number."""
        self.phone_error = self.problem = ""
        try:
            phone = PhoneForm.parse(form).phone
        except InvalidForm as error:
            self.phone_error = error.messages["phone"]
            yield focus_field(FORM, "phone")
            return
        agrees = isinstance(form, dict) and bool(form.get("agrees"))
        sending = text_messages.send_phone_code(
            await session_of(self), phone, agrees=agrees, check=messages.check_consent
        )
        try:
            then = "send_code", phone, "yes" if agrees else ""
            self.code_sent = await self._tried(sending, *then) or self.code_sent
        except PhoneStopped as error:
            self.phone_error = str(error)
            yield focus_field(FORM, "phone")
            return
        if self.code_sent:
            yield
            yield focus_field(FORM, "code")

    @person_only
    async def confirm(self, form: dict[str, Any]):
        """Turn the chosen factor on by its first code."""
        if self.busy or self.method not in METHODS:
            return
        self.busy, self.code_error = True, ""
        yield
        code = form.get("code") if isinstance(form, dict) else ""
        session, who = await session_of(self), await visitor_of(self)
        confirming = (
            authenticator.confirm(session, code, who)
            if self.method == APP
            else text_messages.confirm(session, code, who, agree=messages.agree_to_texts)
        )
        try:
            if await self._tried(confirming):
                self._clear()
                await self._changed("Second factor added.")
                yield rx.set_focus(SETUP_BUTTON)
        except (WrongCode, PhoneStopped) as error:
            self.code_error = str(error)
            yield focus_field(FORM, "code")
        finally:
            self.busy = False

    @person_only
    async def remove(self, method: str):
        """Turn a factor off."""
        if method not in METHODS:
            return
        removing = factors.turn_off(await session_of(self), method, await visitor_of(self))
        if await self._tried(removing, "remove", method):
            await self._changed("Second factor removed.")

    @person_only
    async def remove_passkey(self, passkey_id: str):
        """Forget a passkey."""
        removing = passkeys.remove(await session_of(self), passkey_id, await visitor_of(self))
        named = passkey_id if isinstance(passkey_id, str) else ""
        if await self._tried(removing, "remove_passkey", named):
            await self._changed("Passkey removed.")

    @person_only
    async def name_passkey(self, opened: bool):
        """Show or hide the form of a new passkey, once the password was given."""
        self.naming = opened is True and await is_proved(self, "name_passkey")
        if self.naming:
            yield
            yield focus_field("passkey", "name")

    @person_only
    async def passkey_added(self):
        """Show a passkey that the page has registered."""
        self.naming = False
        await self._changed("Passkey added.")
        yield  # the form is gone when the focus goes to the button
        yield rx.set_focus(PASSKEY_BUTTON)

    @person_only
    async def offer_codes(self, opened: bool):
        """Show or hide the button of new recovery codes, once the password was given."""
        self.codes_offered = opened is True and await is_proved(self, "offer_codes")

    async def _start_app(self) -> None:
        if await self._tried(authenticator.start(await session_of(self)), "choose", APP):
            self.app_waits, self.setup = True, self.setup + 1

    async def _tried(self, change: Any, *then: str) -> bool:
        """Make a change; a refusal is shown, a missing proof asked for."""
        self.problem = ""
        try:
            return await proved(self, change, *then)
        except (WrongCode, PhoneStopped):  # shown beside their field
            raise
        except Refusal as error:
            self.problem = str(error)
            (await self.get_state(ToastState))._show(self.problem, "problem", seconds=6)
            return False

    async def _changed(self, text: str) -> None:
        await (await self.get_state(SessionState))._look()  # it has a second factor now
        own = await self.get_state(OwnSecurityState)
        had_one = own.card.has_factor
        await own._say(text)
        await own._refresh()
        self.is_first = own.card.has_factor and (self.is_first or not had_one)

    def _clear(self) -> None:
        self.choosing = self.app_waits = self.code_sent = self.busy = False
        self.method = self.phone_error = self.code_error = self.problem = ""


AFTER_PROOF.update(
    choose=FactorsState.choose,
    send_code=lambda phone, agrees: FactorsState.send_code({"phone": phone, "agrees": agrees}),
    remove=FactorsState.remove,
    remove_passkey=FactorsState.remove_passkey,
    name_passkey=lambda: FactorsState.name_passkey(True),
    offer_codes=lambda: FactorsState.offer_codes(True),
)
