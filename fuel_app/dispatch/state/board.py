"""The dispatch board of one day: its columns, stops and timeline; planning and publishing.

Columns and stops are flat texts, so that a change is a small message.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed
from fuel_app.accounts.state.screens import UndoState, follow
from fuel_app.accounts.state.session import Arriving, StaffScreen, actor_of, staff_only
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import short_window
from fuel_app.dispatch.rules.arrivals import AFTER_SHIFT, LATE, TOO_LATE, Expected
from fuel_app.dispatch.rules.day import (
    CLOSED,
    OPEN,
    PUBLISHED,
    Day,
    NoSuchDay,
    RouteStop,
    TruckRoute,
    Unassigned,
    color_of,
    find_shortages,
    parse_day,
)
from fuel_app.dispatch.rules.day_plan import Search
from fuel_app.dispatch.service import day_plan, publication
from fuel_app.dispatch.service import truck_routes as service
from fuel_app.dispatch.service.day_plan import Planned
from fuel_app.dispatch.service.truck_routes import Board
from fuel_app.kit import clock
from fuel_app.kit.clock import NEW_YORK, time_of_day
from fuel_app.kit.errors import attempt
from fuel_app.kit.search import searchable, words_of
from fuel_app.kit.signals import BOOKINGS, ROUTES, SHIFTS, TRUCKS
from fuel_app.kit.ui.state import set_changed
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.words import tenths
from fuel_app.settings import settings

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
    is_booking: bool = True
    is_done: bool = False  # ended, filled or not
    is_fixed: bool = False  # begun, done or gone: it cannot be moved
    is_pinned: bool = False
    is_approximate: bool = False
    is_unpaid: bool = False
    is_unsent: bool = False  # a message about it has failed
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
        return [Tick(_hour(at), _percent(self.x(at))) for at in each]


def search_texts(day: Day) -> dict[str, str]:
    """Return the text in which each booking of a day is found: its customer, street and plate."""
    stops = ((stop.booking, stop.customer) for route in day.routes for stop in route.stops)
    waiting = ((each.booking, each.customer) for each in day.unassigned)
    return {
        booking.id: f"{name} {booking.place.street} {_plates(booking)}"
        for booking, name in (*stops, *waiting)
        if booking
    }


def _has_words(text: str, words: Collection[str]) -> bool:
    """Return whether a text has all words: compared as they are sought, as most boards are not."""
    found = searchable(text) if words else ""
    return all(word in found for word in words)


def _plates(booking: Booking) -> str:
    """Return a plate as it is written, and without its spaces."""
    plate = booking.car.license_plate
    return f"{plate} {plate.replace(' ', '')}"


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
    numbers = route.numbers
    cards, gap = [], 0
    for stop in route.stops:
        is_fixed = stop.id not in movable
        cards.append(
            _card(stop, times.get(stop.id), board, span, time_of_day(shift.ends_at))
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
        hours=f"{time_of_day(shift.starts_at)} – {time_of_day(shift.ends_at)}",  # noqa: RUF001
        driving=f"{minutes_text(round(board.driving_s[shift.id] / 60))} driving",
        work=_work_text(route, board.home_at[shift.id]),
        done=_done_text(stops),
        loads=_loads(route),
        last_gap=gap_key(shift.id, gap),
        is_broken=shift.broken_at is not None,
        home=at,
        line=[at, *served, at] if served else [],
        truck_at=list(shift.position or ()),
        truck_age=_age(board.at - shift.position_at) if shift.position_at else "",
        shift_x=x,
        shift_width=width,
        ends=time_of_day(shift.ends_at),
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
    if stop.booking:
        card |= _booked(stop.booking, board)
        card["window_x"], card["window_width"] = span.bar(
            stop.booking.starts_at, stop.booking.ends_at
        )
        if stop.booking.state == states.FAILED:
            card["reason"] = stop.booking.reason
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
    return {
        "window": short_window(booking.starts_at, booking.ends_at),
        "car": booking.car.name,
        "street": booking.place.street,
        "fuel": f"{gallons} gal {GRADE_LABELS[booking.grade].lower()}",
        "gallons": f"{gallons} gal",
        "state": "" if booking.state in _UNSTARTED else states.SHOWN[booking.state],
        "is_approximate": booking.place.is_approximate,
        "is_unpaid": booking.id in board.unpaid,
        "is_unsent": booking.id in board.unsent,
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
    """Return how many customers publishing tells: those whom we do not reach in their window."""
    return sum(stop.lateness != "" for column in columns for stop in column.stops)


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
        needed[booking.grade] += booking.estimated_milligallons
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


def _hour(at: datetime) -> str:
    local = at.astimezone(NEW_YORK)
    return f"{local.hour % 12 or 12} {local:%p}"


def _percent(value: float) -> str:
    return f"{value:.2f}%"


log = structlog.get_logger(__name__)

# What the board is narrowed down to, by name.
ONLY: dict[str, tuple[str, Callable[[StopCard], bool]]] = {
    "open": ("Still to do", lambda card: not card.is_done and not card.gone),
    "way": ("On the way", lambda card: card.state == ON_THE_WAY),
    "done": ("Done", lambda card: card.is_done),
    "late": ("Late", lambda card: card.lateness in TOO_LATE),
    "unserved": ("On no route", lambda card: card.is_booking and not card.place),
    "unsent": ("Message not sent", lambda card: card.is_unsent),
    "unpaid": ("Unpaid", lambda card: card.is_unpaid),
}
_SEARCH_MAX = 100


TABS = ("map", "trucks", "timeline", "unassigned")  # on phones
ESTIMATED = "Driving times are estimated, without live traffic."
PLANNING = "Planning"
_LOOK_S = 0.5  # at a search that goes on
_MINUTE_S = 60  # expected times go on without a change
_AFTER_S = 0.08  # longer than the own board of who moved a stop takes
_STATES = {OPEN: "Open", PUBLISHED: "Published", CLOSED: "Closed"}
PUBLISHED_DAY = _STATES[PUBLISHED]
_AREA = [(27.2, -82.7), (27.5, -82.4)]  # shown while nothing is on the map


def count_text(count: int, noun: str) -> str:
    """'1 stop', '2 stops'."""
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"


class OfDay(StaffScreen, mixin=True):
    """A part of the board about the day that is shown: it starts over with another day."""


class BoardState(StaffScreen, Arriving, rx.State):
    """A day's trucks with their routes, and the bookings that are on none."""

    day: str = ""
    before: str = ""
    after: str = ""
    today: str = ""
    title: str = ""
    address: str = ""
    address_replaces: bool = False
    status: str = ""
    columns: list[Column] = []
    unassigned: list[StopCard] = []
    on_hold: list[StopCard] = []
    ticks: list[Tick] = []
    now_x: str = ""  # of the timeline; '' on other days
    view: list[tuple[float, float]] = _AREA  # the map fits these
    warnings: list[str] = []
    late: str = ""  # which trucks have late stops, for the head
    left: str = ""  # which trucks have no technician any more, for the head
    has_begun: bool = False  # a published day, which stays so then
    notified_by_publishing: int = 0  # so many customers
    told_by_resuming: int = 0
    late_count: int = 0
    unsent_count: int = 0
    sought: str = ""  # of a name, plate or street
    only: str = ""  # one of `ONLY`; '' for all
    found: dict[str, bool] = {}  # the stops that are sought, by id; empty for all
    found_count: int = -1  # -1 while nothing is sought
    selected: str = ""
    tab: str = "trucks"
    busy: str = ""  # what is being done
    progress: str = ""  # of a plan: 'Planning 40%'
    is_stopping: bool = False  # the plan, as its Cancel was pressed
    loading: bool = True
    failed: bool = False

    _seen: dict[str, int] = {}
    _span: Span | None = None
    _words: dict[str, str] = {}  # by which each booking is found
    _shortages: tuple[str, ...] = ()
    _estimated: str = ""  # the day whose last plan was estimated

    @rx.var
    def tile_url(self) -> str:
        """Return the address of the map's tiles; empty without them."""
        return settings.tile_url

    @staff_only
    async def load(self):
        """Show the day that the address asks for; without one, today."""
        asked = _day_in(self.router.url.query_parameters.get("day"))
        await self._turn(asked or clock.day_of(clock.now()), replaces=True)
        self._arrived()

    @staff_only(background=True)
    async def follow(self):
        """Show what others change, and how times go on."""
        await follow(self, self._refresh, SHIFTS, BOOKINGS, TRUCKS, every_s=_MINUTE_S)

    @staff_only(background=True)
    async def watch(self):
        """Show the routes that others change by hand."""
        refresh = partial(self._refresh, changed_alone=True)
        await follow(self, refresh, ROUTES, after_s=_AFTER_S)

    @staff_only
    async def show_day(self, day: str):
        """Turn to another day."""
        asked = _day_in(day)
        if asked and asked.isoformat() != self.day:
            await self._turn(asked)

    @staff_only
    async def show_tab(self, tab: str):
        """Show another part on a phone."""
        if tab in TABS:
            self.tab = tab

    @staff_only
    async def select(self, stop_id: str):
        """Mark a stop in its column and on the map."""
        if self._find(stop_id):
            self.selected, self.tab = stop_id, "trucks"

    @staff_only
    async def search(self, text: str):
        """Show the stops alone whose customer, plate or street has these words."""
        self.sought = text[:_SEARCH_MAX] if isinstance(text, str) else ""
        self._seek()

    @staff_only
    async def show_only(self, only: str):
        """Show the stops of one kind alone; all again, if it is chosen already."""
        is_new = isinstance(only, str) and only in ONLY and only != self.only
        self.only = only if is_new else ""
        if is_new:
            self.tab = "unassigned" if only == "unserved" else "trucks"
        self._seek()

    @staff_only(background=True)
    async def plan(self):
        """Assign all bookings of the day that can be moved to trucks and times."""
        search = Search()
        act = partial(day_plan.plan, search=search)
        await self._work("plan", act, self._planned, search)

    @staff_only
    async def stop_plan(self):
        """Cancel the plan that is being searched for: nothing changes."""
        self.is_stopping = self.busy == "plan"

    @staff_only(background=True)
    async def publish(self):
        """Send the routes to the technicians."""
        await self._work("publish", day_plan.publish, self._published)

    @staff_only(background=True)
    async def unpublish(self):
        """Take the routes back from the technicians, as long as none has set off."""
        await self._work("unpublish", publication.unpublish, self._unpublished)

    def _seek(self) -> None:
        """Find the stops that are sought."""
        wanted, by = words_of(self.sought), ONLY.get(self.only)
        if not wanted and by is None:
            self.found, self.found_count = {}, -1
            return
        words = self.get_value("_words")
        self.found = {
            card.id: True
            for card in self._cards()
            if (by is None or by[1](card)) and _has_words(words.get(card.id, ""), wanted)
        }
        self.found_count = len(self.found)

    def _cards(self) -> list[StopCard]:
        columns, unassigned = self.get_value("columns"), self.get_value("unassigned")
        return [*unassigned, *(stop for column in columns for stop in column.stops)]

    def _find(self, stop_id: object) -> StopCard | None:
        """Return a stop of the board, or a booking on no route."""
        return next((card for card in self._cards() if card.id == stop_id), None)

    def _column(self, shift_id: object) -> Column | None:
        columns = self.get_value("columns")
        return next((column for column in columns if column.id == shift_id), None)

    async def _say(self, text: str, *, is_problem: bool = False) -> None:
        toasts = await self.get_state(ToastState)
        if is_problem:
            toasts._show(text, "problem", seconds=6)
        else:
            toasts._show(text)

    async def _offer_undo(self, text: str, action_id: str, day: str = "") -> None:
        (await self.get_state(UndoState))._offer(text, action_id, day or self.day)

    async def _work(
        self,
        kind: str,
        act: Callable[..., Awaitable[Any]],
        say: Callable[[Any, str], Awaitable[None]],
        search: Search | None = None,
    ) -> None:
        """Do what takes its time, without keeping the tab waiting; once at a time."""
        async with self:
            if self.busy or not self.day:
                return
            self.busy, self.progress, self.is_stopping = kind, PLANNING, False
            actor, day, seen = await actor_of(self), self.day, dict(self._seen)
        doing = asyncio.create_task(attempt(act(actor, day, seen), f"dispatch.{kind}_failed"))
        try:
            if search:
                await self._show_progress(doing, search)
            done, problem = await doing
        finally:
            doing.cancel()  # with its tab
        async with self:
            self.busy = ""
            await self._refresh()
            if problem:
                await self._say(problem, is_problem=True)
            else:
                await say(done, day)

    async def _show_progress(self, doing: asyncio.Task[Any], search: Search) -> None:
        """Say how far a search is until it is done, and stop it when its Cancel is pressed."""
        while not (await asyncio.wait([doing], timeout=_LOOK_S))[0]:
            async with self:
                self.progress = f"{PLANNING} {search.share:.0%}"
                search.is_stopped = self.is_stopping

    async def _planned(self, plan: Planned, day: str) -> None:
        text = f"{count_text(plan.served, 'stop')} planned"
        self._estimated = day if plan.estimated else ""
        if day == self.day:  # else another one is shown meanwhile
            self.warnings = self._warnings(len(self.unassigned))
            if self.late_count:
                text += f", {self.late_count} late"
        if plan.unserved:
            text += f", {plan.unserved} fit on no truck"
        if plan.told:
            text += f". {count_text(plan.told, 'customer')} will be told"
        if plan.action_id:
            await self._offer_undo(text, plan.action_id, day)
        else:
            await self._say(f"{text}. Nothing had to change")

    async def _published(self, count: int, _day: str) -> None:
        await self._say(f"Published: {count_text(count, 'stop')} sent to the technicians")

    async def _unpublished(self, action_id: str, day: str) -> None:
        if action_id:
            await self._offer_undo("The day is open again", action_id, day)

    async def _turn(self, day: date, *, replaces: bool = False) -> None:
        if self.day != day.isoformat():
            self.selected, self.sought, self.only, self.loading = "", "", "", True
            for part in rx.State.get_substates():
                if issubclass(part, OfDay):
                    (await self.get_state(part))._start_over()
        today, one = clock.day_of(clock.now()), timedelta(days=1)
        self.day, self.today = day.isoformat(), today.isoformat()
        self.before, self.after = (day - one).isoformat(), (day + one).isoformat()
        self.title = f"{day:%A}, {clock.long_date(day)}"
        self.address = routes.asking(routes.DISPATCH, {"day": self.day if day != today else ""})
        self.address_replaces = replaces
        await self._refresh()

    async def _refresh(self, *, changed_alone: bool = False) -> None:
        day, show = _day_in(self.day), self._show_changed if changed_alone else self._show_day
        try:
            if day:
                await show(await actor_of(self), day)
            self.failed = False
        except NotAllowed:  # the role has gone meanwhile
            self._start_over()
        except Exception:
            log.exception("screen.read_failed", screen=type(self).__name__)
            self.failed = True
        self.loading = False

    async def _show_changed(self, by: Actor, day: date) -> None:
        """Show the routes that have changed; the others stay as they are."""
        columns, unassigned = self.get_value("columns"), self.get_value("unassigned")
        cards = {column.id: column.stops for column in columns} | {"": unassigned}
        shown = {shift_id: [card.id for card in stops] for shift_id, stops in cards.items()}
        board = await service.read_changed_board(by, day, self._seen, shown)
        if board is None:
            return await self._show_day(by, day)
        changed = {column.id: column for column in columns_of(board, self.get_value("_span"))}
        if changed:
            pairs = [(column, changed.get(column.id) or column) for column in columns]
            self.columns = [replace(new, color=old.color) for old, new in pairs]
            self.late, self.left = late_of(self.columns), left_of(self.columns)
            self.notified_by_publishing = count_notified(self.columns)
            self.late_count = sum(column.late_count for column in self.columns)
            self.unassigned = waiting_of(board.day.unassigned, board)
            self.warnings = self._warnings(len(self.unassigned))
            self._seen |= board.day.revisions
            self._words |= search_texts(board.day)
            self.unsent_count = sum(card.is_unsent for card in self._cards())
            self._seek()

    async def _show_day(self, by: Actor, asked: date) -> None:
        """Show a day; what has not changed is not sent again."""
        board = await service.read_board(by, asked)
        day, span = board.day, span_of(board.day.routes)
        columns, is_today = columns_of(board, span), asked == clock.day_of(board.at)
        self.status, self._shortages = _STATES[day.state], find_shortages(day)
        unassigned = waiting_of(day.unassigned, board)
        stops = [*unassigned, *(stop for column in columns for stop in column.stops)]
        homes = [column.home for column in columns]
        set_changed(
            self,
            columns=columns,
            late=late_of(columns),
            late_count=sum(column.late_count for column in columns),
            unsent_count=sum(stop.is_unsent for stop in stops),
            left=left_of(columns),
            unassigned=unassigned,
            on_hold=waiting_of(day.on_hold, board),
            has_begun=any(stop.is_started for route in day.routes for stop in route.stops),
            notified_by_publishing=count_notified(columns),
            told_by_resuming=sum(each.booking.ends_at > board.at for each in day.on_hold),
            ticks=span.ticks if span else [],
            now_x=f"{span.x(board.at):.2f}%" if span and is_today else "",
            view=[*homes, *((stop.lat, stop.lng) for stop in stops if stop.is_booking)] or _AREA,
            warnings=self._warnings(len(unassigned)),
        )
        self._seen, self._span, self._words = day.revisions, span, search_texts(day)
        self._seek()

    def _warnings(self, waiting: int) -> list[str]:
        said = list(self._shortages)
        if self._estimated == self.day:
            said.append(ESTIMATED)
        if self.status == _STATES[PUBLISHED] and waiting:
            left = count_text(waiting, "booking")
            said.append(f"The day is published. Still on no route: {left}.")
        return said


def _day_in(asked: object) -> date | None:
    """Return the day of an address or a date field; None for anything else."""
    try:
        return parse_day(asked)
    except NoSuchDay:
        return None
