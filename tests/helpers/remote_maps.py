"""The real providers, asking the local server."""

from typing import Any

import googlemaps
import httpx

from fuel_app.dispatch.providers.choice import NO_RETRY_S
from fuel_app.dispatch.providers.google_directions import GoogleDirections
from fuel_app.dispatch.providers.google_routes import GoogleRoutes
from fuel_app.dispatch.providers.osrm import OsrmRouting
from tests.helpers.maps_server import Maps

KEY = "AIza-very-secret"
# How long a test waits on a busy machine; those about slowness have a patience of their own.
PATIENCE_S = 60


def google_routes(maps: Maps) -> GoogleRoutes:
    provider = GoogleRoutes(
        KEY,
        drive=f"{maps.address}/directions/v2:computeRoutes",
        matrix=f"{maps.address}/distanceMatrix/v2:computeRouteMatrix",
    )
    provider._client.timeout = httpx.Timeout(PATIENCE_S)
    return provider


def google_directions(maps: Maps, **more: Any) -> GoogleDirections:
    options = {"retry_timeout": NO_RETRY_S, "retry_over_query_limit": False}
    options |= {"timeout": PATIENCE_S} | more
    return GoogleDirections(googlemaps.Client(KEY, base_url=maps.address, **options))


def osrm(maps: Maps) -> OsrmRouting:
    provider = OsrmRouting(maps.address)
    provider._client.timeout = httpx.Timeout(PATIENCE_S)
    return provider


MAKERS = {make.__name__: make for make in (google_routes, google_directions, osrm)}
