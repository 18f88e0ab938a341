"""Driving times and lines."""

from fuel_app.dispatch.providers.base import Routing, Unavailable
from fuel_app.dispatch.providers.choice import routing

__all__ = ["Routing", "Unavailable", "routing"]
