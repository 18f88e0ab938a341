"""The real providers, pointed at the local server."""

import httpx

from fuel_app.dispatch.providers.routing import GoogleRoutes, OsrmRouting
from tests.helpers.maps_server import Maps

KEY = "AIza-very-secret"
TIMEOUT_S = 60  # tests about slowness set their own


def google(maps: Maps) -> GoogleRoutes:
    provider = GoogleRoutes(
        KEY,
        drive=f"{maps.address}/directions/v2:computeRoutes",
        matrix=f"{maps.address}/distanceMatrix/v2:computeRouteMatrix",
    )
    provider._client.timeout = httpx.Timeout(TIMEOUT_S)
    return provider


def osrm(maps: Maps) -> OsrmRouting:
    provider = OsrmRouting(maps.address)
    provider._client.timeout = httpx.Timeout(TIMEOUT_S)
    return provider


MAKERS = {"google": google, "osrm": osrm}
