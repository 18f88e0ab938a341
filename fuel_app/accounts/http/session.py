"""The session's cookie: it comes by ticket and goes at sign-out."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fuel_app import routes
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import Cookie
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.http import FRESH, body_of, text_answer
from fuel_app.settings import settings

_TICKET_MAX = 100  # bytes


async def enter(request: Request) -> Response:
    """Exchange a ticket for the cookie; the page fetches it without a reload."""
    body = await body_of(request, _TICKET_MAX)
    if isinstance(body, Response):
        return body
    cookie = await sessions.redeem(body.decode("ascii", "replace"))
    if cookie is None:
        return text_answer("", 410)
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
