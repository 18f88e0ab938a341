"""The staff session's cookie: sign-in by ticket, the guard of endpoints, sign-out."""

import asyncio
from functools import wraps

from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts import service as staff
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH, Endpoint, read
from fuel_app.settings import settings

_TICKET_MAX = 100  # bytes
_TIMEOUT_S = 10
SIGN_IN = "Please sign in."

GUARDED_ENDPOINTS: set[Endpoint] = set()


async def enter(request: Request) -> Response:
    """Exchange a ticket for the cookie; the page fetches it without a reload."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            body = await read(request, _TICKET_MAX, Refusal())
    except Refusal:
        return PlainTextResponse("", 413, headers=FRESH)
    except (TimeoutError, ClientDisconnect):
        return PlainTextResponse("", 408, headers=FRESH)
    token = await staff.redeem(body.decode("ascii", "replace"))
    if token is None:
        return PlainTextResponse("", 410, headers=FRESH)
    answer = Response(status_code=204, headers=FRESH)
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=settings.is_https)
    return answer


async def leave(request: Request) -> Response:
    """Sign out; answers a plain form, which works while the page is busy."""
    session = await staff.find_by_token(request.cookies.get(COOKIE, ""))
    if session:
        await staff.sign_out(session.id)
    answer = RedirectResponse(routes.HOME, 303, headers=FRESH)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=settings.is_https)
    return answer


def staff_only(endpoint: Endpoint) -> Endpoint:
    """Answer only signed-in staff. `request.state.staff` is their session."""

    @wraps(endpoint)
    async def guarded(request: Request) -> Response:
        session = await staff.find_by_token(request.cookies.get(COOKIE, ""))
        if session is None:
            return PlainTextResponse(SIGN_IN, 401, headers=FRESH)
        request.state.staff = session
        return await endpoint(request)

    GUARDED_ENDPOINTS.add(guarded)
    return guarded


ROUTES = [
    Route(routes.STAFF_SESSION, enter, methods=["POST"]),
    Route(routes.STAFF_SIGN_OUT, leave, methods=["POST"]),
]
