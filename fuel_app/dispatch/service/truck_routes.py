"""Routes of trucks: the board that shows them, and changing them by hand.

`rewrite` is the only way in which a stop gets onto a route, moves or leaves it. `seen` are the
revisions of routes on a dispatcher's screen; a route that is another one by now is refused.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import Booking, BookingGone
from fuel_app.bookings.rules.states import BOOKED, ENDED, FAILED, WEATHER_HOLD
from fuel_app.bookings.service import access as bookings
from fuel_app.bookings.service import authorizations, road
from fuel_app.customers.service import account
from fuel_app.dispatch import queries
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.routing import routing
from fuel_app.dispatch.rules import route_changes
from fuel_app.dispatch.rules.arrivals import Expected, ServiceTimes, estimate_times
from fuel_app.dispatch.rules.day import (
    REFILL,
    Day,
    DayClosed,
    DayOver,
    NewStop,
    RouteChanged,
    RouteStop,
    ShiftGone,
    StopGone,
    StopStarted,
    TruckRoute,
    has_left,
    parse_day,
)
from fuel_app.dispatch.rules.route_changes import (
    Cost,
    check_place,
    find_route,
    find_stop,
    waypoints_of,
    without_stop,
)
from fuel_app.dispatch.service import arrivals, fill_records, route_news
from fuel_app.dispatch.service.days import read, read_part, road_near, service_times
from fuel_app.dispatch.service.route_news import stop_ids
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.cache import Cached
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, FIGURES, ROUTES, SHIFTS, TRUCKS, signals
from fuel_app.messages import service as messages

Routes = Mapping[str, Sequence[NewStop]]  # by the shift


@dataclass(frozen=True, slots=True)
class Board:
    """A day as dispatchers see it at a moment."""

    day: Day
    at: datetime
    expected: Mapping[str, tuple[Expected, ...]]  # by shift; without stops that are gone
    driving_s: Mapping[str, int]  # by shift; the way home, which is estimated, included
    home_at: Mapping[str, datetime | None]  # by shift: after its last stop; None without stops
    unpaid: frozenset[str] = frozenset()  # bookings whose payment is not sure
    unsent: frozenset[str] = frozenset()  # bookings of which a message has failed lately
    told: frozenset[str] = frozenset()  # bookings whose customers hear of publishing this open day
    # Shifts of a day that goes on whose technician is none any more.
    without_technician: frozenset[str] = frozenset()

    @property
    def following(self) -> Expected | None:
        """Return the stop that is done next, of all trucks."""
        left = (
            each
            for stops in self.expected.values()
            for each in stops
            if each.stop.booking and not each.stop.is_ended
        )
        return min(left, key=lambda each: each.begins_at, default=None)


async def todays_board() -> Board:
    """Return today's routes as they go; it says neither what is unpaid nor who drives."""
    async with reading() as session:
        today = clock.day_of(clock.now())
        return _board(await read(session, today), await service_times(session))


_TODAY = Cached(todays_board, BOOKINGS, FIGURES, ROUTES, SHIFTS, TRUCKS)


async def read_todays_board(by: Actor) -> Board:
    """Return `todays_board` for the dashboard, kept for all tabs of this process."""
    by.require(Role.DISPATCHER)
    return await _TODAY.get()


async def read_board(by: Actor, day: date) -> Board:
    """Return a day with the expected times of its stops."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        board = await _with_messages(session, await board_of(session, day))
    return await _with_payments(board)


async def board_of(session: AsyncSession, day: date) -> Board:
    """Return a day as the caller's transaction sees it; it does not say what is unpaid."""
    return await _with_team(session, _board(await read(session, day), await service_times(session)))


async def read_changed_board(
    by: Actor, day: date, seen: Mapping[str, int], shown: Mapping[str, Collection[str]]
) -> Board | None:
    """Return a day with those routes alone that have changed, and all bookings on no route.

    Return None if shifts have come or gone. `shown` are the stops on the screen by their shift, by
    '' those on no route.
    """
    by.require(Role.DISPATCHER)
    async with reading() as session:
        revisions = await queries.revisions_of_day(session, day)
        if revisions.keys() != seen.keys():
            return None
        changed = {each for each, revision in revisions.items() if revision != seen[each]}
        bookings = {stop for shift_id in (*changed, "") for stop in shown[shift_id]}
        part = await read_part(session, day, changed, bookings)
        board = await _with_team(session, _board(part, await service_times(session)))
        board = await _with_messages(session, board)
    return await _with_payments(board)


def _board(day: Day, times: ServiceTimes) -> Board:
    at = clock.now()
    begins, driving_s, home_at = {}, {}, dict[str, datetime | None]()
    for route in day.routes:
        begins[route.shift.id] = stops = estimate_times(route, at, times)
        way_home = offline.drive(waypoints_of(route, route.waiting)[-2:]).legs[0].seconds
        driving_s[route.shift.id] = sum(each.leg_s for each in route.stops) + way_home
        home = stops[-1].ends_at + timedelta(seconds=way_home) if stops else None
        home_at[route.shift.id] = home
    return Board(day, at, begins, driving_s, home_at)


async def _with_team(session: AsyncSession, board: Board) -> Board:
    """Return the board with the shifts whose technician is deactivated, or without the role."""
    day = board.day
    if not day.routes or day.closed_at or day.day < clock.day_of(board.at):
        return board
    team = await directory.technicians(session)
    left = (route.shift.id for route in day.routes if route.shift.technician_id not in team)
    return replace(board, without_technician=frozenset(left))


async def _with_messages(session: AsyncSession, board: Board) -> Board:
    """Return the board with what has failed to be sent, and whom publishing would tell."""
    unsent = await messages.unsent_bookings(session, board.at)
    expected = (each for stops in board.expected.values() for each in stops)
    told = await arrivals.told_by_publishing(session, board.day, expected)
    return replace(board, unsent=unsent, told=told)


async def _with_payments(board: Board) -> Board:
    stops = (stop.booking for route in board.day.routes for stop in route.left)
    open_bookings = [*filter(None, stops), *(each.booking for each in board.day.unassigned)]
    return replace(board, unpaid=await authorizations.unpaid_ids(open_bookings))


@dataclass(frozen=True, slots=True)
class Details:
    """The details of a stop; `note` is the technician's where it could not be filled."""

    booking: Booking
    phone: str
    note: str
    photos: Sequence[str]


async def read_details(by: Actor, booking_id: object) -> Details:
    """Return the details of a booking. Raises NotAllowed, BookingGone."""
    by.require(Role.DISPATCHER)
    booking = await bookings.find(by, booking_id)
    if booking is None:
        raise BookingGone
    async with reading() as session:
        known = await account.facts_of(session, [booking.person_id])
    person = known.get(booking.person_id)
    phone = person.phone if person else booking.contact.get("phone", "")
    steps = await bookings.list_steps(booking.id)
    notes = (step.note for step in steps if step.state == FAILED and step.note != booking.reason)
    photos_of = await fill_records.photos_of_bookings(by, [booking.id])
    return Details(booking, phone, next(notes, ""), photos_of[booking.id])


@dataclass(frozen=True, slots=True)
class Moved:
    """The outcome of a move."""

    action_id: str  # for Undo
    cost: Cost


async def find_costs(by: Actor, stop_id: object, day: object) -> dict[str, list[Cost]]:
    """Return the cost of each place of each route that can take a stop, by the shift.

    Places are those before each waiting stop (neither started nor ended, cancelled or moved), this
    stop not counted, and that after the last one. By the estimate without live traffic, as fast as
    a drag needs it. Raises NoSuchDay, DayOver, DayClosed, StopGone, StopStarted.
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    async with reading() as session:
        whole, times = _check_open(await read(session, chosen)), await service_times(session)
        notices = await arrivals.read_notices(session, whole)
    _, stop = find_stop(whole, stop_id)
    # A tenth of a second of computing for 600 stops.
    return await asyncio.to_thread(
        route_changes.cost_places, whole, stop, _estimate_seconds, clock.now(), times, notices
    )


async def move(
    by: Actor, stop_id: object, shift_id: object, place: object, seen: Mapping[str, int]
) -> Moved:
    """Move a stop to a place of a route, counted as in `find_costs`, from another one or from none.

    Raises StopGone, StopStarted, ShiftGone, TruckBroken, WrongGrade, RouteChanged, DayOver,
    DayClosed.
    """
    by.require(Role.DISPATCHER)
    day, times = await _read_part(shift_id, stop_id)
    former, stop = find_stop(day, stop_id)
    route = find_route(day, shift_id)
    _check_seen(seen, *filter(None, (route, former)))
    if no := route_changes.find_refusal(route, stop):
        raise no
    at = check_place(place, len(without_stop(route, stop)))
    cost = route_changes.cost_places(day, stop, _estimate_seconds, clock.now(), times)[
        route.shift.id
    ][at]
    wanted = {route.shift.id: await time_route(route, _with_stop(route, stop, at), times)}
    if former and former is not route:
        wanted[former.shift.id] = await time_route(former, without_stop(former, stop), times)
    kind = "move" if former else "assign"
    return Moved(await _write_change(by, day, kind, seen, wanted, stop.id), cost)


async def pin(by: Actor, stop_id: object, pinned: object, seen: Mapping[str, int]) -> str:
    """Keep a stop on its truck when the day is planned again, or let it go.

    Return the action's id, for Undo.
    """
    by.require(Role.DISPATCHER)
    day, _, route, stop = await _find_on_route(stop_id, seen)
    stops = [
        replace(each, is_pinned=pinned is True) if each.id == stop.id else each
        for each in route_changes.as_stored(route)
    ]
    return await _write_change(by, day, "pin", seen, {route.shift.id: stops}, stop.id)


async def unassign(by: Actor, stop_id: object, seen: Mapping[str, int]) -> str:
    """Take a stop off its route; on a published day it is booked again. Return the action's id."""
    by.require(Role.DISPATCHER)
    day, times, route, stop = await _find_on_route(stop_id, seen)
    wanted = {route.shift.id: await time_route(route, without_stop(route, stop), times)}
    return await _write_change(by, day, "unassign", seen, wanted)


async def add_refill(by: Actor, shift_id: object, place: object, seen: Mapping[str, int]) -> str:
    """Add a refill at the truck's home at a place of a route. Return the action's id, for Undo."""
    by.require(Role.DISPATCHER)
    day, times = await _read_part(shift_id)
    route = find_route(day, shift_id)
    _check_seen(seen, route)
    refill = RouteStop("", None, "", REFILL, False, 0, route.shift.starts_at)
    if no := route_changes.find_refusal(route, refill):
        raise no
    at = check_place(place, len(route.waiting))
    wanted = {route.shift.id: await time_route(route, _with_stop(route, refill, at), times)}
    return await _write_change(by, day, "refill", seen, wanted)


async def time_route(
    route: TruckRoute, waiting: Sequence[RouteStop], times: ServiceTimes
) -> list[NewStop]:
    """Return a route with other stops after those that have started. Raises RouteFailed."""
    points = route_changes.waypoints_of(route, waiting)[:-1]  # no stop follows the way home
    async with reading() as session:
        near_m = await road_near(session)
    drive = await routing().drive(points, near_m=near_m, timed_by=route.shift.timed_by)
    driven = route_changes.replace_waiting(route, waiting, (leg.seconds for leg in drive.legs))
    arrivals = estimate_times(driven, clock.now(), times)[-len(waiting) :] if waiting else ()
    begun = (replace(each.stop, begins_at=each.begins_at, planned=None) for each in arrivals)
    return route_changes.as_stored(replace(route, stops=(*route.started, *begun)))


def _with_stop(route: TruckRoute, stop: RouteStop, at: int) -> Sequence[RouteStop]:
    others = without_stop(route, stop)
    return (*others[:at], stop, *others[at:])


def _estimate_seconds(here: Point, there: Point) -> float:
    return offline.seconds(offline.road_meters(here, there))


async def _read_part(shift_id: object, stop_id: object = "") -> tuple[Day, ServiceTimes]:
    """Return a day with two routes alone: a shift's, and the one on which a stop is."""
    known, stop_id = well_formed_id(shift_id) or "", well_formed_id(stop_id) or ""
    async with reading() as session:
        day = await queries.day_of_shift(session, known)
        if day is None:
            raise ShiftGone
        row = await queries.find_stop(session, stop_id)
        part = await read_part(session, day, {known, row.shift_id} if row else {known}, [stop_id])
        return _check_open(part), await service_times(session)


async def _find_on_route(
    stop_id: object, seen: Mapping[str, int]
) -> tuple[Day, ServiceTimes, TruckRoute, RouteStop]:
    async with reading() as session:
        row = await queries.find_stop(session, well_formed_id(stop_id) or "")
    if row is None:
        raise StopGone
    day, times = await _read_part(row.shift_id, stop_id)
    route, stop = find_stop(day, stop_id)
    if route is None:
        raise StopGone
    _check_seen(seen, route)
    return day, times, route, stop


def _check_open(day: Day) -> Day:
    if day.closed_at:
        raise DayClosed
    if day.day < clock.day_of(clock.now()):
        raise DayOver
    return day


def _check_seen(seen: object, *changed: TruckRoute) -> None:
    """Refuse to change routes that are not as on the screen: places would mean others."""
    known = seen if isinstance(seen, Mapping) else {}
    if any(known.get(route.shift.id) != route.shift.revision for route in changed):
        raise RouteChanged


async def _write_change(
    by: Actor, day: Day, kind: str, seen: Mapping[str, int], wanted: Routes, needed: str = ""
) -> str:
    async with transaction() as session:
        action_id = await rewrite(session, by, kind, seen, wanted, needed)
    await signals().publish(ROUTES)
    if day.published_at and kind in ("assign", "unassign"):
        await signals().publish(BOOKINGS)
    return action_id


NOUN = "route"
# What has changed a route. Each of them can be undone until the route changes again.
KINDS = ("plan", "move", "pin", "unassign", "assign", "refill")


async def rewrite(
    session: AsyncSession,
    by: Actor,
    kind: str,
    seen: Mapping[str, int],
    wanted: Routes,
    needed: str = "",
    *,
    timed_by: str = "",
) -> str:
    """Replace the routes of some shifts of one day; on a published day bookings follow.

    Started stops stay first and as they are. What is new on a published route is dispatched, what
    has left it is booked again. Bookings that have ended, are held or have moved since the routes
    were made are left out. Return the action's id, for Undo.

    Args:
        kind: One of `KINDS`, or another one that has an undo of its own.
        needed: The stop that it is about, if it is one.
        timed_by: The provider of the driving times of a plan; '' leaves that of the plan before.

    Raises:
        ShiftGone, RouteChanged, DayClosed, StopStarted
        StopGone: If the stop that it is about has to be left out.
    """
    action = Action(NOUN, kind, str(by))
    shifts = await _lock_routes(session, seen, wanted)
    before = await queries.stops_of(session, shifts.keys())
    changes = [  # before writing, which reads these rows anew
        Change(
            shift_id,
            {
                "stops": [_stop_values(row) for row in before if row.shift_id == shift_id],
                "timed_by": shift.timed_by,
            },
            {"revision": shift.revision + 1},
        )
        for shift_id, shift in shifts.items()
    ]
    await _write_routes(session, by, shifts, before, wanted, needed)
    if timed_by:
        await queries.set_timed_by(session, shifts.keys(), timed_by)
    await audit.record(session, action, changes)
    return action.id


async def _lock_routes(
    session: AsyncSession, seen: Mapping[str, int], wanted: Collection[str]
) -> dict[str, StoredShift]:
    shifts = await queries.lock_shifts(session, wanted)
    if len(shifts) < len(wanted):
        raise ShiftGone
    if any(shift.revision != seen.get(shift_id) for shift_id, shift in shifts.items()):
        raise RouteChanged
    return shifts


async def _write_routes(
    session: AsyncSession,
    by: Actor,
    shifts: Mapping[str, StoredShift],
    before: Sequence[StoredStop],
    wanted: Routes,
    needed: str = "",
) -> None:
    day = next(iter(shifts.values())).day
    publication = await queries.find_publication(session, day)
    if publication and publication.closed_at:
        raise DayClosed
    for shift_id, stops in wanted.items():
        _check_started([row for row in before if row.shift_id == shift_id], stops)
    known = {row.booking_id or row.id: row for row in before}
    former = {each: stop_ids(before, each) for each in shifts}  # the rows are read anew below
    ids = {stop.id for stops in wanted.values() for stop in stops}
    bookings = await road.of_ids(session, {*ids, *known}, lock=True)
    gone = {
        stop.id
        for stops in wanted.values()
        for stop in stops
        if _is_gone(stop, day, known.get(stop.id), bookings.get(stop.id))
    }
    if needed in gone:
        raise StopGone
    new = bookings.keys() & ids - gone - known.keys()
    for row in await queries.stops_of_bookings(session, new):
        if not has_left(bookings[row.booking_id or ""], row.slot_id, row.told_at):
            raise RouteChanged  # another dispatcher has put it on another truck
    rows = [
        _stop_row(shift_id, place, stop, known.get(stop.id), bookings.get(stop.id), publication)
        for shift_id, stops in wanted.items()
        for place, stop in enumerate(_without(gone, stops), start=1)
    ]
    await queries.replace_stops(session, shifts.keys(), rows)
    await queries.increment_revisions(session, shifts.keys())
    if publication:
        await _step_bookings(session, by, known, ids - gone, bookings)
        await arrivals.notify_moved(session, day)
        changed = [each for each in shifts.values() if former[each.id] != stop_ids(rows, each.id)]
        await route_news.notify_technicians(session, by, changed, former)


def _check_started(before: Sequence[StoredStop], stops: Sequence[NewStop]) -> None:
    """Refuse a route whose beginning is not what the technician has begun."""
    started = [row.booking_id or row.id for row in before if _is_started(row)]
    if [stop.id for stop in stops[: len(started)]] != started:
        raise StopStarted


def _is_started(row: StoredStop) -> bool:
    return bool(row.driving_at or row.ended_at)


def _is_gone(stop: NewStop, day: date, known: StoredStop | None, booking: Booking | None) -> bool:
    """Return whether a stop has ended, is held, or has moved since its route was made."""
    if booking is None:
        return bool(stop.id) and known is None
    if known and _is_started(known):
        return False
    is_off = booking.state in (*ENDED, WEATHER_HOLD) or day_of(booking.starts_at) != day
    return is_off or stop.slot_id not in ("", booking.slot_id)


def _without(gone: Collection[str], stops: Sequence[NewStop]) -> list[NewStop]:
    """Leave stops out; the way leads past them still, since no shorter drive is known."""
    left, past_s = [], 0
    for stop in stops:
        if stop.id in gone:
            past_s += stop.leg_s
        else:
            left.append(replace(stop, leg_s=stop.leg_s + past_s))
            past_s = 0
    return left


def _stop_row(
    shift_id: str,
    place: int,
    stop: NewStop,
    known: StoredStop | None,
    booking: Booking | None,
    publication: PublishedDay | None,
) -> StoredStop:
    slot_id = booking.slot_id if booking else ""
    is_kept = known and (known.slot_id == slot_id or _is_started(known))
    kept: dict[str, Any] = known.model_dump() if known and is_kept else {"id": new_id()}
    changed: dict[str, Any] = {
        "shift_id": shift_id,
        "place": place,
        "booking_id": booking.id if booking else None,
        "slot_id": slot_id,
        "is_pinned": stop.is_pinned,
        "leg_s": stop.leg_s,
        "begins_at": stop.begins_at,
    }
    if booking:
        at = stop.planned or booking.place
        changed |= {"lat": at.lat, "lng": at.lng}
    if booking and publication and not kept.get("told_at"):
        # Nothing said so far but the window: an arrival beyond it is told.
        changed["told_at"] = min(stop.begins_at, booking.ends_at)
    return StoredStop(**kept | changed)


async def _step_bookings(
    session: AsyncSession,
    by: Actor,
    known: Mapping[str, StoredStop],
    wanted: Collection[str],
    bookings: Mapping[str, Booking],
) -> None:
    """Dispatch what is new on a published route; what has left it is booked again."""
    new = [each for each in wanted if each in bookings and bookings[each].state == BOOKED]
    left = [row.booking_id for row in known.values() if row.booking_id and not row.ended_at]
    await road.take_step(session, by, new, "publish")
    await road.take_step(session, by, set(left) - set(wanted), "unpublish")


def _stop_values(row: StoredStop) -> dict[str, Any]:
    return {
        "booking": row.booking_id or "",
        "row": row.id,
        "slot": row.slot_id,
        "leg_s": row.leg_s,
        "begins_at": row.begins_at.isoformat(),
        "is_pinned": row.is_pinned,
    }


@audit.undoes(NOUN, *KINDS, topics=(SHIFTS, BOOKINGS))
async def undo_change(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Restore the routes before an action, all or none. Raises RouteChanged."""
    seen = {each.subject_id: (each.after or {})["revision"] for each in entries}
    shifts = await _lock_routes(session, seen, seen.keys())
    before = await queries.stops_of(session, shifts.keys())
    rows = {row.id for row in before}
    wanted = {
        each.subject_id: _restore_stops((each.before or {})["stops"], rows) for each in entries
    }
    await _write_routes(session, SYSTEM, shifts, before, wanted)
    for each in entries:
        timed_by = (each.before or {}).get("timed_by", "")  # entries of a former release have none
        await queries.set_timed_by(session, [each.subject_id], timed_by)
    return seen.keys()


def _restore_stops(noted: Sequence[Mapping[str, Any]], rows: Collection[str]) -> list[NewStop]:
    """Return the stops that an action has replaced; a refill that is gone becomes a new one."""
    return [
        NewStop(
            id=each["booking"] or (each["row"] if each["row"] in rows else ""),
            leg_s=each["leg_s"],
            begins_at=datetime.fromisoformat(each["begins_at"]),
            is_pinned=each["is_pinned"],
            slot_id=each["slot"],
        )
        for each in noted
    ]
