"""Driving times and lines."""

from fuel_app.providers.routing.base import Routing, Unavailable
from fuel_app.providers.routing.choice import routing

__all__ = ["Routing", "Unavailable", "routing"]
