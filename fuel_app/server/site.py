"""The ASGI stack around Reflex's own app; garbage collection and thread switching for a thousand
connected tabs (docs/framework.md).
"""

import gc
import sys
from collections.abc import Callable
from pathlib import Path

from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from fuel_app.server import logs, pages
from fuel_app.server.metrics import RequestLog
from fuel_app.server.reflex import redis_tabs
from fuel_app.server.reflex.shutdown import Tabs
from fuel_app.server.reflex.websocket import WebsocketGuard
from fuel_app.server.security import DefaultHeaders, OwnOriginOnly, security_headers
from fuel_app.settings import ROOT

# Allocations before a young collection, young before a middle one (30 ms; nothing else runs
# meanwhile), middle before a full one. Python's default (700, 10, 10) suits a few thousand objects.
_THRESHOLDS = (20_000, 2, 500)
_SWITCH_S = 0.0005


async def tune() -> None:
    """Set Python up once, when everything is imported and before the first visitor."""
    gc.collect()
    gc.freeze()  # what is imported stays: no collection looks at it again
    gc.set_threshold(*_THRESHOLDS)
    # A database thread takes the interpreter often in one transaction, and would wait 5 ms for the
    # event loop's thread each time, while the next writer waits for it.
    sys.setswitchinterval(_SWITCH_S)


HttpRoutes = Callable[[pages.Site], list[Route]]

BUILT = ROOT / ".web" / "build" / "client"


def wrap(
    app: ASGIApp,
    *,
    router: pages.Router,
    routes: HttpRoutes,
    is_wrong_link: pages.Check,
    built: Path = BUILT,
) -> ASGIApp:
    """Wrap Reflex's app in middleware, innermost first.

    Args:
        router: Returns the app's route for a path, or None; must know every page.
        is_wrong_link: Returns whether a path ends in a token that was never made.
        built: The folder of the built front end; missing in development.
    """
    logs.set_up()
    site = pages.Site.read(built)
    app = pages.Pages(app, site, router, is_wrong_link)
    app = Router(routes(site), default=app, redirect_slashes=False)
    app = ExceptionMiddleware(app)  # answers the router's refusals, such as a wrong method
    app = DefaultHeaders(app, pages.caching)
    app = WebsocketGuard(app)
    app = OwnOriginOnly(app)
    app = Tabs(app, also_when=redis_tabs.is_gone)
    app = RequestLog(app)
    headers = security_headers()
    return DefaultHeaders(app, lambda _path, _answer: headers)
