"""The dispatch board's columns, stops and timeline, as flat texts: a change is a small message."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.dispatch.rules.arrivals import AFTER_SHIFT, LATE, Expected
from fuel_app.dispatch.rules.day import (
    CLOSED,
    OPEN,
    Day,
    RouteStop,
    TruckRoute,
    Unassigned,
    color_of,
)
from fuel_app.dispatch.rules.trucks import gallons_of, loaded_text
from fuel_app.dispatch.service.truck_routes import Board
from fuel_app.kit.clock import NEW_YORK, hour_of_day, time_of_day, time_span
from fuel_app.kit.search import searchable
from fuel_app.kit.words import and_list, tenths

ON_THE_WAY, NOT_FILLED = states.SHOWN[states.EN_ROUTE], states.SHOWN[states.FAILED]
_UNSTARTED = (states.BOOKED, states.DISPATCHED, states.WEATHER_HOLD)
_GONE = {states.CANCELLED: "Cancelled meanwhile", states.WEATHER_HOLD: "On hold"}
_MOVED = "Moved meanwhile"
_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class StopCard:
    """One stop, or a booking on no route."""

    id: str
    customer: str
    place: str = ""  # in driving order
    gap: str = ""  # the place before it, as `MovingState.gaps` names it; '' if it is fixed
    at: str = ""
    window: str = ""
    car: str = ""
    street: str = ""
    fuel: str = ""
    gallons: str = ""
    state: str = ""
    lateness: str = ""
    late: str = ""  # the same in words
    over: str = ""  # the same as short as a row has room for: '+1 h 18 min'
    reason: str = ""  # why it is on no route, or was not filled
    gone: str = ""
    loaded: str = ""  # by a refill: 'Regular 120.5, Diesel 0 gal'
    loads: dict[str, str] = field(default_factory=dict)  # the same by grade, as it is typed
    is_booking: bool = True
    is_done: bool = False  # ended, filled or not
    is_fixed: bool = False  # begun, done or gone: it cannot be moved
    is_pinned: bool = False
    is_approximate: bool = False
    has_moved_pin: bool = False  # since its route was planned
    is_unpaid: bool = False
    is_unsent: bool = False  # a message about it has failed
    is_told: bool = False  # publishing tells its customer when we come
    lat: float = 0
    lng: float = 0
    # On the timeline, in per cent.
    bar_x: str = ""
    bar_width: str = ""
    rest: str = ""  # a break before it: 'Break 30 min, 12:10 PM'
    rest_x: str = ""
    rest_width: str = ""
    window_x: str = ""
    window_width: str = ""


@dataclass(frozen=True)
class Column:
    """A truck on shift with its route."""

    id: str
    truck: str
    technician: str
    color: str
    hours: str
    driving: str
    work: str  # '19 stops, 182.4 gal to fill, home 3:52 PM'
    done: str  # '6 done, 1 not filled'; '' before the first one
    loads: list[str]  # 'Regular: 120.5 gal to fill, tank 400.0'
    grades: list[str]  # that the truck carries
    last_gap: str
    is_broken: bool
    home: tuple[float, float]
    line: list[tuple[float, float]]
    truck_at: list[float]  # latitude and longitude, if they are known
    truck_age: str = ""  # of its position
    shift_x: str = ""
    shift_width: str = ""
    ends: str = ""  # of the shift
    late: str = ""  # '2 late, 1 after shift'
    late_count: int = 0
    left: str = ""  # why nobody drives it, and what to do
    stops: list[StopCard] = field(default_factory=list)


@dataclass(frozen=True)
class Tick:
    """An hour of the timeline."""

    label: str
    x: str


@dataclass(frozen=True, slots=True)
class Span:
    """The time that the timeline shows, in whole hours."""

    starts_at: datetime
    ends_at: datetime

    def x(self, at: datetime) -> float:
        """Return a moment's place in per cent, within the timeline."""
        share = (at - self.starts_at) / (self.ends_at - self.starts_at)
        return min(max(100 * share, 0), 100)

    def bar(self, starts_at: datetime, ends_at: datetime) -> tuple[str, str]:
        """Return place and width of what takes its time."""
        return _percent(self.x(starts_at)), _percent(self.x(ends_at) - self.x(starts_at))

    @property
    def ticks(self) -> list[Tick]:
        hours = int((self.ends_at - self.starts_at) / _HOUR)
        step = 2 if hours > 8 else 1
        each = (self.starts_at + n * _HOUR for n in range(0, hours, step))
        return [
            Tick(hour_of_day(at.astimezone(NEW_YORK).hour), _percent(self.x(at))) for at in each
        ]


def search_texts(day: Day) -> dict[str, str]:
    """Return the text in which each booking of a day is found: its customer, street and plate."""
    stops = ((stop.booking, stop.customer) for route in day.routes for stop in route.stops)
    waiting = ((each.booking, each.customer) for each in day.unassigned)
    return {
        booking.id: f"{name} {booking.place.street} {_plates(booking)}"
        for booking, name in (*stops, *waiting)
        if booking
    }


def has_words(text: str, words: Collection[str]) -> bool:
    """Return whether a text has all words: compared as they are sought, as most boards are not."""
    found = searchable(text) if words else ""
    return all(word in found for word in words)


def _plates(booking: Booking) -> str:
    """Return a plate as it is written, and without its spaces."""
    plates = booking.plates
    return f"{plates} {plates.replace(' ', '')}"


def span_of(routes: Iterable[TruckRoute]) -> Span | None:
    """Return the whole hours around all shifts; None without one."""
    hours = [(route.shift.starts_at, route.shift.ends_at) for route in routes]
    if not hours:
        return None
    last = max(ends for _, ends in hours)
    return Span(_whole(min(starts for starts, _ in hours)), _whole(last + _HOUR - _SECOND))


_SECOND = timedelta(seconds=1)


def columns_of(board: Board, span: Span | None) -> list[Column]:
    """Return a column for each truck on shift; the timeline shows `span`, None without trucks."""
    return [
        _column(route, color_of(number), board, span)
        for number, route in enumerate(board.day.routes)
        if span
    ]


def waiting_of(waiting: Iterable[Unassigned], board: Board) -> list[StopCard]:
    """Return the bookings that are on no route."""
    return [
        StopCard(each.booking.id, each.customer, reason=each.reason, **_booked(each.booking, board))
        for each in waiting
    ]


def _column(route: TruckRoute, color: str, board: Board, span: Span) -> Column:
    shift = route.shift
    times = {each.stop.id: each for each in board.expected[shift.id]}
    movable = {stop.id for stop in route.waiting}
    numbers, ends = route.numbers, time_of_day(shift.ends_at)
    cards, gap = [], 0
    for stop in route.stops:
        is_fixed = stop.id not in movable
        cards.append(
            _card(stop, times.get(stop.id), board, span, ends)
            | {
                "place": str(numbers[stop.id]),
                "gap": "" if is_fixed else gap_key(shift.id, gap),
                "is_fixed": is_fixed,
                "is_done": stop.is_ended,
            }
        )
        gap += not is_fixed
    stops = [StopCard(**each) for each in cards]
    served = [(each.lat, each.lng) for each in stops if each.is_booking and not each.gone]
    at = (shift.truck.point.lat, shift.truck.point.lng)
    x, width = span.bar(shift.starts_at, shift.ends_at)
    counts = Counter(stop.lateness for stop in stops)
    late = ((counts[LATE], "late"), (counts[AFTER_SHIFT], "after shift"))
    return Column(
        id=shift.id,
        truck=shift.truck.name,
        technician=shift.technician,
        color=color,
        hours=time_span(shift.starts_at, shift.ends_at),
        driving=f"{minutes_text(round(board.driving_s[shift.id] / 60))} driving",
        work=_work_text(route, board.home_at[shift.id]),
        done=_done_text(stops),
        loads=_loads(route),
        grades=[grade for grade in GRADES if grade in shift.truck.tanks],
        last_gap=gap_key(shift.id, gap),
        is_broken=shift.broken_at is not None,
        home=at,
        line=[at, *served, at] if served else [],
        truck_at=list(shift.position or ()),
        truck_age=_age(board.at - shift.position_at) if shift.position_at else "",
        shift_x=x,
        shift_width=width,
        ends=ends,
        late=", ".join(f"{count} {what}" for count, what in late if count),
        late_count=counts[LATE] + counts[AFTER_SHIFT],
        left=_left(route, board),
        stops=stops,
    )


def _work_text(route: TruckRoute, home_at: datetime | None) -> str:
    stops = sum(not stop.is_gone and stop.booking is not None for stop in route.stops)
    gallons = sum(stop.booking.estimated_milligallons for stop in route.left if stop.booking)
    said = [count_text(stops, "stop"), f"{tenths(gallons)} gal to fill" if gallons else ""]
    return ", ".join(filter(None, [*said, home_at and f"home {time_of_day(home_at)}"]))


def _done_text(stops: Iterable[StopCard]) -> str:
    counts = Counter((stop.gone or stop.state).lower() for stop in stops if stop.is_done)
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def gap_key(shift_id: str, gap: int) -> str:
    """Return the name of a place on a route, counted among the stops that can be moved."""
    return f"{shift_id} {gap}"


def _card(
    stop: RouteStop, times: Expected | None, board: Board, span: Span, shift_ends: str
) -> dict[str, Any]:
    card: dict[str, Any] = {
        "id": stop.id,
        "customer": stop.customer,
        "is_pinned": stop.is_pinned,
        "is_booking": stop.booking is not None,
        "state": "Done" if stop.ended_at else ON_THE_WAY if stop.driving_at else "",
    }
    if stop.loaded is not None:
        card |= {
            "loaded": loaded_text(stop.loaded),
            "loads": {grade: gallons_of(each) for grade, each in stop.loaded.items()},
            "gallons": f"{tenths(sum(stop.loaded.values()))} gal",
        }
    if stop.booking:
        card |= _booked(stop.booking, board)
        card["window_x"], card["window_width"] = span.bar(
            stop.booking.starts_at, stop.booking.ends_at
        )
        if stop.booking.state == states.FAILED:
            card["reason"] = stop.booking.reason
    card["has_moved_pin"] = stop.has_moved_pin and not stop.is_started and not stop.is_gone
    if stop.is_gone and stop.booking:
        card["gone"] = _GONE.get(stop.booking.state, _MOVED)
    if times:
        card["at"] = time_of_day(times.begins_at)
        card["lateness"], card["late"] = times.lateness, _late(times, shift_ends)
        card["over"] = "after shift" if times.lateness == AFTER_SHIFT else _over(times)
        card["bar_x"], card["bar_width"] = span.bar(times.begins_at, times.ends_at)
        card["rest"] = times.rest
        if times.rests_at and times.rests_until:
            card["rest_x"], card["rest_width"] = span.bar(times.rests_at, times.rests_until)
    return card


def _booked(booking: Booking, board: Board) -> dict[str, Any]:
    gallons = tenths(booking.filled_milligallons or booking.estimated_milligallons)
    labels = [GRADE_LABELS[grade].lower() for grade in booking.by_grade]
    return {
        "window": time_span(booking.starts_at, booking.ends_at),
        "car": booking.cars,
        "street": booking.place.street,
        "fuel": f"{gallons} gal {and_list(labels)}",
        "gallons": f"{gallons} gal",
        "state": "" if booking.state in _UNSTARTED else states.SHOWN[booking.state],
        "is_approximate": booking.place.is_approximate,
        "is_unpaid": booking.id in board.unpaid,
        "is_unsent": booking.id in board.unsent,
        "is_told": booking.id in board.told,
        "lat": booking.place.lat,
        "lng": booking.place.lng,
    }


def _late(times: Expected, shift_ends: str) -> str:
    """'After shift, ends 4:30 PM', 'Late by 15 min', 'At risk: 5 min over', or both first ones."""
    said = [f"After shift, ends {shift_ends}"] if times.lateness == AFTER_SHIFT else []
    if over := _over(times).removeprefix("+"):
        is_late = times.lateness_in_window == LATE
        said.append(f"Late by {over}" if is_late else f"At risk: {over} over")
    return ". ".join(said)


def _over(times: Expected) -> str:
    """'+15 min' after the window; '' within it."""
    if not times.lateness_in_window or times.stop.booking is None:
        return ""
    minutes = -(-(times.begins_at - times.stop.booking.ends_at) // timedelta(minutes=1))
    return f"+{minutes_text(minutes)}"


def late_of(columns: Iterable[Column]) -> str:
    """Return which trucks have stops that are late or after the shift; '' without any."""
    late = [column for column in columns if column.late_count]
    if not late:
        return ""
    count = sum(column.late_count for column in late)
    stops = f"{count} {'stop is' if count == 1 else 'stops are'} late or after the shift"
    return f"{stops}. {'; '.join(f'{column.truck}: {column.late}' for column in late)}."


def count_notified(columns: Iterable[Column]) -> int:
    """Return how many stops' customers publishing tells of their arrival."""
    return sum(stop.is_told for column in columns for stop in column.stops)


PLAN, PUBLISH = "plan", "publish"  # steps of a day


def next_step_of(
    state: str, columns: Sequence[Column], unassigned: Sequence[StopCard], *, is_over: bool
) -> str:
    """Return what is to be done with a day next: PLAN, PUBLISH, or '' for nothing.

    Once published, routes are on the phones: bookings on no route and pins that have moved since
    leave something to plan.
    """
    if is_over or state == CLOSED or not columns:
        return ""
    if unassigned or any(stop.has_moved_pin for each in columns for stop in each.stops):
        return PLAN
    has_stops = any(stop.is_booking and not stop.gone for each in columns for stop in each.stops)
    return PUBLISH if state == OPEN and has_stops else ""


def left_of(columns: Iterable[Column]) -> str:
    """Return which trucks have no technician any more; '' without any."""
    trucks = ", ".join(column.truck for column in columns if column.left)
    return f"No active technician: {trucks}." if trucks else ""


def _left(route: TruckRoute, board: Board) -> str:
    """Return that nobody drives a route that is still to be driven, and what to do."""
    shift = route.shift
    if shift.id not in board.without_technician:
        return ""
    who = f"{shift.technician} is not an active technician any more"
    who = who if shift.technician_id else "This route has no technician"
    return f"{who}. Choose another one under Shifts, or move these stops to other trucks."


def _loads(route: TruckRoute) -> list[str]:
    """Return what is still to be filled of each grade, against its tank."""
    needed: Counter[str] = Counter()
    for booking in (stop.booking for stop in route.left if stop.booking):
        needed.update(booking.by_grade)
    tanks = route.shift.truck.tanks
    return [
        f"{GRADE_LABELS[grade]}: {tenths(gallons)} gal to fill, tank {tenths(tanks.get(grade, 0))}"
        for grade in GRADES
        if (gallons := needed[grade])
    ]


def _age(age: timedelta) -> str:
    minutes = int(age / timedelta(minutes=1))
    return f"{minutes_text(minutes)} ago" if minutes else "just now"


def minutes_text(minutes: int) -> str:
    """'15 min', '13 h 1 min'."""
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def _whole(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def _percent(value: float) -> str:
    return f"{value:.2f}%"


def count_text(count: int, noun: str) -> str:
    """'1 stop', '2 stops'."""
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"
