"""Estimated driving times: the straight-line distance, a road factor, and speeds.

It knows no bridges, one-way streets and traffic: good enough to order stops.
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from fuel_app.areas.rules.places import Point, great_circle_meters
from fuel_app.dispatch.rules.day_plan import Matrix
from fuel_app.dispatch.rules.drives import OFFLINE, Drive, Leg

# Road distance over straight-line distance, the mean over 66,000 places of the United States:
# Boscoe, Henry, Zdeb, "A Nationwide Comparison of Driving Distance Versus Straight-Line Distance
# to Hospitals", The Professional Geographer 64 (2012), PMC3835347.
ROAD_FACTOR = 1.417

# Both ends of a drive are on streets, the middle of a longer one on faster roads: speeds for the
# first so many meters, for what follows, and so on. Speed limits by Florida Statutes 316.183 and
# 316.187 (30 mph in residence districts, 70 on limited-access highways) and as posted on the
# area's main roads (45 on US 41 and US 301, 60 as a mix with I-75); of these the shares that the
# Highway Capacity Manual (6th edition, exhibit 18-1) gives as level of service B on streets
# (67 %) and A (80 %) where most of the way is on the highway.
MPH = 0.44704  # meters per second
SPEEDS = (
    (1_500, 0.67 * 30 * MPH),
    (15_000, 0.67 * 45 * MPH),
    (40_000, 0.67 * 60 * MPH),
    (float("inf"), 0.80 * 70 * MPH),
)


async def matrix(points: Sequence[Point]) -> Matrix:
    """Return the driving seconds from each point to each."""

    def estimate() -> Matrix:
        return tuple(tuple(seconds(road_meters(a, b)) for b in points) for a in points)

    return await asyncio.to_thread(estimate)  # half a second for 500 points


def drive(points: Sequence[Point]) -> Drive:
    """Drive through the points in this order."""
    legs = tuple(Leg.lasting(seconds(road_meters(a, b))) for a, b in pairwise(points))
    return Drive(legs, tuple(points), OFFLINE, estimated=True)


def road_meters(a: Point, b: Point) -> float:
    return ROAD_FACTOR * great_circle_meters(a, b)


def seconds(meters: float) -> float:
    """Estimate a drive's duration."""
    total, from_meters = 0.0, 0.0
    for to_meters, speed in SPEEDS:
        total += max(0.0, min(meters, to_meters) - from_meters) / speed
        from_meters = to_meters
    return total
