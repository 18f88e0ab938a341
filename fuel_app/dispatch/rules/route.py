"""Stops of a day, and the route through them."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.dispatch.rules.geography import Point

OFFLINE = "Offline estimate"
ESTIMATED = "Estimated without live traffic"


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A fill-up may begin from `opens` to `closes`; an early truck waits."""

    opens: datetime
    closes: datetime


@dataclass(frozen=True, slots=True)
class Stop:
    """A fill-up at a customer's parked vehicle."""

    id: str
    customer: str
    vehicle: str
    address: str
    time: datetime
    lat: float
    lng: float
    window: TimeWindow
    color: str = ""
    notes: str = ""
    status: str = "scheduled"

    @property
    def point(self) -> Point:
        return Point(self.lat, self.lng)


@dataclass(frozen=True, slots=True)
class Unserved:
    """A stop that is on no route, with the reason for staff."""

    stop: Stop
    reason: str


def duration_text(seconds: float) -> str:
    """Format a duration: '1 min', '12 mins', '1 hour 5 mins'."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    parts = ((hours, "hour"), (minutes, "min"))
    return " ".join(f"{n} {unit}{'s' if n > 1 else ''}" for n, unit in parts if n)


@dataclass(frozen=True, slots=True)
class Leg:
    """The drive from one point of a route to the next."""

    seconds: int
    duration: str

    @classmethod
    def lasting(cls, seconds: float) -> "Leg":
        return cls(round(seconds), duration_text(seconds))


@dataclass(frozen=True, slots=True)
class Drive:
    """A provider's answer for points to drive through: one leg fewer than points."""

    legs: tuple[Leg, ...]
    line: tuple[Point, ...]
    provider: str
    estimated: bool = False  # without live traffic


@dataclass(frozen=True, slots=True)
class Route:
    """A truck's day. `legs` begins at `start`; where that is unknown, at the first stop."""

    start: Point | None
    stops: tuple[Stop, ...]  # in driving order
    legs: tuple[Leg, ...]
    line: tuple[Point, ...]
    late: tuple[str, ...] = ()  # ids of stops reached after their window has closed

    @property
    def next_leg(self) -> Leg | None:
        """The drive to the first stop, if the start is known."""
        return self.legs[0] if self.start and self.legs else None


@dataclass(frozen=True, slots=True)
class DayRoute:
    """The route of a day, with notices; None without a valid stop."""

    route: Route | None = None
    unserved: tuple[Unserved, ...] = ()
    provider: str = ""
    notices: tuple[str, ...] = ()

    @property
    def credit(self) -> str:
        """The provider to credit beside the route."""
        return "" if self.provider == OFFLINE else self.provider
