"""Where the trucks go today."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.dispatch.rules.geography import Point


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The fill-up may begin from `opens` to `closes`; who is early waits."""

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
    color: str = ""
    notes: str = ""
    status: str = "scheduled"
    window: TimeWindow | None = None
    service_minutes: int = 10
    gallons: float = 0.0

    @property
    def point(self) -> Point:
        return Point(self.lat, self.lng)

    @property
    def due(self) -> datetime:
        """When the earliest fill-up may begin."""
        return self.window.opens if self.window else self.time


@dataclass(frozen=True, slots=True)
class Depot:
    """Where a truck starts and returns to."""

    name: str
    point: Point


@dataclass(frozen=True, slots=True)
class Truck:
    """A truck; without a depot it starts where it is and ends at its last stop."""

    name: str = "Truck"
    gallons: float | None = None  # in its tank for customers; None: more than a day needs
    depot: Depot | None = None
    shift: TimeWindow | None = None


@dataclass(frozen=True, slots=True)
class Unserved:
    """A stop that is on no route, and why, worded for staff."""

    stop: Stop
    reason: str
