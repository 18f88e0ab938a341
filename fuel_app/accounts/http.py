"""The session's cookie: sign-in by ticket, the guard of endpoints, sign-out."""

import asyncio
from collections.abc import Callable
from functools import wraps

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import Cookie
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH, Endpoint, read
from fuel_app.settings import settings

_TICKET_MAX = 100  # bytes
_TIMEOUT_S = 10
SIGN_IN = "Please sign in."

GUARDED_ENDPOINTS: dict[Endpoint, frozenset[Role]] = {}


async def enter(request: Request) -> Response:
    """Exchange a ticket for the cookie; the page fetches it without a reload."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            body = await read(request, _TICKET_MAX, Refusal())
    except Refusal:
        return PlainTextResponse("", 413, headers=FRESH)
    except (TimeoutError, ClientDisconnect):
        return PlainTextResponse("", 408, headers=FRESH)
    cookie = await sessions.redeem(body.decode("ascii", "replace"))
    if cookie is None:
        return PlainTextResponse("", 410, headers=FRESH)
    return with_cookie(Response(status_code=204, headers=FRESH), cookie)


def with_cookie(answer: Response, cookie: Cookie) -> Response:
    """Give the browser its session's cookie."""
    answer.set_cookie(
        *(COOKIE, cookie.token, cookie.max_age_s),
        httponly=True,
        samesite="lax",
        secure=settings.is_https,
    )
    return answer


async def leave(request: Request) -> Response:
    """Sign out; answers a plain form, which works while the page is busy."""
    session = await sessions.find_by_token(request.cookies.get(COOKIE, ""))
    if session:
        await sessions.sign_out(session.id)
    answer = RedirectResponse(routes.HOME, 303, headers=FRESH)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=settings.is_https)
    return answer


def requires(*roles: Role) -> Callable[[Endpoint], Endpoint]:
    """Answer only a session with one of these roles. `request.state.session` is the session."""

    def guard(endpoint: Endpoint) -> Endpoint:
        @wraps(endpoint)
        async def guarded(request: Request) -> Response:
            session = await sessions.find_by_token(request.cookies.get(COOKIE, ""))
            if session is None:
                return PlainTextResponse(SIGN_IN, 401, headers=FRESH)
            if not session.actor.may(*roles):
                return PlainTextResponse(NotAllowed.message, 403, headers=FRESH)
            request.state.session = session
            return await endpoint(request)

        GUARDED_ENDPOINTS[guarded] = frozenset(roles)
        return guarded

    return guard


staff_only = requires(Role.DISPATCHER)


ROUTES = [
    Route(routes.SESSION, enter, methods=["POST"]),
    Route(routes.SIGN_OUT, leave, methods=["POST"]),
]
