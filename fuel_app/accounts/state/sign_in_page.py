"""The sign-in page: e-mail and password, then a second step for those who have one."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role, Session
from fuel_app.accounts.rules.factors import SMS
from fuel_app.accounts.rules.sign_in import SecondStepOver, SignIn, Visitor, WrongCode
from fuel_app.accounts.service import sessions, sign_in
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.accounts.service.sign_in import NeedsFactor
from fuel_app.accounts.state.session import SessionState, visitor_of
from fuel_app.accounts.state.sign_in import FAILED, CookieState
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState

SECOND_FORM = "second-step"


class SignInState(FormState, rx.State):
    """One tab's sign-in. Neither the password nor a code is ever stored."""

    FORM: ClassVar = "sign-in"
    FIELDS: ClassVar = SignIn

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
        if not (self._challenge and await sign_in.is_open(self._challenge)):
            self._start_over()
        self.busy = False
        (await self.get_state(CookieState)).error = ""
        asked = self._asked()
        self.then = asked or routes.DASHBOARD
        session = await (await self.get_state(SessionState))._look()
        if session and session.person_id:
            return (await self.get_state(CookieState))._go(destination(session, asked))
        return None

    @rx.event
    async def sign_in(self, form: dict[str, Any]):
        """Check e-mail and password on the server; the page then fetches the cookie."""
        self._start_over()
        (await self.get_state(CookieState)).error = ""
        self.busy = True
        yield
        yield await self._finish(self._sign_in(form), "sign_in.failed", FAILED)

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
        self.busy, self.error, self.code_error = True, "", ""
        yield
        code = form.get("code") if isinstance(form, dict) else None
        yield await self._finish(self._check(code), "sign_in.failed", FAILED)

    @rx.event
    def start_over(self):
        """Go back to e-mail and password."""
        self._start_over()

    async def _sign_in(self, form: object) -> Any:
        given = SignIn.parse(form)
        try:
            outcome = await sign_in.sign_in(given.email, given.password, await self._visitor())
        except Refusal as refusal:
            self.error = str(refusal)
            return focus_field(self.FORM, "password")
        if isinstance(outcome, NeedsFactor):
            return await self._ask_for_factor(outcome)
        return await self._go_on(outcome)

    async def _check(self, code: object) -> Any:
        try:
            visitor = await self._visitor()
            await self._go_on(await sign_in.finish(self._challenge, self.method, code, visitor))
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
            await sign_in.send_code(self._challenge)
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
        await (await self.get_state(SessionState))._look()
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
    return routes.DRIVE if session.is_of_technician else routes.DASHBOARD
