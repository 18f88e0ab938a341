"""The HTTP side, put together around Reflex's own app."""

from functools import partial
from pathlib import Path

from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from fuel_app import routes
from fuel_app.accounts import http as session
from fuel_app.customers.http import photo
from fuel_app.joining.http.card import share_card
from fuel_app.joining.http.code import join_code
from fuel_app.joining.http.flyer import flyer
from fuel_app.joining.http.links import join_page
from fuel_app.marketing import http as seo
from fuel_app.marketing import http as social
from fuel_app.neighborhoods.http import export as neighborhoods
from fuel_app.server import logs, pages
from fuel_app.server.access_log import RequestLog
from fuel_app.server.caching import FileCaching
from fuel_app.server.health import health, ready
from fuel_app.server.metrics import metrics
from fuel_app.server.origin import OwnOriginOnly
from fuel_app.server.reflex import redis_watch
from fuel_app.server.reflex.socket import SocketDoor
from fuel_app.server.security import SecurityHeaders
from fuel_app.server.shutdown import Tabs
from fuel_app.settings import ROOT
from fuel_app.submissions import http as lead_files

BUILT = ROOT / ".web" / "build" / "client"

_JOIN_LINK = f"{routes.JOIN_NEIGHBORHOOD}/{{neighborhood_id}}"


def wrap(app: ASGIApp, *, router: pages.Router, built: Path = BUILT) -> ASGIApp:
    """Reflex's app with everything around it; a request meets the last line first.

    Args:
        router: Returns the app's route for a path, or None; must know every page.
        built: The folder of the built front end; without one, pages come from elsewhere.
    """
    logs.set_up()
    site = pages.Site.read(built)
    app = pages.Pages(app, site, router)
    app = Router(_addresses(site), default=app, redirect_slashes=False)
    app = ExceptionMiddleware(app)  # the router's refusals, such as a wrong method
    app = FileCaching(app)
    app = SocketDoor(app)
    app = OwnOriginOnly(app)
    app = Tabs(app, also_when=redis_watch.is_gone)
    app = RequestLog(app)
    return SecurityHeaders(app)


def _addresses(site: pages.Site) -> list[Route]:
    addresses = [
        Route(routes.HEALTH, health),
        Route(routes.READY, ready),
        Route(routes.METRICS, metrics),
        Route(routes.PHOTOS, photo, methods=["POST"]),
        Route(routes.LEADS_EXPORT, lead_files.export),
        Route(routes.LEAD_IMPORTS, lead_files.bring, methods=["POST"]),
        Route(routes.REJECTED_ROWS_PATTERN, lead_files.rejected),
        Route(routes.NEIGHBORHOODS_EXPORT, neighborhoods),
        Route(routes.STAFF_SESSION, session.enter, methods=["POST"]),
        Route(routes.STAFF_SIGN_OUT, session.leave, methods=["POST"]),
        Route("/robots.txt", seo.robots),
        Route("/sitemap.xml", seo.sitemap),
        Route("/site.webmanifest", seo.manifest),
        *(Route(f"/{name}.png", partial(social.picture, name)) for name in social.PICTURES),
        Route(f"{_JOIN_LINK}/card.png", share_card),
        Route(f"{_JOIN_LINK}/code.svg", join_code),
        Route(f"{_JOIN_LINK}/flyer", partial(flyer, site.not_found)),
    ]
    if site.shell:  # in development the pages come from elsewhere
        addresses.append(Route(_JOIN_LINK, partial(join_page, site.shell)))
    return addresses
