"""Driving times and lines: Google or an OSRM server where one is set, else an offline estimate."""

from functools import cache

import googlemaps
import structlog

from fuel_app.dispatch.providers.base import RemoteRouting, Routing
from fuel_app.dispatch.providers.chain import FirstThatAnswers
from fuel_app.dispatch.providers.google_directions import GoogleDirections
from fuel_app.dispatch.providers.google_routes import GoogleRoutes
from fuel_app.dispatch.providers.memory import OwnMemory, SharedMemory
from fuel_app.dispatch.providers.offline import OfflineRouting
from fuel_app.dispatch.providers.osrm import OsrmRouting
from fuel_app.kit.redis import redis
from fuel_app.settings import settings

log = structlog.get_logger()

PATIENCE_S = 4
NO_RETRY_S = 0.02  # ours is in the chain; at 0 the library gives up before it has asked


@cache
def routing() -> Routing:
    """This process's provider, by the settings."""
    providers: list[RemoteRouting] = []
    if settings.google_maps_api_key:
        providers += _google(settings.google_maps_api_key.get_secret_value())
    if settings.osrm_url:
        providers.append(OsrmRouting(settings.osrm_url))
    connections = redis()
    memory = SharedMemory(connections) if connections else OwnMemory()
    return FirstThatAnswers(providers, OfflineRouting(), memory=memory)


def _google(key: str) -> list[RemoteRouting]:
    """The newer API first: accounts of today cannot have the older one."""
    try:
        client = googlemaps.Client(
            key,
            timeout=PATIENCE_S,
            retry_timeout=NO_RETRY_S,  # pyright: ignore[reportArgumentType] (seconds)
            retry_over_query_limit=False,
        )
    except ValueError:  # a key that cannot be one
        log.error("routing.google_key_invalid")
        return []
    return [GoogleRoutes(key), GoogleDirections(client)]
