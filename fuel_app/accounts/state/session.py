"""Sessions on the screens: the guard that checks one with every event, its cookie, the login.

A screen that shows what its address names is empty until its event has answered the address.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from types import CodeType
from typing import Any, ClassVar, cast
from uuid import uuid4

import reflex as rx
from starlette.requests import cookie_parser

from fuel_app import routes
from fuel_app.accounts.rules import (
    SHARED_PASSWORD,
    Actor,
    NotAllowed,
    Role,
    Session,
    device_of,
)
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.kit import clock
from fuel_app.kit import signals as live
from fuel_app.kit.errors import Refusal, WrongPassword, problem_of
from fuel_app.kit.signals import SESSIONS
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState, NoFields
from fuel_app.kit.ui.state import set_changed
from fuel_app.server.reflex.private_tabs import PrivateScreen
from fuel_app.settings import settings


class Arriving(PrivateScreen, mixin=True):
    """A screen whose events answer the address when the page opens and after Back.

    Until then a tab holds what it has shown before, such as another customer: `once_arrived` shows
    nothing of it, and `address_mirror` writes nothing of it into the address.
    """

    arrival: str = ""  # an id and the address that was answered; empty as the page is loaded

    def _arrived(self) -> None:
        """Say that the address is answered: the screen shows what it names."""
        url = self.router.url
        asked = f"{url.path}?{url.query}" if url.query else url.path
        self.arrival = f"{uuid4()} {asked}"

    def _start_over(self) -> None:
        arrival = self.arrival  # the address stays answered
        super()._start_over()
        self.arrival = arrival


class Opening(PrivateScreen, mixin=True):
    """A dialog, which an event opens; as its page is loaded it is closed."""

    opened: bool = False

    def _close(self) -> None:
        self.opened = False


SIGN_IN_FAILED = "Signing in does not work just now. Please try again."


def visitor_at(tab: rx.State, former: str = "") -> Visitor:
    """Return the visitor at a tab; a sign-in ends the browser's former session."""
    device = device_of(tab.router.headers.user_agent)
    return Visitor(tab.router.session.client_ip, device, former)


class CookieState(rx.State):
    """The way from a sign-in on the websocket to the browser's cookie, which comes by HTTP."""

    fetching: bool = False
    ticket: str = ""  # the page hands it in for the cookie: accounts/ui/sign_in.py
    error: str = ""
    leave_for: str = ""  # a page outside the router, which the browser loads anew
    _coming: str = ""  # the session whose cookie is being fetched
    _coming_to: str = ""  # the connection that signed in to it
    _then: str = ""  # the page to go to afterwards
    _session_id: str = ""  # the session that this connection signed in to,
    _connection: str = ""  # whose cookie came after its handshake

    @rx.event
    async def fetched(self, has_cookie: bool):
        """Finish signing in once the page has fetched the cookie, or failed to.

        This connection's handshake came before the cookie, so the session is remembered for it.
        """
        coming, then, here = self._coming, self._then, self.router.session.session_id
        self.fetching, self.ticket, self._coming = False, "", ""
        if not coming:
            return None
        if has_cookie is not True or here != self._coming_to:
            self.error = SIGN_IN_FAILED
            return None
        self._session_id, self._connection = coming, here
        (await self.get_state(StaffLoginState)).opened = False
        return self._go(then or routes.DASHBOARD)

    def _go(self, address: str) -> Any:
        """Lead to an own address, in place of this page."""
        if routes.is_plain(address):
            self.leave_for = address
            return None
        return rx.redirect(address, replace=True)

    def _fetch(self, signed_in: SignedIn, then: str) -> None:
        """Let the page fetch the cookie of a new session, and go to `then`."""
        self.fetching, self.error = True, ""
        self.ticket, self._coming = signed_in.ticket, signed_in.session_id
        self._coming_to, self._then = self.router.session.session_id, then

    def _greet(self) -> None:
        """Drop another connection's unused ticket when the tab connects anew."""
        self.leave_for = ""
        if self.ticket and self._coming_to != self.router.session.session_id:
            self.fetching, self.ticket = False, ""

    def _signed_in_here(self) -> str:
        """Return the session that was signed in to on this connection.

        It counts while its cookie is on the way: it may have replaced the one of the handshake.
        """
        here = self.router.session.session_id
        if here and self._coming and here == self._coming_to:
            return self._coming
        return self._session_id if here and here == self._connection else ""


class StaffLoginState(FormState, rx.State):
    """One tab's login modal; the password itself is never stored."""

    FORM: ClassVar = "staff"
    FIELDS: ClassVar = NoFields  # a wrong password is told at the button
    EVENT: ClassVar = "staff.login_failed"
    FAILURE: ClassVar = SIGN_IN_FAILED

    opened: bool = False
    over_page: bool = False  # a staff page that stays open under the modal
    retired: bool = False  # named accounts have replaced the shared password
    _asked: str = ""  # the page to go to afterwards

    @rx.event
    async def show(self, opened: bool):
        """Open or close the modal."""
        self.opened, self.over_page, self.error = opened is True, False, ""
        self._asked = ""
        (await self.get_state(CookieState))._coming = ""
        if self.opened:
            self.retired = await sessions.is_shared_password_retired()
        elif routes.is_for_staff(self.router.url.path):
            return rx.redirect(routes.HOME)

    @rx.event
    def to_sign_in_page(self):
        """Redirect to the sign-in page; the requested address stays on the server until then."""
        return rx.redirect(self._sign_in_address())

    @rx.event
    async def login(self, form: dict[str, Any]):
        """Check the password on the server; the page then fetches the cookie."""
        (await self.get_state(CookieState)).error = ""
        async for event in self._submit(form):
            yield event

    async def _send(self, sent: object) -> Any:
        password = sent.get("password") if isinstance(sent, dict) else None
        try:
            signed_in = await sessions.sign_in_shared(password, visitor_at(self))
        except Refusal as refusal:
            self.error = str(refusal)
            if isinstance(refusal, WrongPassword):
                self.retired = await sessions.is_shared_password_retired()
            return focus_field(self.FORM, "password")
        (await self.get_state(CookieState))._fetch(signed_in, self._asked)

    async def _ask(self, address: str, *, over_page: bool) -> None:
        """Open the modal; signing in leads to the requested page."""
        is_for_staff = routes.is_for_staff(address.partition("?")[0])
        self._asked = address if is_for_staff else ""
        self.opened, self.over_page, self.error = True, over_page, ""
        self.retired = await sessions.is_shared_password_retired()

    def _sign_in_address(self) -> str:
        """Return the address of the sign-in page, which leads back to the requested page."""
        return routes.asking(routes.SIGN_IN, {"next": self._asked})


# Where the site is https, the prefix keeps other hosts of the domain from setting it.
COOKIE = ("__Host-" if settings.is_https else "") + "fuel-session"


Handler = Callable[..., Any]
Answer = Iterable[Any] | None  # what the tab gets instead of the event, which runs at None
Check = Callable[[rx.State], Awaitable[Answer]]
GUARDS: set[CodeType] = set()  # by their code, which a mixin's copy of an event keeps


# What the parts of a page have found, while its one event opens it.
page_finds: ContextVar[dict[str, Any] | None] = ContextVar("page_finds", default=None)
# What the opening has found, for the first check of each event that follows the page.
handed_over: ContextVar[dict[str, Any] | None] = ContextVar("handed_over", default=None)


# What several parts of a page ask for, by the names under which it is kept.
SESSION, ACCOUNT, IS_OPEN = "session", "account", "is_open"


async def once_for_page(name: str, find: Callable[[], Awaitable[Any]]) -> Any:
    """Return what `find` returns; while a page opens all its parts get the first one's answer."""
    if (known := page_finds.get()) is not None:
        if name not in known:
            known[name] = await find()
        return known[name]
    if (known := handed_over.get()) and name in known:
        return known.pop(name)
    return await find()


def note_for_page(name: str, found: Any) -> None:
    """Keep what one part has found for those that ask `once_for_page` after it."""
    if (known := page_finds.get()) is not None:
        known[name] = found


class StaffScreen(PrivateScreen, mixin=True):
    """A screen for these roles; no one else is sent its data."""

    ROLES: ClassVar[tuple[Role, ...]] = (Role.DISPATCHER,)

    @classmethod
    def _is_for(cls, session: Session) -> bool:
        return session.actor.may(*cls.ROLES)

    async def _admit(self) -> Answer:
        """Let in whom the screen is for; `screen_only` asks it with every event."""
        return await _check_roles(self, *self.ROLES)


class OwnScreen(PrivateScreen, mixin=True):
    """A screen with a person's own data, sent to that person alone."""

    @classmethod
    def _is_for(cls, session: Session) -> bool:
        return session.has_own_pages


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What the guards of a page have found as it was opened, for those that follow changes."""

    known: dict[str, Any]  # the session, and the account of a customer's screens
    connection: str
    count: int  # of changes by then
    at: float  # seconds since the epoch


class SessionState(rx.State):
    """This tab's sign-in as shown; the guard checks the session itself."""

    is_known: bool = False  # the session was looked up since the page was loaded
    is_staff: bool = False  # a dispatcher, an admin, or the shared password
    is_admin: bool = False
    is_person: bool = False  # signed in by name, or signing up
    is_only_staff: bool = False  # signed in by name, and no customer
    is_of_company: bool = False  # one of a company's people
    _session: Session | None = None
    _shown_at: str = ""  # the staff page that is open in this tab
    _owner: str = ""  # the last person, sign-up or shared password whose session it was
    _shown_to: tuple[str, str] = ("", "")  # the connection and session that screens are open to
    _handed_over: HandedOver | None = None

    @property
    def _actor(self) -> Actor:
        """Return the actor in this tab; without a session, one without roles."""
        return self._session.actor if self._session else Actor()

    @rx.event
    async def look(self):
        """Check the session on a page that shows more to staff."""
        await self._find()

    @rx.event
    async def require(self):
        """Send visitors without a staff session to their login, which leads back here.

        Protects nothing by itself: the guard on each event does.
        """
        session = await self._find()
        if session and session.is_staff:
            self._shown_at = self.router.url.path
            (await self.get_state(StaffLoginState)).opened = False
            return None
        if session and session.lacks_factor:
            return rx.redirect(routes.SECURITY, replace=True)
        if session and not session.is_shared:
            return rx.redirect(routes.DASHBOARD, replace=True)
        if await self._ask():
            return None
        login = await self.get_state(StaffLoginState)
        if not login.retired:
            return rx.redirect(routes.HOME, replace=True)
        login.opened = False
        return rx.redirect(login._sign_in_address(), replace=True)

    @rx.event(background=True)
    async def follow(self):
        """Sign this tab out when its session ends in any tab."""
        changed, was_person = frozenset[str](), False
        async with live.listening(SESSIONS) as changes:
            async with self:
                session = await self._find()
            while session:
                was_person = not session.is_shared
                changed = await changes.next((session.expires_at - clock.now()).total_seconds() + 1)
                async with self:
                    session = await self._look()
        async with self:
            is_for_staff = routes.is_for_staff(self.router.url.path)
            if changed:
                await self._forget()
            elif is_for_staff:
                await self._ask()
        if changed and (is_for_staff or was_person):
            yield rx.redirect(routes.HOME, replace=True)

    async def _find(self) -> Session | None:
        """Return this tab's session; while a page opens it is looked up once."""
        return await once_for_page(SESSION, self._look)

    async def _look(self) -> Session | None:
        """Return this tab's session, by its cookie or by a sign-in on its connection."""
        cookie = await self.get_state(CookieState)
        if here := cookie._signed_in_here():
            session = await sessions.find(here)
        else:
            cookies = self.router.headers.raw_headers.get("cookie", "")
            token = cookie_parser(cookies).get(COOKIE)
            session = await sessions.find_by_token(token) if token else None
        self._session = session
        if owner := (session.person_id or session.sign_up_id or SHARED_PASSWORD) if session else "":
            if self._owner not in ("", owner):
                await self._forget()
            self._owner = owner
        self._show(session)
        await self._open_screens(session)
        return session

    def _show(self, session: Session | None) -> None:
        set_changed(
            self,
            is_known=True,
            is_staff=bool(session and session.is_staff),
            is_admin=bool(session and session.actor.may(Role.ADMIN)),
            is_person=bool(session and not session.is_shared),
            is_only_staff=bool(
                session and session.person_id and Role.CUSTOMER not in session.roles
            ),
            is_of_company=bool(session and Role.COMPANY in session.roles),
        )

    async def _open_screens(self, session: Session | None) -> None:
        """Open the screens of the session's roles to this connection, and close all others."""
        connection = self.router.session.session_id if session else ""
        shown_to = (connection, f"{session.id} {sorted(session.effective)}" if session else "")
        if shown_to != self._shown_to:
            self._shown_to = shown_to
            for screen in _screens():
                is_for = session is not None and screen._is_for(session)
                (await self.get_state(screen))._open_to(connection if is_for else "")

    async def _ask(self) -> bool:
        """Open the login. Return whether a page is open already: it stays under the modal."""
        url, login = self.router.url, await self.get_state(StaffLoginState)
        asked = f"{url.path}?{url.query}" if url.query else url.path
        await login._ask(asked, over_page=url.path == self._shown_at)
        return login.over_page

    async def _greet(self, *, open_already: bool) -> None:
        """Check the session of a connecting tab; an unavailable database shows the page without."""
        self._shown_at = self.router.url.path if open_already else ""
        if not open_already:
            await self._await_arrivals()
        (await self.get_state(CookieState))._greet()
        if await problem_of(self._look(), "session.check_failed"):
            self._show(None)
            await self._open_screens(None)

    async def _await_arrivals(self) -> None:
        """Hold back what the tab has shown before its page was loaded anew; close its dialogs."""
        for screen in _screens():
            if issubclass(screen, Arriving):
                (await self.get_state(screen)).arrival = ""
            if issubclass(screen, Opening) and (dialog := await self.get_state(screen)).opened:
                dialog._close()

    async def _forget(self) -> None:
        """Empty and close all private screens of this tab; the next look opens them again."""
        self._shown_at, self._shown_to = "", ("", "")
        for screen in _screens():
            state = await self.get_state(screen)
            if state._is_private:
                state.reset()


def _screens() -> list[type[PrivateScreen]]:
    return [state for state in rx.State.get_substates() if issubclass(state, PrivateScreen)]


async def greet(tab: rx.State, open_already: bool) -> None:
    """Check the session of a connecting tab, before it is sent its state."""
    await (await tab.get_state(SessionState))._greet(open_already=open_already)


def guarded_event(check: Check) -> type[rx.event]:
    """Make an `rx.event` for async events whose check looks the session up with every event.

    Any browser can fire any event by name, so hiding a button protects nothing.
    """

    def guard(handler: Handler | None = None, **options: bool) -> Any:
        if handler is None:
            return partial(guard, **options)

        @wraps(handler)
        async def guarded(self: rx.State, *args: Any, **kwargs: Any):
            async with self:  # does nothing here, takes the lock in a background event
                refusal = await check(self)
            if refusal is not None:
                for event in refusal:
                    yield event
                return
            outcome = handler(self, *args, **kwargs)
            if inspect.isasyncgen(outcome):
                async for event in outcome:
                    yield event
            else:
                yield await outcome

        GUARDS.add(cast(Any, guarded).__code__)
        return rx.event(guarded, **options)

    return cast(Any, guard)


def requires(*roles: Role) -> type[rx.event]:
    """Run an async event only for a session with one of these roles.

    A visitor gets the login; a session with another role gets no answer.
    """

    async def check(tab: rx.State) -> Answer:
        return await _check_roles(tab, *roles)

    return guarded_event(check)


async def _check_roles(tab: rx.State, *roles: Role) -> Answer:
    state = await tab.get_state(SessionState)
    session = await state._find()
    if session is None:
        await state._ask()
    return None if session and session.actor.may(*roles) else ()


async def _check_person(tab: rx.State) -> Answer:
    session = await (await tab.get_state(SessionState))._find()
    return None if session and session.has_own_pages else ()


person_only = guarded_event(_check_person)  # others get no answer


async def check_screen(tab: rx.State) -> Answer:
    """Let in whom the screen is for."""
    return await cast(StaffScreen, tab)._admit()


screen_only = guarded_event(check_screen)  # for the roles that the screen is for
staff_only = requires(Role.DISPATCHER)
admin_only = requires(Role.ADMIN)


async def are_staff(tab: rx.State) -> bool:
    """Return whether staff are at this tab: others are not asked to sign in."""
    session = await (await tab.get_state(SessionState))._find()
    return bool(session and session.is_staff)


async def actor_of(tab: rx.State) -> Actor:
    """Return who acts in a tab, as the guard of the event has seen it."""
    return (await tab.get_state(SessionState))._actor


async def session_of(tab: rx.State) -> Session:
    """Return the session of a tab, as the guard of the event has seen it."""
    session = (await tab.get_state(SessionState))._session
    if session is None:
        raise NotAllowed
    return session


async def visitor_of(tab: rx.State) -> Visitor:
    """Return the visitor at a tab, with the session that was last seen there."""
    session = (await tab.get_state(SessionState))._session
    return visitor_at(tab, session.id if session else "")
