"""Endpoints of technicians' phones. Every answer of a person's own data is `no-store`."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import wraps

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http.guards import requires, staff_only
from fuel_app.accounts.rules import Actor, Role
from fuel_app.dispatch.rules.technician import PhotoGone
from fuel_app.dispatch.service import driving, photos, technician_day
from fuel_app.kit import http as bodies
from fuel_app.kit.errors import Refusal
from fuel_app.kit.http import FRESH, Endpoint, refused
from fuel_app.kit.throttle import (
    PHONE_ACTIONS,
    PHONE_DAYS,
    PHONE_PHOTOS,
    PHONE_POSITIONS,
    Limit,
    throttle,
)

_ACTIONS_MAX = 256 * 1024  # bytes, as the others
_PHOTO_MAX = 300 * 1024
_POSITION_MAX = 1024
_TIMEOUT_S = 60  # for a photo over a weak line


class TooLarge(Refusal):
    message = "This is too large."
    http_status = 413


class TooSlow(Refusal):
    message = "The connection was lost or too slow."
    http_status = 408


class NoMessage(Refusal):
    message = "This is no message of the app."
    http_status = 400


class Queue(BaseModel):
    """The queue of a phone and its person; each action is checked by itself."""

    person: str
    actions: list[object]


_Answer = Callable[[Request, Actor], Awaitable[Response]]


def _phone(limit: Limit) -> Callable[[_Answer], Endpoint]:
    """Answer technicians alone, so often; a refusal is an answer with its status."""

    def guard(answer: _Answer) -> Endpoint:
        @requires(Role.TECHNICIAN)
        @wraps(answer)
        async def endpoint(request: Request) -> Response:
            by = request.state.session.actor
            try:
                await throttle().spend(limit, by.person_id)
                return await answer(request, by)
            except Refusal as refusal:
                return refused(refusal)

        return endpoint

    return guard


@_phone(PHONE_DAYS)
async def day(_request: Request, by: Actor) -> Response:
    """Return the technician's day."""
    return JSONResponse(await technician_day.of(by), headers=FRESH)


@_phone(PHONE_ACTIONS)
async def actions(request: Request, by: Actor) -> Response:
    """Take what the phone has kept. Return what has become of each, and the day as it is now."""
    try:
        queue = Queue.model_validate(await _json(request, _ACTIONS_MAX))
    except ValidationError as error:
        raise NoMessage from error
    heard = await driving.hear(by, queue.person, queue.actions)
    said = [{"id": each.id, "refused": each.refused} for each in heard]
    return JSONResponse({"heard": said, "day": await technician_day.of(by)}, headers=FRESH)


@_phone(PHONE_PHOTOS)
async def photo(request: Request, by: Actor) -> Response:
    """Store the file of a photo that an action has announced."""
    file = await _body(request, _PHOTO_MAX)
    await photos.store(by, request.path_params["photo_id"], file)
    return Response(status_code=204, headers=FRESH)


@_phone(PHONE_POSITIONS)
async def position(request: Request, by: Actor) -> Response:
    """Note where the technician is."""
    await driving.note_position(by, await _json(request, _POSITION_MAX))
    return Response(status_code=204, headers=FRESH)


@staff_only
async def fill_photo(request: Request) -> Response:
    """Return a photo of a fill, for staff."""
    by = request.state.session.actor
    try:
        file, kind = await photos.read(by, request.path_params["photo_id"])
    except PhotoGone as gone:
        return refused(gone)
    return Response(file, headers=FRESH, media_type=kind)


async def _body(request: Request, most: int) -> bytes:
    bodies.refuse_by_length(request, most, TooLarge())
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            return await bodies.read(request, most, TooLarge())
    except (TimeoutError, ClientDisconnect) as error:
        raise TooSlow from error


async def _json(request: Request, most: int) -> object:
    try:
        return json.loads(await _body(request, most))
    except (ValueError, RecursionError) as error:  # a lone surrogate is none
        raise NoMessage from error


ROUTES = [
    Route(routes.TECHNICIAN_DAY, day, methods=["GET"]),
    Route(routes.TECHNICIAN_ACTIONS, actions, methods=["POST"]),
    Route(routes.TECHNICIAN_PHOTO_PATTERN, photo, methods=["PUT"]),
    Route(routes.TECHNICIAN_POSITION, position, methods=["POST"]),
    Route(routes.FILL_PHOTO_PATTERN, fill_photo, methods=["GET"]),
]
