"""Driving times of a route."""

from collections.abc import Sequence

from fuel_app.areas.rules.positions import Point


async def legs(points: Sequence[Point]) -> list[int]:
    """Return the seconds from each point to the next, with live traffic where it is known."""
    raise NotImplementedError
