"""Technician's page: one document with all that it needs inside, and the worker that keeps it.

It holds no data and needs no sign-in; its endpoints do. See docs/decisions/drive.md.
"""

import hashlib
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from fuel_app import routes
from fuel_app.bookings.rules.states import REASONS, Reason
from fuel_app.dispatch.rules.safety import CHECKS, Check
from fuel_app.dispatch.rules.technician_words import WORDS
from fuel_app.server.pages import AN_HOUR, Page
from fuel_app.settings import settings

_HERE = Path(__file__).with_suffix("")
SCRIPTS = ("keep.js", "releases.js", "drive.js")
_FONT = "/fonts/figtree-latin.woff2"
_ADDRESSES = {
    "page": routes.DRIVE,
    "worker": routes.TECHNICIAN_WORKER,
    "day": routes.TECHNICIAN_DAY,
    "actions": routes.TECHNICIAN_ACTIONS,
    "photos": routes.TECHNICIAN_PHOTOS,
    "position": routes.TECHNICIAN_POSITION,
    "sign_in": routes.asking(routes.SIGN_IN, {"next": routes.DRIVE}),
    "sign_out": routes.SIGN_OUT,
    "dashboard": routes.DASHBOARD,
}
# A worker's policy is that of its own answer; the usual one would let it fetch nothing.
_WORKER_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
}


def document(words: Mapping[str, str] = WORDS) -> str:
    """Return the page."""
    told = json.dumps({"words": words, "addresses": _ADDRESSES}).replace("<", "\\u003c")
    filled = Template(_source("drive.html")).substitute(
        {name: escape(text) for name, text in words.items()},
        brand=escape(settings.brand_name),
        manifest=routes.TECHNICIAN_MANIFEST,
        checks="\n".join(_box(check) for check in CHECKS),
        reasons="".join(_option(name, reason) for name, reason in REASONS.items()),
        told=told,
    )
    style, script = _source("drive.css"), "".join(map(_source, SCRIPTS))
    return filled.replace("/* style */", style).replace("/* script */", script)


def _source(name: str) -> str:
    return (_HERE / name).read_text()


def _box(check: Check) -> str:
    box = f'<input type="checkbox" name="checked" value="{check.id}"/>'
    return f'<label class="check">{box}{escape(check.label)}</label>'


def _option(name: str, reason: Reason) -> str:
    note = ' data-note="needed"' if reason.needs_note else ""
    return f'<option value="{name}"{note}>{escape(reason.label)}</option>'


PAGE = Page.of(document())


def worker_for(kept: Page) -> str:
    """Return the worker that keeps a page; one changed byte of either is a new release."""
    source = _source("worker.js")
    release = hashlib.sha256((kept.document + source).encode()).hexdigest()[:16]
    told = {"release": release, "page": routes.DRIVE, "digest": kept.digest, "files": [_FONT]}
    return f"const KEPT = {json.dumps(told)};\n{source}"


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
    told = {
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
    return JSONResponse(told, headers=headers, media_type="application/manifest+json")
