"""The ASGI stack around Reflex's own app."""

from collections.abc import Callable
from pathlib import Path

from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from fuel_app.server import logs, pages
from fuel_app.server.access_log import RequestLog
from fuel_app.server.reflex import redis_watch
from fuel_app.server.reflex.shutdown import Tabs
from fuel_app.server.reflex.websocket_guard import WebsocketGuard
from fuel_app.server.security import DefaultHeaders, OwnOriginOnly, security_headers
from fuel_app.settings import ROOT

HttpRoutes = Callable[[pages.Site], list[Route]]

BUILT = ROOT / ".web" / "build" / "client"


def wrap(app: ASGIApp, *, router: pages.Router, routes: HttpRoutes, built: Path = BUILT) -> ASGIApp:
    """Wrap Reflex's app in middleware, innermost first.

    Args:
        router: Returns the app's route for a path, or None; must know every page.
        built: The folder of the built front end; missing in development.
    """
    logs.set_up()
    site = pages.Site.read(built)
    app = pages.Pages(app, site, router)
    app = Router(routes(site), default=app, redirect_slashes=False)
    app = ExceptionMiddleware(app)  # answers the router's refusals, such as a wrong method
    app = DefaultHeaders(app, pages.caching)
    app = WebsocketGuard(app)
    app = OwnOriginOnly(app)
    app = Tabs(app, also_when=redis_watch.is_gone)
    app = RequestLog(app)
    headers = security_headers()
    return DefaultHeaders(app, lambda _path, _answer: headers)
