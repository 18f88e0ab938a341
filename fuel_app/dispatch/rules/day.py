"""A day on the road: trucks, shifts, and their routes as they are planned and as they go.

The colors of trucks are on lines, markers and lists alike. Warned of is fuel of which the trucks on
shift carry less than is booked.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from fuel_app.areas.rules.places import Point, great_circle_meters
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, CANCELLED, ENDED, WEATHER_HOLD
from fuel_app.kit.errors import Refusal

OPEN, PUBLISHED, CLOSED = "open", "published", "closed"  # the states of a day
REFILL = "Refill"
PIN_MOVES_M = 100  # a pin that moves by less changes no drive
YEARS = range(2020, 2100)  # the calendar has an end


@dataclass(frozen=True, slots=True)
class Truck:
    """A truck; `tanks` are thousandths of a gallon by grade."""

    id: str
    name: str
    license_plate: str
    tanks: Mapping[str, int]
    meter_number: str
    meter_sealed_on: date
    home: str
    point: Point  # of its home
    is_active: bool
    revision: int


@dataclass(frozen=True, slots=True)
class Shift:
    """A technician's hours on a truck; `revision` counts the changes of hours and route."""

    id: str
    day: date
    truck: Truck
    technician_id: str  # '' if the account is gone
    technician: str  # a name
    starts_at: datetime
    ends_at: datetime
    revision: int
    broken_at: datetime | None = None
    timed_by: str = ""  # the provider of the driving times of its last plan
    position: Point | None = None
    position_at: datetime | None = None

    @property
    def first_name(self) -> str:
        """Return the technician's first name, as customers read it."""
        name = self.technician if self.technician_id else ""
        return (name.split() or ["Your technician"])[0]


@dataclass(frozen=True, slots=True)
class RouteStop:
    """One stop of a route; without a booking it is a refill at the truck's home."""

    row_id: str
    booking: Booking | None
    slot_id: str  # for which it was planned
    customer: str  # a name
    is_pinned: bool
    leg_s: int  # driving from the stop before
    begins_at: datetime  # as planned
    told_at: datetime | None = None
    driving_at: datetime | None = None
    arrived_at: datetime | None = None
    fueling_at: datetime | None = None
    ended_at: datetime | None = None
    loaded: Mapping[str, int] | None = None  # by a refill: thousandths of a gallon by grade
    planned: Point | None = None  # where the car stood when the drive there was timed

    @property
    def id(self) -> str:
        """Return the id of its booking, or of the refill."""
        return self.booking.id if self.booking else self.row_id

    @property
    def is_started(self) -> bool:
        """Return whether a technician drives to it, is there, or was."""
        return self.driving_at is not None or self.ended_at is not None

    @property
    def is_ended(self) -> bool:
        return self.ended_at is not None or bool(self.booking and self.booking.state in ENDED)

    @property
    def has_moved_pin(self) -> bool:
        """Return whether the car stands elsewhere than where its route leads."""
        if self.booking is None or self.planned is None:
            return False
        place = self.booking.place
        return great_circle_meters(self.planned, Point(place.lat, place.lng)) > PIN_MOVES_M

    @property
    def is_gone(self) -> bool:
        """Return whether the booking was cancelled, held or moved since it was planned."""
        if self.booking is None or self.ended_at:
            return False
        return has_left(self.booking, self.slot_id, self.told_at)


def has_left(booking: Booking, slot_id: str, told_at: datetime | None) -> bool:
    """Return whether a booking has left the route that it was put on for a slot."""
    # Booked again after it was dispatched: moved away and back, or held for a while.
    is_off = booking.state in (CANCELLED, WEATHER_HOLD) or (booking.state == BOOKED and told_at)
    return bool(is_off) or booking.slot_id != slot_id


@dataclass(frozen=True, slots=True)
class NewStop:
    """One stop of a route as it is to be: `id` as `RouteStop.id`, '' for a new refill."""

    id: str
    leg_s: int
    begins_at: datetime
    is_pinned: bool = False
    slot_id: str = ""  # for which it was planned; '' for any
    planned: Point | None = None  # where it was timed for; None: where the car stands now


@dataclass(frozen=True, slots=True)
class TruckRoute:
    """A shift with its stops in driving order."""

    shift: Shift
    stops: tuple[RouteStop, ...] = ()

    @property
    def numbers(self) -> dict[str, int]:
        """Return the number by which each stop is called; one that is gone keeps its number."""
        return {stop.id: number for number, stop in enumerate(self.stops, start=1)}

    @property
    def left(self) -> tuple[RouteStop, ...]:
        """Return the stops that are still to be done."""
        return tuple(stop for stop in self.stops if not stop.is_ended and not stop.is_gone)

    @property
    def started(self) -> tuple[RouteStop, ...]:
        """Return the stops that stay first and as they are."""
        return tuple(stop for stop in self.stops if stop.is_started)

    @property
    def waiting(self) -> tuple[RouteStop, ...]:
        """Return the stops that can still be moved."""
        return tuple(stop for stop in self.left if not stop.is_started)


@dataclass(frozen=True, slots=True)
class Unassigned:
    """A booking of the day on no route, with the reason if the last plan gave one."""

    booking: Booking
    customer: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A day's routes, and the bookings that are on none."""

    day: date
    routes: tuple[TruckRoute, ...] = ()
    unassigned: tuple[Unassigned, ...] = ()
    on_hold: tuple[Unassigned, ...] = ()  # for the weather, or since a truck has broken down
    published_at: datetime | None = None
    closed_at: datetime | None = None

    @property
    def state(self) -> str:
        if self.closed_at:
            return CLOSED
        return PUBLISHED if self.published_at else OPEN

    @property
    def revisions(self) -> dict[str, int]:
        """Return each route's revision by its shift."""
        return {route.shift.id: route.shift.revision for route in self.routes}


def parse_day(sent: object) -> date:
    """Return a day that a browser sends. Raises NoSuchDay."""
    if isinstance(sent, str):
        try:
            sent = date.fromisoformat(sent)
        except ValueError:
            raise NoSuchDay from None
    if type(sent) is not date or sent.year not in YEARS:
        raise NoSuchDay
    return sent


class NoSuchDay(Refusal):
    message = "Choose a day."


class RouteChanged(Refusal):
    """A concurrent change of a route, which must not be overwritten unseen."""

    message = "Another dispatcher has changed this route meanwhile. You now see it as it is."


class ShiftGone(Refusal):
    message = "This shift is no longer there."


class StopGone(Refusal):
    message = "This stop is no longer there."


class StopStarted(Refusal):
    message = "A technician is on the way to this stop, so it stays where it is."


class DayClosed(Refusal):
    message = "This day is closed."


class DayOver(Refusal):
    message = "This day is over."


class DayBegun(Refusal):
    message = "A technician has set off already, so this day stays published."


class NotPublished(Refusal):
    message = "This route is not published any more."


class NoShifts(Refusal):
    message = "There is no truck on shift this day. Add a shift first."


class TooManyStops(Refusal):
    def __init__(self, stops: int, most: int) -> None:
        super().__init__(f"This day has {stops:,} places; at most {most:,} can be planned at once.")


class NotPlanned(Refusal):
    message = "The day could not be planned just now. Please try again."


class PlanStopped(Refusal):
    message = "Planning was cancelled. Nothing has changed."


class NothingToPublish(Refusal):
    message = "No stop is on a truck yet. Plan the day first."


class TruckBroken(Refusal):
    message = "This truck has broken down and takes no stops."


class WrongGrade(Refusal):
    def __init__(self, truck: str, grade: str) -> None:
        super().__init__(f"{truck} carries no {grade.lower()}.")


# Each has 4.5:1 against white, and none is red or amber.
TRUCK_COLORS = (
    *("#1D4ED8", "#157347", "#7E22CE", "#0369A1", "#86198F", "#4D5B00"),
    *("#334155", "#0F766E", "#5B4636", "#3730A3"),
)


def color_of(place: int) -> str:
    """Return the color of a truck by its place among the day's, counted from 0."""
    return TRUCK_COLORS[place % len(TRUCK_COLORS)]


def find_shortages(day: Day) -> tuple[str, ...]:
    """Return a warning for each grade of which the trucks carry too little, without refills.

    Broken trucks carry nothing. A day without trucks has no warnings.
    """
    if not day.routes:
        return ()
    waiting = [stop.booking for route in day.routes for stop in route.left if stop.booking]
    waiting += [each.booking for each in day.unassigned]
    wanted, carried = defaultdict[str, list[int]](list), Counter[str]()
    for booking in waiting:
        for grade, milligallons in booking.by_grade.items():
            wanted[grade].append(milligallons)
    for route in day.routes:
        if route.shift.broken_at is None:
            carried.update(route.shift.truck.tanks)
    short = (each for each in GRADES if sum(wanted[each]) > carried[each])
    return tuple(_shortage(each, wanted[each], carried[each]) for each in short)


def _shortage(grade: str, wanted: list[int], carried: int) -> str:
    if not carried:
        need = "1 booking needs" if len(wanted) == 1 else f"{len(wanted)} bookings need"
        return f"No truck on shift carries {GRADE_LABELS[grade].lower()}, and {need} it."
    booked = -(-sum(wanted) // 1000)  # gallons, rounded up
    return (
        f"{GRADE_LABELS[grade]}: {booked:,} gallons are booked, the trucks on shift carry "
        f"{carried // 1000:,}. They will have to refill."
    )
