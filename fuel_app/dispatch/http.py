"""The technician's page with the worker that keeps it, and the endpoints of their phones.

The page is one document with all that it needs inside. It holds no data and needs no sign-in; its
endpoints do, and every answer of a person's own data is `no-store`. See docs/decisions/drive.md.
"""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from html import escape
from pathlib import Path
from string import Template

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires, staff_only
from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.bookings.rules.states import REASONS, Reason
from fuel_app.dispatch.rules.phones import LOADED, SAFETY_CHECKS, WORDS, PhotoGone, SafetyCheck
from fuel_app.dispatch.service import fill_records, phones
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
from fuel_app.messages.rules import push
from fuel_app.server.pages import AN_HOUR, Page
from fuel_app.settings import settings

_HERE = Path(__file__).with_suffix("") / "drive"
SCRIPTS = ("keep.js", "releases.js", "notices.js", "drive.js")
_FONT = "/fonts/figtree-latin.woff2"
_ADDRESSES = {
    "page": routes.DRIVE,
    "worker": routes.TECHNICIAN_WORKER,
    "day": routes.TECHNICIAN_DAY,
    "actions": routes.TECHNICIAN_ACTIONS,
    "photos": routes.TECHNICIAN_PHOTOS,
    "position": routes.TECHNICIAN_POSITION,
    "devices": routes.PUSH_DEVICES,
    "sign_in": routes.asking(routes.SIGN_IN, {"next": routes.DRIVE}),
    "sign_out": routes.SIGN_OUT,
    "dashboard": routes.DASHBOARD,
}
# A worker's policy is that of its own answer; the usual one would let it fetch nothing.
_WORKER_HEADERS = {
    "Cache-Control": "no-cache",
    # The picture is that of notifications.
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'; img-src 'self'",
}


def document(words: Mapping[str, str] = WORDS) -> str:
    """Return the page."""
    told = {"words": words, "addresses": _ADDRESSES, "notices": push.WORDS}
    embedded = json.dumps(told).replace("<", "\\u003c")
    filled = Template(_source("drive.html")).substitute(
        {name: escape(text) for name, text in words.items()},
        brand=escape(settings.brand_name),
        manifest=routes.TECHNICIAN_MANIFEST,
        checks="\n".join(_box(check) for check in SAFETY_CHECKS),
        loads="\n".join(_load(grade, name) for grade, name in LOADED.items()),
        reasons="".join(_option(name, reason) for name, reason in REASONS.items()),
        told=embedded,
    )
    style = _source("drive.css")
    script = push.script("push_device.js") + "".join(map(_source, SCRIPTS))
    return filled.replace("/* style */", style).replace("/* script */", script)


def _source(name: str) -> str:
    return (_HERE / name).read_text()


def _box(check: SafetyCheck) -> str:
    box = f'<input type="checkbox" name="checked" value="{check.id}"/>'
    return f'<label class="check">{box}{escape(check.label)}</label>'


def _load(grade: str, name: str) -> str:
    field = f'<input name="{name}" inputmode="decimal" maxlength="9"/>'
    wrong = f'<p id="error-{name}" class="error" role="alert" hidden></p>'
    return f"<label>{escape(GRADE_LABELS[grade])}{field}</label>\n{wrong}"


def _option(name: str, reason: Reason) -> str:
    note = ' data-note="needed"' if reason.needs_note else ""
    fee = ' data-fee="late"' if reason.costs_fee else ""
    return f'<option value="{name}"{note}{fee}>{escape(reason.label)}</option>'


PAGE = Page.of(document())


def worker_for(kept: Page) -> str:
    """Return the worker that keeps a page; one changed byte of either is a new release."""
    source = _source("worker.js") + push.script("push_worker.js")
    release = hashlib.sha256((kept.document + source).encode()).hexdigest()[:16]
    kept_page = {"release": release, "page": routes.DRIVE, "digest": kept.digest, "files": [_FONT]}
    return f"const KEPT = {json.dumps(kept_page)};\n{source}"


_WORKER = worker_for(PAGE)


async def page(request: Request) -> Response:
    """Return the technician's page."""
    return PAGE.answer(request.headers)


async def worker(_request: Request) -> Response:
    """Return its service worker. Browsers ask for it at every visit."""
    return Response(_WORKER, headers=_WORKER_HEADERS, media_type="text/javascript")


async def manifest(_request: Request) -> Response:
    """Return its manifest: iPhones keep data for longer when the page is on the home screen."""
    icons = [
        {"src": f"/icons/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    values = {
        "name": f"{settings.brand_name}: {WORDS['page_title']}",
        "short_name": WORDS["page_title"],
        "lang": "en-US",
        "id": routes.DRIVE,
        "start_url": routes.DRIVE,
        "scope": routes.DRIVE,
        "display": "standalone",
        "theme_color": "#0A5961",
        "background_color": "#FFFFFF",
        "icons": icons,
    }
    headers = {"Cache-Control": AN_HOUR}
    return JSONResponse(values, headers=headers, media_type="application/manifest+json")


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
    return JSONResponse(await phones.read_day(by), headers=FRESH)


@_phone(PHONE_ACTIONS)
async def actions(request: Request, by: Actor) -> Response:
    """Take what the phone has kept. Return what has become of each, and the day as it is now."""
    try:
        queue = Queue.model_validate(await _json(request, _ACTIONS_MAX))
    except ValidationError as error:
        raise NoMessage from error
    outcomes = await phones.receive_actions(by, queue.person, queue.actions)
    # A phone knows what is said by its first name.
    said = [{"id": each.id, "refused": each.said} for each in outcomes]
    return JSONResponse({"heard": said, "day": await phones.read_day(by)}, headers=FRESH)


@_phone(PHONE_PHOTOS)
async def photo(request: Request, by: Actor) -> Response:
    """Store the file of a photo that an action has announced."""
    file = await _body(request, _PHOTO_MAX)
    await fill_records.store_photo(by, request.path_params["photo_id"], file)
    return Response(status_code=204, headers=FRESH)


@_phone(PHONE_POSITIONS)
async def position(request: Request, by: Actor) -> Response:
    """Note where the technician is."""
    await phones.note_position(by, await _json(request, _POSITION_MAX))
    return Response(status_code=204, headers=FRESH)


@staff_only
async def fill_photo(request: Request) -> Response:
    """Return a photo of a fill, for staff."""
    by = request.state.session.actor
    try:
        file, kind = await fill_records.read_photo(by, request.path_params["photo_id"])
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


PHONE_ROUTES = [
    Route(routes.TECHNICIAN_DAY, day, methods=["GET"]),
    Route(routes.TECHNICIAN_ACTIONS, actions, methods=["POST"]),
    Route(routes.TECHNICIAN_PHOTO_PATTERN, photo, methods=["PUT"]),
    Route(routes.TECHNICIAN_POSITION, position, methods=["POST"]),
    Route(routes.FILL_PHOTO_PATTERN, fill_photo, methods=["GET"]),
]


ROUTES = [
    Route(routes.DRIVE, page),
    Route(routes.TECHNICIAN_WORKER, worker),
    Route(routes.TECHNICIAN_MANIFEST, manifest),
    *PHONE_ROUTES,
]
