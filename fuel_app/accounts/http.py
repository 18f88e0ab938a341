"""Accounts by plain HTTP: the session's cookie, second factors, passkeys.

What must be seen once and never reach a tab's state comes this way.
"""

import json
from collections.abc import Callable
from functools import wraps
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.rules import ROLES, NotAllowed, Role, Session, device_of
from fuel_app.accounts.rules.security import (
    NotSetUp,
    PasskeyRefused,
    ReauthenticationNeeded,
    Visitor,
)
from fuel_app.accounts.service import passkeys, security, sessions
from fuel_app.accounts.service.passkeys import Ceremony
from fuel_app.accounts.service.sessions import Cookie
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit import clock, pictures
from fuel_app.kit.errors import InvalidForm, Refusal, TooManyRequests
from fuel_app.kit.http import FRESH, Endpoint, body_of, client_address, text_answer
from fuel_app.server.html import inline
from fuel_app.server.security import page_policy
from fuel_app.settings import settings

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


_TICKET_MAX = 100  # bytes


async def redeem_ticket(request: Request) -> Response:
    """Exchange a ticket for the cookie; the page fetches it without a reload."""
    body = await body_of(request, _TICKET_MAX)
    if isinstance(body, Response):
        return body
    cookie = await sessions.redeem_ticket(body.decode("ascii", "replace"))
    if cookie is None:
        return text_answer("", 410)
    return with_cookie(Response(status_code=204, headers=FRESH), cookie)


def with_cookie(answer: Response, cookie: Cookie) -> Response:
    """Give the browser its session's cookie."""
    answer.set_cookie(
        COOKIE,
        cookie.token,
        cookie.max_age_s,
        httponly=True,
        samesite="lax",
        secure=settings.is_https,
    )
    return answer


async def sign_out(request: Request) -> Response:
    """Sign out; answers a plain form, which works while the page is busy."""
    session = await sessions.find_by_token(request.cookies.get(COOKIE, ""))
    if session:
        await sessions.sign_out(session.id)
    answer = RedirectResponse(routes.HOME, 303, headers=FRESH)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=settings.is_https)
    return answer


_PRIVATE = FRESH | {"Cross-Origin-Resource-Policy": "same-origin", "X-Robots-Tag": "noindex"}
_SHEET = Template(Path(__file__).with_name("recovery_codes.html").read_text())
_SHEET_HEADERS = _PRIVATE | {"Content-Security-Policy": page_policy(inline(_SHEET.template))}


@requires_person
async def authenticator_code(request: Request) -> Response:
    """Return the QR code of the authenticator app that is being set up."""
    address = await _read_setup(request, security.app_address)
    if isinstance(address, Response):
        return address
    return Response(await pictures.drawn(address), media_type="image/svg+xml", headers=_PRIVATE)


@requires_person
async def authenticator_key(request: Request) -> Response:
    """Return the key to type where no camera is at hand."""
    key = await _read_setup(request, security.app_key)
    return key if isinstance(key, Response) else PlainTextResponse(key, headers=_PRIVATE)


@requires_person
async def open_authenticator(request: Request) -> Response:
    """Lead to the authenticator app of this device."""
    address = await _read_setup(request, security.app_address)
    if isinstance(address, Response):
        return address
    return RedirectResponse(address, 303, headers=_PRIVATE)


async def _read_setup(request: Request, ask) -> str | Response:
    try:
        value = await ask(request.state.session)
    except Refusal as refusal:
        return PlainTextResponse(str(refusal), 403, headers=_PRIVATE)
    return value or PlainTextResponse(NotSetUp.message, 404, headers=_PRIVATE)


@requires_person
async def recovery_codes(request: Request) -> Response:
    """Make new recovery codes and show them, this once; answers a plain form."""
    session = request.state.session
    try:
        codes = await security.new_recovery_codes(session, visitor(request, session))
    except ReauthenticationNeeded:  # the page asks for the password
        return RedirectResponse(routes.SECURITY, 303, headers=_PRIVATE)
    except Refusal as refusal:
        return PlainTextResponse(str(refusal), 403, headers=_PRIVATE)
    return HTMLResponse(_sheet(codes), headers=_SHEET_HEADERS)


def _sheet(codes: tuple[str, ...]) -> str:
    return _SHEET.substitute(
        brand=escape(settings.brand_name),
        codes="".join(f"<li><code>{escape(code)}</code></li>" for code in codes),
        today=clock.long_date(clock.day_of(clock.now())),
        back=routes.SECURITY,
    )


_ANSWER_MAX = 20_000  # bytes


@requires_person
async def passkey_options(request: Request) -> Response:
    """Open the registration of a passkey."""
    try:
        return _ceremony_response(await passkeys.begin_registration(request.state.session))
    except Refusal as refusal:
        return _refusal_response(refusal)


@requires_person
async def register_passkey(request: Request) -> Response:
    """Store the passkey that the browser has made."""
    session = request.state.session
    try:
        sent = await _parse_answer(request)
        challenge, answer, name = (sent.get(each) for each in ("challenge", "answer", "name"))
        await passkeys.register(session, challenge, answer, name, visitor(request, session))
    except Refusal as refusal:
        return _refusal_response(refusal)
    return Response(status_code=204, headers=FRESH)


async def passkey_sign_in_options(request: Request) -> Response:
    """Open a sign-in."""
    try:
        ceremony = await passkeys.begin_sign_in(visitor(request))
    except Refusal as refusal:
        return _refusal_response(refusal)
    return _ceremony_response(ceremony)


async def sign_in_by_passkey(request: Request) -> Response:
    """Sign the owner of a passkey in; the browser's former session ends."""
    former = await sessions.find_by_token(request.cookies.get(COOKIE, ""))
    try:
        sent = await _parse_answer(request)
        cookie = await passkeys.sign_in(
            sent.get("challenge"), sent.get("answer"), visitor(request, former)
        )
    except Refusal as refusal:
        return _refusal_response(refusal)
    return with_cookie(Response(status_code=204, headers=FRESH), cookie)


async def _parse_answer(request: Request) -> dict[str, Any]:
    """Return what the page sent.

    Raises:
        PasskeyRefused: If it is too large, too slow or no object.
    """
    body = await body_of(request, _ANSWER_MAX)
    try:
        sent = None if isinstance(body, Response) else json.loads(body)
    except (ValueError, RecursionError) as error:
        raise PasskeyRefused from error
    if not isinstance(sent, dict):
        raise PasskeyRefused
    return sent


def _ceremony_response(ceremony: Ceremony) -> Response:
    options = json.loads(ceremony.options)
    return JSONResponse({"challenge": ceremony.challenge_id, "options": options}, headers=FRESH)


def _refusal_response(refusal: Refusal) -> Response:
    status = 429 if isinstance(refusal, TooManyRequests) else 403
    message = next(iter(refusal.messages.values())) if isinstance(refusal, InvalidForm) else ""
    said = {
        "message": message or str(refusal),
        "prove": isinstance(refusal, ReauthenticationNeeded),
    }
    return JSONResponse(said, status, headers=FRESH)


ROUTES = [
    Route(routes.SESSION, redeem_ticket, methods=["POST"]),
    Route(routes.SIGN_OUT, sign_out, methods=["POST"]),
    Route(routes.AUTHENTICATOR_CODE, authenticator_code),
    Route(routes.AUTHENTICATOR_KEY, authenticator_key),
    Route(routes.AUTHENTICATOR_OPEN, open_authenticator),
    Route(routes.RECOVERY_CODES, recovery_codes, methods=["POST"]),
    Route(routes.PASSKEY_OPTIONS, passkey_options, methods=["POST"]),
    Route(routes.PASSKEYS, register_passkey, methods=["POST"]),
    Route(routes.PASSKEY_SIGN_IN_OPTIONS, passkey_sign_in_options, methods=["POST"]),
    Route(routes.PASSKEY_SIGN_IN, sign_in_by_passkey, methods=["POST"]),
]
