"""Privacy & Security of a signed-in person: re-authentication, password, sessions, second factors.

Codes and passwords are checked and dropped; a seed never comes here. The preview's is in
`state/account.py`.
"""

from collections.abc import Awaitable
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.security import (
    APP,
    SMS,
    OwnSecurity,
    PasswordChange,
    PhoneForm,
    ReauthenticationNeeded,
    WrongCode,
)
from fuel_app.accounts.service import passkeys, passwords, security
from fuel_app.accounts.state.session import (
    Opening,
    OwnScreen,
    SessionState,
    person_only,
    session_of,
    visitor_of,
)
from fuel_app.kit import clock
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import PhoneStopped

REAUTHENTICATION_FORM = "reauthentication"


class ReauthenticationState(OwnScreen, Opening, rx.State):
    """The dialog. The password is checked and dropped."""

    busy: bool = False
    error: str = ""
    _then: tuple[Any, ...] = ()  # the state and name of the event that follows, and what it takes

    @person_only
    async def show(self, opened: bool):
        """Close the dialog; what it was for is given up."""
        if opened is not True:
            self.opened, self.error, self._then = False, "", ()

    @person_only
    async def confirm(self, form: dict[str, Any]):
        """Check the password, and go on with what needed it."""
        if not self.opened or self.busy:
            return
        self.busy, self.error = True, ""
        yield
        given = form if isinstance(form, dict) else {}
        try:
            session, who = await session_of(self), await visitor_of(self)
            await passwords.reauthenticate(session, given.get("password"), who)
            then, self.opened, self._then = self._then, False, ()
            if then:
                state, event, *arguments = then
                yield getattr(state, event)(*arguments)
        except InvalidForm as error:
            self.error = next(iter(error.messages.values()))
            yield focus_field(REAUTHENTICATION_FORM, "password")
        except Refusal as error:
            self.error = str(error)
        finally:
            self.busy = False

    def _ask(self, then: Any = None, *arguments: object) -> None:
        """Open the dialog; `then` is the event that follows the password."""
        self.opened, self.error, self._then = True, "", ()
        if then:
            self._then = (then.state, then.fn.__name__, *arguments)


async def is_reauthenticated(tab: rx.State, then: Any, *arguments: object) -> bool:
    """Return whether the password was given a moment ago; else ask as `change_or_ask` does."""
    if (await session_of(tab)).is_reauthenticated(clock.now()):
        return True
    (await tab.get_state(ReauthenticationState))._ask(then, *arguments)
    return False


async def change_or_ask(
    tab: rx.State, change: Awaitable[Any], then: Any = None, *arguments: object
) -> bool:
    """Make a change, or ask for the password first. Return whether it is made.

    Args:
        then: The event that follows the password, such as `FactorsState.choose`.
        arguments: What that event takes.
    """
    try:
        await change
    except ReauthenticationNeeded:
        (await tab.get_state(ReauthenticationState))._ask(then, *arguments)
        return False
    return True


CHANGE_BUTTON = "password-change"


class OwnSecurityState(OwnScreen, rx.State):
    """The cards of a person; blank for a visitor, who sees the preview's."""

    is_own: bool = False
    lacks_factor: bool = False  # an admin without one
    card: OwnSecurity = OwnSecurity()

    @person_only
    async def arrive(self):
        """Open the screen."""
        await self._refresh()

    @person_only
    async def sign_out(self, session_id: str):
        """End one other session."""
        if await security.end_session(await session_of(self), session_id, await visitor_of(self)):
            await self._say("Signed out there.")
        await self._refresh()

    @person_only
    async def sign_out_others(self):
        """End all sessions but this one."""
        session = await session_of(self)
        await security.end_sessions(session, await visitor_of(self), except_id=session.id)
        await self._say("Signed out everywhere else.")
        await self._refresh()

    @person_only
    async def sign_out_everywhere(self):
        """End all sessions, this one too; each of their tabs goes to the home page."""
        await security.end_sessions(await session_of(self), await visitor_of(self))
        state = await self.get_state(SessionState)
        await state._forget()
        await state._look()
        return rx.redirect(routes.HOME, replace=True)

    async def _refresh(self) -> None:
        session = await session_of(self)
        shown = await security.overview(session)
        if shown != self.card:
            self.card = shown
        self.is_own, self.lacks_factor = True, session.lacks_factor

    async def _say(self, text: str) -> None:
        (await self.get_state(ToastState))._show(text)


class PasswordState(OwnScreen, Opening, FormState, rx.State):
    """A change of the password; neither password is kept."""

    FORM: ClassVar = "password"
    FIELDS: ClassVar = PasswordChange
    EVENT: ClassVar = "password.change_failed"

    errors: dict[str, str] = PasswordChange.blank()

    @person_only
    async def show(self, opened: bool):
        """Open or close the form."""
        self.opened = opened is True
        self.errors, self.error, self.busy = PasswordChange.blank(), "", False
        yield
        yield focus_field(self.FORM, "current") if self.opened else rx.set_focus(CHANGE_BUTTON)

    @person_only
    async def change(self, form: dict[str, Any]):
        """Change it; all other sessions end. A second press finds the form closed."""
        async for event in self._submit(form):
            yield event

    def _takes(self, form: object) -> bool:
        return self.opened

    async def _send(self, sent: object) -> rx.event.EventSpec:
        given = sent if isinstance(sent, dict) else {}
        session, who = await session_of(self), await visitor_of(self)
        await passwords.change(session, given.get("current"), given.get("new"), who)
        self.opened = False
        own = await self.get_state(OwnSecurityState)
        await own._say("Password changed. You are signed out everywhere else.")
        await own._refresh()
        return rx.set_focus(CHANGE_BUTTON)


FACTOR_FORM = "factor"
SETUP_BUTTON = "factor-setup"
PASSKEY_BUTTON = "passkey-add"
FACTOR_METHODS = (SMS, APP)
METHOD_LABELS = ((SMS, "Text Message (SMS)"), (APP, "Authenticator App"))


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
        if not isinstance(method, str) or method not in FACTOR_METHODS:
            return
        self._clear()
        self.choosing, self.method = True, method
        if method == APP:
            await self._start_app()
        if method == SMS or self.app_waits:  # else the password is asked for before
            yield
            yield focus_field(FACTOR_FORM, "phone" if method == SMS else "code")

    @person_only
    async def choose_typed(self, form: dict[str, Any]):
        """Choose by the form: arrow keys alone begin nothing."""
        chosen = form.get("second-factor") if isinstance(form, dict) else ""
        if chosen not in FACTOR_METHODS:
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
            yield focus_field(FACTOR_FORM, "phone")
            return
        agrees = isinstance(form, dict) and bool(form.get("agrees"))
        sending = security.send_phone_code(
            await session_of(self), phone, agrees=agrees, check=messages.check_consent
        )
        try:
            again = {"phone": phone, "agrees": "yes" if agrees else ""}
            sent = await self._tried(sending, FactorsState.send_code, again)
            self.code_sent = sent or self.code_sent
        except PhoneStopped as error:
            self.phone_error = str(error)
            yield focus_field(FACTOR_FORM, "phone")
            return
        if self.code_sent:
            yield
            yield focus_field(FACTOR_FORM, "code")

    @person_only
    async def confirm(self, form: dict[str, Any]):
        """Turn the chosen factor on by its first code."""
        if self.busy or self.method not in FACTOR_METHODS:
            return
        self.busy, self.code_error = True, ""
        yield
        code = form.get("code") if isinstance(form, dict) else ""
        session, who = await session_of(self), await visitor_of(self)
        confirming = (
            security.confirm_app(session, code, who)
            if self.method == APP
            else security.confirm_phone(session, code, who, agree=messages.agree_to_texts)
        )
        try:
            if await self._tried(confirming):
                self._clear()
                await self._changed("Second factor added.")
                yield rx.set_focus(SETUP_BUTTON)
        except (WrongCode, PhoneStopped) as error:
            self.code_error = str(error)
            yield focus_field(FACTOR_FORM, "code")
        finally:
            self.busy = False

    @person_only
    async def remove(self, method: str):
        """Turn a factor off."""
        if method not in FACTOR_METHODS:
            return
        removing = security.turn_off(await session_of(self), method, await visitor_of(self))
        if await self._tried(removing, FactorsState.remove, method):
            await self._changed("Second factor removed.")

    @person_only
    async def remove_passkey(self, passkey_id: str):
        """Forget a passkey."""
        removing = passkeys.remove(await session_of(self), passkey_id, await visitor_of(self))
        named = passkey_id if isinstance(passkey_id, str) else ""
        if await self._tried(removing, FactorsState.remove_passkey, named):
            await self._changed("Passkey removed.")

    @person_only
    async def name_passkey(self, opened: bool):
        """Show or hide the form of a new passkey, once the password was given."""
        self.naming = opened is True and await is_reauthenticated(
            self, FactorsState.name_passkey, True
        )
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
        self.codes_offered = opened is True and await is_reauthenticated(
            self, FactorsState.offer_codes, True
        )

    async def _start_app(self) -> None:
        starting = security.start_app_setup(await session_of(self))
        if await self._tried(starting, FactorsState.choose, APP):
            self.app_waits, self.setup = True, self.setup + 1

    async def _tried(self, change: Any, then: Any = None, *arguments: object) -> bool:
        """Make a change; a refusal is shown, a missing password asked for."""
        self.problem = ""
        try:
            return await change_or_ask(self, change, then, *arguments)
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
