"""The guards of endpoints: who may ask; and a visitor as a request shows them."""

from collections.abc import Callable
from functools import wraps

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from fuel_app.accounts.rules import ROLES, NotAllowed, Role, Session, device_of
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.http import FRESH, Endpoint, client_address

SIGN_IN = "Please sign in."

GUARDED_ENDPOINTS: dict[Endpoint, frozenset[Role]] = {}


def requires(*roles: Role) -> Callable[[Endpoint], Endpoint]:
    """Answer only a session with one of these roles. `request.state.session` is the session."""

    def guard(endpoint: Endpoint) -> Endpoint:
        guarded = _guarded(endpoint, lambda session: session.actor.may(*roles))
        GUARDED_ENDPOINTS[guarded] = frozenset(roles)
        return guarded

    return guard


staff_only = requires(Role.DISPATCHER)


def requires_person(endpoint: Endpoint) -> Endpoint:
    """Answer only the session of a person with own pages; otherwise as `requires`."""
    guarded = _guarded(endpoint, lambda session: session.has_own_pages)
    GUARDED_ENDPOINTS[guarded] = frozenset(ROLES)
    return guarded


def _guarded(endpoint: Endpoint, may: Callable[[Session], bool]) -> Endpoint:
    @wraps(endpoint)
    async def guarded(request: Request) -> Response:
        session = await sessions.find_by_token(request.cookies.get(COOKIE, ""))
        if session is None:
            return PlainTextResponse(SIGN_IN, 401, headers=FRESH)
        if not may(session):
            return PlainTextResponse(NotAllowed.message, 403, headers=FRESH)
        request.state.session = session
        return await endpoint(request)

    return guarded


def visitor(request: Request, session: Session | None = None) -> Visitor:
    """Return the visitor; `session` is the one that the browser has."""
    device = device_of(request.headers.get("user-agent"))
    return Visitor(client_address(request), device, session.id if session else "")
