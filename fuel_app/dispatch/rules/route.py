"""A planned route as people see it."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.stops import Stop, Truck, Unserved

OFFLINE = "Offline estimate"  # the provider that asks nobody
ESTIMATED = "Estimated without live traffic"


def duration_text(seconds: float) -> str:
    """As maps say it: '1 min', '12 mins', '1 hour 5 mins'."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    parts = ((hours, "hour"), (minutes, "min"))
    return " ".join(f"{n} {unit}{'s' if n > 1 else ''}" for n, unit in parts if n)


@dataclass(frozen=True, slots=True)
class Leg:
    """The drive from one point of a route to the next."""

    seconds: int
    meters: int
    duration: str

    @classmethod
    def lasting(cls, seconds: float, meters: float) -> "Leg":
        return cls(round(seconds), round(meters), duration_text(seconds))


@dataclass(frozen=True, slots=True)
class Drive:
    """What a provider answers for points to drive through: one leg fewer than points."""

    legs: tuple[Leg, ...]
    line: tuple[Point, ...]
    provider: str
    estimated: bool = False  # without live traffic
    order: tuple[int, ...] = ()  # of the points, where the provider has chosen it


@dataclass(frozen=True, slots=True)
class Route:
    """One truck's day. `legs` begins at `start`; where that is unknown, at the first stop.

    With a depot the last leg leads back to it.
    """

    truck: Truck
    start: Point | None
    stops: tuple[Stop, ...]
    begins: tuple[datetime, ...]  # when each stop's fill-up can begin
    legs: tuple[Leg, ...]
    line: tuple[Point, ...]
    late: tuple[str, ...] = ()  # ids of stops reached after their window has closed

    @property
    def next_leg(self) -> Leg | None:
        """The drive to the first stop, where it is known from where."""
        return self.legs[0] if self.start and self.legs else None

    @property
    def seconds(self) -> int:
        """Driving time."""
        return sum(leg.seconds for leg in self.legs)

    @property
    def meters(self) -> int:
        return sum(leg.meters for leg in self.legs)


@dataclass(frozen=True, slots=True)
class DayRoute:
    """Every truck's route, and what is to be said about them."""

    routes: tuple[Route, ...] = ()
    unserved: tuple[Unserved, ...] = ()
    provider: str = ""
    estimated: bool = False
    notices: tuple[str, ...] = ()

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The stops that are served, in driving order, truck by truck."""
        return tuple(stop for route in self.routes for stop in route.stops)

    @property
    def credit(self) -> str:
        """Whose roads these are, to be named beside the routes."""
        return ", ".join(name for name in self.provider.split(", ") if name != OFFLINE)
