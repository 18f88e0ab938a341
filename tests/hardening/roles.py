"""Every kind of session, and the roles that each guarded event and address asks for."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from reflex.state import BaseState
from reflex_base.event import EventHandler

from fuel_app.accounts.rules import ROLES, Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.accounts.state.session import GUARDS, check_screen
from fuel_app.kit.db.session import transaction
from tests.helpers.sign_ups import begun, complete
from tests.helpers.signed_in import a_person, cookie_for
from tests.helpers.staff_access import STATES


class GuardedEvent(NamedTuple):
    """One event with a guard; without roles it is for customers."""

    state: type[BaseState]
    handler: EventHandler
    roles: frozenset[Role]

    @property
    def name(self) -> str:
        return f"{self.state.__name__}.{self.handler.fn.__name__}"

    @property
    def is_for_customers(self) -> bool:
        return not self.roles


def guarded_events() -> list[GuardedEvent]:
    """Return every guarded event of every state, found in the code."""
    return [
        GuardedEvent(state, event, _roles(state, event.fn))
        for state in STATES
        for name, event in state.event_handlers.items()
        if name != "setvar" and event.fn.__code__ in GUARDS
    ]


def _roles(state: Any, guarded: Callable[..., Any]) -> frozenset[Role]:
    check = inspect.getclosurevars(guarded).nonlocals["check"]
    if check is check_screen:
        return frozenset(state.ROLES)
    return frozenset(inspect.getclosurevars(check).nonlocals.get("roles", ()))


async def _nobody() -> str:
    return ""


async def _shared() -> str:
    async with transaction() as session:
        opened = await sessions.start(session)
    return await _token(opened)


async def _sign_up() -> str:
    return await _token(await complete(await begun(email="signing.up@example.com")))


async def _token(opened: SignedIn) -> str:
    cookie = await sessions.redeem_ticket(opened.ticket)
    assert cookie
    return cookie.token


def _person(*roles: Role, second_factor: bool = False) -> Callable[[], Awaitable[str]]:
    async def sign_in() -> str:
        return await cookie_for(await a_person(*roles), second_factor=second_factor)

    return sign_in


ADMIN = _person(Role.ADMIN, second_factor=True)
WHO: dict[str, tuple[Callable[[], Awaitable[str]], frozenset[Role]]] = {
    "nobody": (_nobody, frozenset()),
    "sign-up": (_sign_up, frozenset()),
    "customer": (_person(Role.CUSTOMER), frozenset({Role.CUSTOMER})),
    "technician": (_person(Role.TECHNICIAN), frozenset({Role.TECHNICIAN})),
    "dispatcher": (_person(Role.DISPATCHER), frozenset({Role.DISPATCHER})),
    "admin without a second factor": (_person(Role.ADMIN), frozenset()),
    "admin": (ADMIN, frozenset({Role.ADMIN, Role.DISPATCHER})),
    "shared password": (_shared, frozenset({Role.ADMIN, Role.DISPATCHER})),
}
EVERY_ROLE = frozenset(ROLES)
