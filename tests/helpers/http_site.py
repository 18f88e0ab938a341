"""A small built site around a small app in Reflex's place, and a client for it."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from fuel_app.fuel_app import http_routes, is_wrong_link
from fuel_app.server import site

SCRIPT = 'console.log("a < b && c");\n'
STYLE = ".a::before{content:'<b>'}\n.b{color:#0B2530}"
HEAD = (
    '<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/>'
    '<link as="style" href="/assets/site-1.css" rel="preload"/>'
    '<link rel="modulepreload" href="/assets/app-1.js"/>'
    f"<script>{SCRIPT}</script>"
    '<link href="/assets/site-1.css" rel="stylesheet" type="text/css"/></head>'
)

Client = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture(autouse=True)
def _own_log() -> Iterator[None]:
    """`wrap` sets the log up; the next test starts from where this one did."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A front end as the build leaves it, with nested pages in both forms."""
    folder = tmp_path / "client"
    for name, body in {
        "index.html": '<p style="color:red">Start</p>' + "Fuel at your driveway. " * 50,
        "fleet.html": "Fleet",
        "help/tips/index.html": "Tips",
        "404.html": "",
        "__spa-fallback.html": "",
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{HEAD}<body>{body}<script>start()</script></body></html>")
    (folder / "assets").mkdir()
    (folder / "assets" / "site-1.css").write_text(STYLE)
    (folder / "assets" / "app-1.js").write_text("start()")
    (folder / "favicon.svg").write_text("<svg/>")
    return folder


def router(path: str) -> str | None:
    """Match pages like the app's router, with or without a trailing slash."""
    path = path.rstrip("/") or "/"
    if path.startswith("/join-neighborhood/") and path.count("/") == 2:
        return "join-neighborhood/[neighborhood_id]"
    links = ("/reset-password/", "/invitation/", "/company-invitation/", "/manage/", "/track/")
    if path.startswith(links):
        return "reset-password/[link]"
    return {"/": "index", "/fleet": "fleet", "/help/tips": "help/tips"}.get(path)


async def _echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


async def _broken(_request) -> None:
    raise RuntimeError("no answer for ada@example.com")


async def _done(_request) -> JSONResponse:
    return JSONResponse({"done": True})


@pytest.fixture
def app(built: Path) -> ASGIApp:
    """The whole HTTP side around a small app that serves files, a websocket and an error."""
    reflex = Starlette(
        routes=[
            Route("/ping", _done, methods=["GET", "POST"]),
            Route("/broken", _broken),
            WebSocketRoute("/_event/", _echo),
            Mount("/", StaticFiles(directory=built, html=True)),
        ]
    )
    return site.wrap(
        reflex, router=router, routes=http_routes, is_wrong_link=is_wrong_link, built=built
    )


@pytest.fixture
def client(app: ASGIApp) -> Client:
    """Return a function that opens a client, by default without compression."""

    @asynccontextmanager
    async def opened(**headers: str) -> AsyncIterator[httpx.AsyncClient]:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://testserver",
            headers={"accept-encoding": "identity"} | headers,
        ) as opened_client:
            yield opened_client

    return opened


async def press(
    browser: httpx.AsyncClient, page: httpx.Response, action: str = ""
) -> httpx.Response:
    """Press the button of a page, with the Origin that browsers send by the page's policy."""
    is_secret = page.headers["referrer-policy"] == "no-referrer"
    origin = "null" if is_secret else str(browser.base_url)
    return await browser.post(action or page.url, headers={"origin": origin})


@pytest.fixture
async def browser(client: Client) -> AsyncIterator[httpx.AsyncClient]:
    async with client() as opened:
        yield opened
