"""Driving times and lines: Google or an OSRM server where one is set, else an offline estimate."""

from functools import cache

from fuel_app.providers.routing.base import Routing, Unavailable
from fuel_app.providers.routing.offline import OfflineRouting

__all__ = ["Routing", "Unavailable", "routing"]


@cache
def routing() -> Routing:
    """This process's provider, by the settings."""
    return OfflineRouting()
