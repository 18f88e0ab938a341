"""A stop as list and map show it: plain texts, worded by the rules."""

import dataclasses
from collections.abc import Sequence
from typing import Self

from fuel_app.domain.directions import directions_link
from fuel_app.domain.routing.geography import Point
from fuel_app.domain.routing.route import Route
from fuel_app.domain.routing.stops import Stop, Unserved
from fuel_app.kit.clock import time_of_day


@dataclasses.dataclass(frozen=True)
class RouteStop:
    """One stop of the route. `place` counts in driving order, `number` by time."""

    id: str
    place: int
    number: int
    customer: str
    vehicle: str
    color: str
    address: str
    time: str
    notes: str
    status: str
    lat: float
    lng: float
    directions: str
    drive: str = ""  # how long it takes to come here
    late: bool = False

    @classmethod
    def of(cls, stop: Stop, place: int, number: int, start: Point | None, **more: object) -> Self:
        return cls(
            id=stop.id,
            place=place,
            number=number,
            customer=stop.customer,
            vehicle=stop.vehicle,
            color=stop.color,
            address=stop.address,
            time=time_of_day(stop.time),
            notes=stop.notes,
            status=stop.status,
            lat=stop.lat,
            lng=stop.lng,
            directions=directions_link(stop.point, start),
            **more,  # pyright: ignore[reportArgumentType] (the two with defaults)
        )


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A stop that is on no route, and why."""

    id: str
    customer: str
    reason: str

    @classmethod
    def of(cls, unserved: Unserved) -> Self:
        return cls(unserved.stop.id, unserved.stop.customer, unserved.reason)


def in_driving_order(
    stops: Sequence[Stop], position: Point | None, route: Route | None = None
) -> list[RouteStop]:
    """Stops as they are driven to; by a route each knows the drive that leads to it."""
    drives = [leg.duration for leg in route.legs] if route else []
    if route and not route.start:
        drives = ["", *drives]
    numbers = _numbers_by_time(stops)
    return [
        RouteStop.of(
            stop,
            place,
            numbers[stop.id],
            position,
            drive=drives[place - 1] if drives else "",
            late=bool(route) and stop.id in route.late,
        )
        for place, stop in enumerate(stops, start=1)
    ]


def _numbers_by_time(stops: Sequence[Stop]) -> dict[str, int]:
    ordered = sorted(stops, key=lambda stop: stop.time)
    return {stop.id: number for number, stop in enumerate(ordered, start=1)}


def in_order(stops: Sequence[Stop], order: Sequence[str]) -> list[Stop]:
    """Stops in an order of ids; those that it does not name come last, as they were."""
    rank = {stop_id: index for index, stop_id in enumerate(order)}
    return sorted(stops, key=lambda stop: rank.get(stop.id, len(rank)))


def moved_to(stops: Sequence[RouteStop], order: Sequence[str]) -> list[RouteStop]:
    """The same stops in another order, as long as nobody knows the drives between them."""
    known = {stop.id: stop for stop in stops}
    return [
        dataclasses.replace(known[stop_id], place=place, drive="", late=False)
        for place, stop_id in enumerate(order, start=1)
    ]
