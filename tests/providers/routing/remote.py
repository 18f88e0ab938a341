"""The real providers, asking the local server."""

from typing import Any

import googlemaps

from fuel_app.providers.routing import NO_RETRY_S
from fuel_app.providers.routing.google_directions import GoogleDirections
from fuel_app.providers.routing.google_routes import GoogleRoutes
from fuel_app.providers.routing.osrm import OsrmRouting
from tests.providers.routing.maps_server import Maps

KEY = "AIza-very-secret"


def google_routes(maps: Maps) -> GoogleRoutes:
    return GoogleRoutes(
        KEY,
        drive=f"{maps.address}/directions/v2:computeRoutes",
        matrix=f"{maps.address}/distanceMatrix/v2:computeRouteMatrix",
    )


def google_directions(maps: Maps, **more: Any) -> GoogleDirections:
    options = {"timeout": 4, "retry_timeout": NO_RETRY_S, "retry_over_query_limit": False} | more
    return GoogleDirections(googlemaps.Client(KEY, base_url=maps.address, **options))


def osrm(maps: Maps) -> OsrmRouting:
    return OsrmRouting(maps.address)


MAKERS = {make.__name__: make for make in (google_routes, google_directions, osrm)}
