"""Passkeys by plain HTTP: the browser's ceremonies; a sign-in answers with the cookie."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fuel_app.accounts.http.guards import requires_person, visitor
from fuel_app.accounts.http.session import with_cookie
from fuel_app.accounts.rules.factors import NotProved, PasskeyRefused
from fuel_app.accounts.service import passkeys, sessions
from fuel_app.accounts.service.passkeys import Ceremony
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.errors import InvalidForm, Refusal, TooManyRequests
from fuel_app.kit.http import FRESH, body_of

_ANSWER_MAX = 20_000  # bytes


@requires_person
async def register_options(request: Request) -> Response:
    """Open the registration of a passkey."""
    try:
        return _asking(await passkeys.begin_registration(request.state.session))
    except Refusal as refusal:
        return _refused(refusal)


@requires_person
async def register(request: Request) -> Response:
    """Store the passkey that the browser has made."""
    session = request.state.session
    try:
        sent = await _sent(request)
        challenge, answer, name = (sent.get(each) for each in ("challenge", "answer", "name"))
        await passkeys.register(session, challenge, answer, name, visitor(request, session))
    except Refusal as refusal:
        return _refused(refusal)
    return Response(status_code=204, headers=FRESH)


async def sign_in_options(request: Request) -> Response:
    """Open a sign-in."""
    try:
        ceremony = await passkeys.begin_sign_in(visitor(request))
    except Refusal as refusal:
        return _refused(refusal)
    return _asking(ceremony)


async def sign_in(request: Request) -> Response:
    """Sign the owner of a passkey in; the browser's former session ends."""
    former = await sessions.find_by_token(request.cookies.get(COOKIE, ""))
    try:
        sent = await _sent(request)
        cookie = await passkeys.sign_in(
            sent.get("challenge"), sent.get("answer"), visitor(request, former)
        )
    except Refusal as refusal:
        return _refused(refusal)
    return with_cookie(Response(status_code=204, headers=FRESH), cookie)


async def _sent(request: Request) -> dict[str, Any]:
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


def _asking(ceremony: Ceremony) -> Response:
    options = json.loads(ceremony.options)
    return JSONResponse({"challenge": ceremony.challenge_id, "options": options}, headers=FRESH)


def _refused(refusal: Refusal) -> Response:
    status = 429 if isinstance(refusal, TooManyRequests) else 403
    message = next(iter(refusal.messages.values())) if isinstance(refusal, InvalidForm) else ""
    said = {"message": message or str(refusal), "prove": isinstance(refusal, NotProved)}
    return JSONResponse(said, status, headers=FRESH)
