"""Staff sessions on the screens: the guard that checks the session with every event."""

import inspect
from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import Any, TypeVar, cast

import reflex as rx
import structlog
from starlette.requests import cookie_parser

from fuel_app import routes
from fuel_app.accounts import service as staff
from fuel_app.accounts.rules import Session
from fuel_app.accounts.state.sign_in import StaffLoginState
from fuel_app.kit import clock
from fuel_app.kit import signals as live
from fuel_app.kit.signals import STAFF
from fuel_app.server.reflex.staff_screen import StaffScreen
from fuel_app.settings import settings

# Where the site is https, the prefix keeps other hosts of the domain from setting it.
COOKIE = ("__Host-" if settings.is_https else "") + "fuel-staff"

log = structlog.get_logger()

Event = TypeVar("Event", bound=Callable[..., Any])
GUARDS: set[CodeType] = set()  # by their code, which a mixin's copy of an event keeps


class StaffState(rx.State):
    """This tab's sign-in as shown; the guard checks the session itself."""

    signed_in: bool = False
    _session_id: str = ""
    _shown_at: str = ""  # the staff page that is open in this tab
    _shown_to: str = ""  # the connection that the screens are open to

    @rx.event
    async def look(self):
        """Check the session on a page that shows more to staff."""
        await self._look()

    @rx.event
    async def require(self):
        """Send visitors without a session to the login, which leads back here.

        Protects nothing by itself: the guard on each event does.
        """
        if await self._look():
            self._shown_at = self.router.url.path
            (await self.get_state(StaffLoginState)).opened = False
        elif not await self._ask():
            return rx.redirect(routes.HOME, replace=True)

    @rx.event(background=True)
    async def follow(self):
        """Sign this tab out when its session ends in any tab."""
        changed: frozenset[str] = frozenset()
        async with live.listening(STAFF) as changes:
            while session := await self._still_there():
                changed = await changes.next((session.expires_at - clock.now()).total_seconds() + 1)
        async with self:
            is_for_staff = routes.is_for_staff(self.router.url.path)
            if changed:
                await self._forget()
            elif is_for_staff:
                await self._ask()
        if changed and is_for_staff:
            yield rx.redirect(routes.HOME, replace=True)

    async def _still_there(self) -> Session | None:
        async with self:
            return await self._look()

    async def _look(self) -> Session | None:
        """Return this tab's session, by its cookie or by a sign-in on its connection."""
        login = await self.get_state(StaffLoginState)
        if here := login._signed_in_here():
            session = await staff.find(here)
        else:
            cookies = self.router.headers.raw_headers.get("cookie", "")
            token = cookie_parser(cookies).get(COOKIE)
            session = await staff.find_by_token(token) if token else None
        self._session_id = session.id if session else ""
        if self.signed_in != bool(session):
            self.signed_in = bool(session)
        await self._open_screens(self.router.session.session_id if session else "")
        return session

    async def _open_screens(self, connection: str) -> None:
        if connection != self._shown_to:
            self._shown_to = connection
            for screen in _screens():
                (await self.get_state(screen))._open_to(connection)

    async def _ask(self) -> bool:
        """Open the login. Return whether a page is open already: it stays under the modal."""
        url, login = self.router.url, await self.get_state(StaffLoginState)
        asked = f"{url.path}?{url.query}" if url.query else url.path
        login._ask(asked, over_page=url.path == self._shown_at)
        return login.over_page

    async def _greet(self, *, open_already: bool) -> None:
        """Check the session of a connecting tab; an unavailable database shows the page without."""
        self._shown_at = self.router.url.path if open_already else ""
        (await self.get_state(StaffLoginState))._greet()
        try:
            await self._look()
        except Exception:
            log.exception("staff.session_check_failed")
            self.signed_in = False
            await self._open_screens("")

    async def _forget(self) -> None:
        """Empty all staff screens of this tab."""
        self._shown_at = ""
        for screen in _screens():
            (await self.get_state(screen)).reset()


def _screens() -> list[type[StaffScreen]]:
    return [state for state in rx.State.get_substates() if issubclass(state, StaffScreen)]


async def greet(tab: rx.State, open_already: bool) -> None:
    """Check the session of a connecting tab, before it is sent its state."""
    await (await tab.get_state(StaffState))._greet(open_already=open_already)


def staff_only(handler: Event) -> Event:
    """Run an async event only for signed-in staff; open the login for anyone else.

    Any browser can fire any event by name, so hiding a button protects nothing.
    """

    @wraps(handler)
    async def guarded(self: rx.State, *args: Any, **kwargs: Any):
        async with self:  # does nothing here, takes the lock in a background event
            staff_state = await self.get_state(StaffState)
            allowed = await staff_state._look()
            if not allowed:
                await staff_state._ask()
        if not allowed:
            return
        outcome = handler(self, *args, **kwargs)
        if inspect.isasyncgen(outcome):
            async for event in outcome:
                yield event
        else:
            yield await outcome

    GUARDS.add(cast(Any, guarded).__code__)
    return cast(Event, guarded)
