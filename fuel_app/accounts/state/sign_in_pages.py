"""The sign-in page with its second step, and the pages that mailed links open.

Those reset a password, restore a former e-mail, or accept an invitation; the token stays in the
address.
"""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role, Session
from fuel_app.accounts.rules.security import (
    SMS,
    ForgotPassword,
    LinkGone,
    NewPassword,
    SecondStepOver,
    SignIn,
    Visitor,
    WrongCode,
)
from fuel_app.accounts.rules.staff import (
    EmailHasAccount,
    InvitationGone,
    NewAccount,
    OtherAccount,
)
from fuel_app.accounts.service import account, passwords, sessions, staff
from fuel_app.accounts.service.sessions import NeedsFactor, SignedIn
from fuel_app.accounts.state.session import (
    SIGN_IN_FAILED,
    CookieState,
    SessionState,
    actor_of,
    visitor_of,
)
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState, NoFields
from fuel_app.kit.ui.toast import ToastState
from fuel_app.server.reflex.private_tabs import PrivateScreen, link_token

SECOND_FORM = "second-step"


class SignInState(FormState, rx.State):
    """One tab's sign-in. Neither the password nor a code is ever stored."""

    FORM: ClassVar = "sign-in"
    FIELDS: ClassVar = SignIn
    EVENT: ClassVar = "sign_in.failed"
    FAILURE: ClassVar = SIGN_IN_FAILED

    errors: dict[str, str] = SignIn.blank()
    methods: list[str] = []  # of the second step; empty before it
    method: str = ""
    code_error: str = ""
    then: str = routes.DASHBOARD  # an address of this site
    _challenge: str = ""  # the second step that this tab has open

    @rx.event
    async def arrive(self):
        """Open the page; who is signed in by name goes on at once.

        A second step stays: phones connect anew after a look at the authenticator app.
        """
        if not (self._challenge and await sessions.is_second_step_open(self._challenge)):
            self._start_over()
        self.busy = False
        (await self.get_state(CookieState)).error = ""
        asked = self._asked()
        self.then = asked or routes.DASHBOARD
        session = await (await self.get_state(SessionState))._find()
        cookie = await self.get_state(CookieState)
        if session and session.person_id and not cookie.fetching:  # else it goes on by itself
            return cookie._go(destination(session, asked))
        return None

    @rx.event
    async def sign_in(self, form: dict[str, Any]):
        """Check e-mail and password on the server; the page then fetches the cookie."""
        self._start_over()
        (await self.get_state(CookieState)).error = ""
        async for event in self._submit(form):
            yield event

    @rx.event
    async def choose(self, method: str):
        """Take another way for the second step."""
        if method in self.methods:
            self.method, self.error, self.code_error = method, "", ""
            await self._text_code()

    @rx.event
    async def finish(self, form: dict[str, Any]):
        """Check the code of the second step."""
        if not self._challenge:
            return
        self.code_error = ""
        code = form.get("code") if isinstance(form, dict) else None
        async for event in self._run(self._check(code)):
            yield event

    @rx.event
    def start_over(self):
        """Go back to e-mail and password."""
        self._start_over()

    async def _send(self, sent: object) -> Any:
        typed = SignIn.parse(sent)
        try:
            outcome = await sessions.sign_in(typed.email, typed.password, await self._visitor())
        except Refusal as refusal:
            self.error = str(refusal)
            return focus_field(self.FORM, "password")
        if isinstance(outcome, NeedsFactor):
            return await self._ask_for_factor(outcome)
        return await self._go_on(outcome)

    async def _check(self, code: object) -> Any:
        try:
            visitor = await self._visitor()
            await self._go_on(
                await sessions.finish_second_step(self._challenge, self.method, code, visitor)
            )
        except WrongCode as refusal:
            self.code_error = str(refusal)
            return focus_field(SECOND_FORM, "code")
        except SecondStepOver:
            self._start_over()
            raise

    async def _ask_for_factor(self, needs: NeedsFactor) -> None:
        self._challenge, self.methods = needs.challenge_id, list(needs.methods)
        self.method = needs.methods[0]
        await self._text_code()

    async def _text_code(self) -> None:
        """Text a code, where that is the way chosen."""
        if self.method != SMS:
            return
        try:
            await sessions.send_second_step_code(self._challenge)
        except SecondStepOver as refusal:
            self._start_over()
            self.error = str(refusal)
        except Refusal as refusal:
            self.error = str(refusal)

    async def _go_on(self, signed_in: SignedIn) -> None:
        """Go to where the visitor was going."""
        await go_on(self, signed_in, self._asked())
        self._start_over()

    def _asked(self) -> str:
        """Return the own address that the page's address names; empty without one."""
        return routes.own_address(self.router.url.query_parameters.get("next"))

    async def _visitor(self) -> Visitor:
        """Return the visitor with the browser's session as it is now, which a sign-in ends."""
        await (await self.get_state(SessionState))._find()
        return await visitor_of(self)

    def _start_over(self) -> None:
        self.errors, self.error, self.code_error, self.busy = SignIn.blank(), "", "", False
        self.methods, self.method, self._challenge = [], "", ""


async def go_on(tab: rx.State, signed_in: SignedIn, asked: str = "") -> None:
    """Let the page fetch the cookie, and go to an own address or to where the session belongs."""
    session = await sessions.find(signed_in.session_id)
    then = destination(session, asked) if session else asked or routes.DASHBOARD
    (await tab.get_state(CookieState))._fetch(signed_in, then)


def destination(session: Session, asked: str) -> str:
    """Return the address that was asked for, else the page to which a session comes by itself."""
    if routes.is_plain(asked) and Role.TECHNICIAN not in session.roles:
        asked = ""  # it would send them back here
    if asked and (session.has_own_pages or asked == routes.INVITATION):
        return asked
    if session.lacks_factor:
        return routes.SECURITY
    if session.is_only_of_company:
        return routes.COMPANY
    return routes.DRIVE if session.is_of_technician else routes.DASHBOARD


SENT_HEADING = "reset-sent"
PASSWORD_CHANGED = "Your password is changed. Sign in with the new one."  # noqa: S105 (a notice)


class ForgotPasswordState(FormState, rx.State):
    """The request for a link; whether there is an account is told by the mail alone."""

    FORM: ClassVar = "forgot-password"
    FIELDS: ClassVar = ForgotPassword
    EVENT: ClassVar = "password.reset_link_failed"

    errors: dict[str, str] = ForgotPassword.blank()
    sent_to: str = ""

    @rx.event
    def arrive(self):
        """Open the page; the answer stays, since phones connect anew after a look at the mail."""
        self.errors, self.error, self.busy = ForgotPassword.blank(), "", False

    @rx.event
    def ask_again(self):
        """Show the form again."""
        self.reset()

    @rx.event
    async def ask(self, form: dict[str, Any]):
        """Send a link."""
        async for event in self._submit(form):
            yield event
        if self.sent_to:  # the heading is there when the focus goes to it
            yield rx.set_focus(SENT_HEADING)

    async def _send(self, sent: object) -> None:
        asked = ForgotPassword.parse(sent)
        await passwords.send_reset_link(asked, await visitor_of(self))
        self.sent_to = asked.email


class ResetPasswordState(FormState, rx.State):
    """The page of a link. The token stays in the address, the password in the browser."""

    FORM: ClassVar = "reset-password"
    FIELDS: ClassVar = NewPassword
    EVENT: ClassVar = "password.reset_failed"

    link: str = ""  # empty until it is looked at, then 'open' or 'gone'
    errors: dict[str, str] = NewPassword.blank()

    @rx.event
    async def arrive(self):
        """Look whether the link may be used, without using it: mail scanners open links."""
        self.reset()
        await self._drop_second_step()
        self.link = "open" if await passwords.is_reset_link_open(link_token(self)) else "gone"

    @rx.event
    async def set_password(self, form: dict[str, Any]):
        """Set the new password, which uses the link up."""
        async for event in self._submit(form):
            yield event

    async def _send(self, sent: object) -> Any:
        new = NewPassword.parse(sent)
        try:
            await passwords.reset(link_token(self), new.password, await visitor_of(self))
        except LinkGone:
            self.link = "gone"
            return None
        await self._drop_second_step()
        (await self.get_state(ToastState))._show(PASSWORD_CHANGED, seconds=6)
        return rx.redirect(routes.SIGN_IN, replace=True)

    async def _drop_second_step(self) -> None:
        """Let the sign-in begin anew: a second step may be another account's."""
        (await self.get_state(SignInState))._start_over()


class EmailUndoState(FormState, rx.State):
    """The button. The token stays in the address."""

    FORM: ClassVar = "email-undo"
    FIELDS: ClassVar = NoFields
    EVENT: ClassVar = "email.undo_failed"

    link: str = ""  # empty until it is looked at, then 'open', 'gone' or 'used'

    @rx.event
    async def arrive(self):
        """Look whether the link may be used, without using it: mail scanners open links."""
        self.reset()
        self.link = "open" if await account.is_email_undo_open(link_token(self)) else "gone"

    @rx.event
    async def undo(self):
        """Restore the former e-mail, which uses the link up."""
        async for event in self._submit({}):
            yield event

    async def _send(self, sent: object) -> None:
        try:
            await account.undo_email_change(link_token(self), await visitor_of(self))
            self.link = "used"
        except LinkGone:
            self.link = "gone"


NEW, KNOWN, OTHER, GONE, NONE = "new", "known", "other", "gone", "none"
INVITATION_ACCEPTED = "Accepted. Sign in to go on."


class InvitationPage(PrivateScreen, FormState, mixin=True):
    """The page of an invitation. The token stays in the address, the password in the browser.

    Without a token it shows a signed-in person's own invitation, and that to them alone.
    """

    FIELDS: ClassVar = NewAccount
    FAILURE: ClassVar = SIGN_IN_FAILED
    PATH: ClassVar[str]  # of the page without a token

    stage: str = ""  # empty until it is looked at; OTHER: their own account has to sign in first

    _is_private: bool = False

    @classmethod
    def _is_for(cls, session: Session) -> bool:
        return bool(session.person_id)

    @rx.event
    async def arrive(self):
        """Look at the invitation, without using it: mail scanners open links."""
        self._start_over()
        (await self.get_state(CookieState)).error = ""
        session = await self._look_at()
        if not link_token(self) and (session is None or not session.person_id):
            return self._to_sign_in(replace=True)
        return None

    @rx.event
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        self._edit(form)

    @rx.event
    async def create(self, form: dict[str, Any]):
        """Create the account; the page then fetches the cookie."""
        async for event in self._submit(form):
            yield event

    @rx.event
    async def accept(self):
        """Accept it as the signed-in person."""
        async for event in self._run(self._accept()):
            yield event

    @rx.event
    async def sign_in(self):
        """Lead to the sign-in, and back to the person's own invitation, without its token."""
        return self._to_sign_in()

    async def _look_at(self) -> Session | None:
        """Show the invitation as it is now. Return the session of this tab."""
        session = await (await self.get_state(SessionState))._find()
        here, link = session.person_id if session else "", link_token(self)
        self._is_private = not link
        owner = await self._read(link)
        if owner is None:
            self.stage = GONE if link else NONE if here else ""
        elif not owner:
            self.stage = NEW
        else:
            self.stage = KNOWN if owner == here else OTHER
        return session

    async def _read(self, link: str) -> str | None:
        """Read the invitation of a link, or the person's own one without.

        Return whose account has its e-mail, '' for nobody's; None if there is no invitation.
        """
        raise NotImplementedError

    async def _accept(self) -> Any:
        """Accept it. Return the event that follows."""
        raise NotImplementedError

    def _to_sign_in(self, *, replace: bool = False) -> Any:
        address = routes.asking(routes.SIGN_IN, {"next": self.PATH})
        return rx.redirect(address, replace=replace)


class InvitationState(InvitationPage, rx.State):
    """The page of an invitation to the staff."""

    FORM: ClassVar = "invitation"
    EVENT: ClassVar = "invitation.failed"
    PATH: ClassVar = routes.INVITATION

    email: str = ""
    roles: str = ""
    by: str = ""
    errors: dict[str, str] = NewAccount.blank()

    async def _read(self, link: str) -> str | None:
        if link:
            found = await staff.find_invitation(link)
        else:
            found = await staff.find_own_invitation(await actor_of(self))
        if found is None:
            return None
        self.email, self.roles, self.by = found.email, found.roles, found.by
        return found.person_id

    async def _send(self, sent: object) -> None:
        account, visitor = NewAccount.parse(sent), await visitor_of(self)
        try:
            signed_in = await staff.accept_invitation(link_token(self), account, visitor)
        except (InvitationGone, EmailHasAccount):
            await self._look_at()
        else:
            await go_on(self, signed_in)

    async def _accept(self) -> Any:
        await (await self.get_state(SessionState))._find()
        try:
            await staff.accept_own_invitation(await actor_of(self))
        except (InvitationGone, OtherAccount):
            await self._look_at()
            return None
        (await self.get_state(ToastState))._show(INVITATION_ACCEPTED, seconds=6)
        return rx.redirect(routes.SIGN_IN, replace=True)
