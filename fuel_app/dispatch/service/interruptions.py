"""Bookings on hold: for the weather, since a truck has broken down, or as their window closes.

They leave their routes until we can come, or their customers choose another time. The stops of a
truck that fails go to the others in one step; what fits nowhere is held.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, DISPATCHED, WEATHER_HOLD
from fuel_app.bookings.service import notifications, road, slots
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.arrivals import ArrivalNotices, ServiceTimes, estimate_times
from fuel_app.dispatch.rules.day import (
    Day,
    RouteChanged,
    RouteStop,
    ShiftGone,
    StopStarted,
    TruckRoute,
    Unassigned,
    parse_day,
)
from fuel_app.dispatch.rules.day_plan import DayPlan
from fuel_app.dispatch.rules.route_changes import (
    Storm,
    StormForm,
    WeatherHoldForm,
    as_stored,
    check_day,
    find_route,
    is_same,
    routes_after,
)
from fuel_app.dispatch.service import arrivals, truck_routes
from fuel_app.dispatch.service.arrivals import LIVE, TOLD
from fuel_app.dispatch.service.day_plan import Solved, solve
from fuel_app.dispatch.service.days import read, service_times
from fuel_app.kit import audit, clock, outbox
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.outbox import Message, Shared, Skip
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals
from fuel_app.messages.rules.delivery import OUTDATED

WEATHER_NOUN, WEATHER_KIND = "weather", "hold"
TOPICS = (SHIFTS, BOOKINGS)


@dataclass(frozen=True, slots=True)
class Held:
    """The bookings that a hold has stopped; `action_id` is for Undo, '' if there were none."""

    action_id: str
    count: int


async def list_affected(by: Actor, sent: object) -> tuple[Unassigned, ...]:
    """Return what a hold would stop, by the fields of a `StormForm`. Raises InvalidForm."""
    by.require(Role.DISPATCHER)
    form = StormForm.parse(sent)
    storm = form.storm(clock.now())
    async with reading() as session:
        return _list_stopped(await read(session, form.day), storm)


def _list_stopped(day: Day, storm: Storm) -> tuple[Unassigned, ...]:
    on_routes = (
        Unassigned(stop.booking, stop.customer)
        for route in day.routes
        for stop in route.waiting
        if stop.booking
    )
    return tuple(each for each in (*on_routes, *day.unassigned) if storm.stops(each.booking))


async def begin_weather_hold(by: Actor, sent: object) -> Held:
    """Hold the bookings not begun whose windows overlap a time, and tell their customers.

    They leave their routes. Raises InvalidForm, by the fields of a `WeatherHoldForm`.
    """
    by.require(Role.DISPATCHER)
    form = WeatherHoldForm.parse(sent)
    storm = form.storm(clock.now())
    action = Action(WEATHER_NOUN, WEATHER_KIND, str(by))
    async with transaction() as session:
        # The day's shifts and then the bookings: their customers may have moved them.
        await queries.lock_day(session, form.day)
        stopped = _list_stopped(await read(session, form.day), storm)
        locked = await road.of_ids(session, [each.booking.id for each in stopped], lock=True)
        ids = [each.id for each in locked.values() if storm.stops(each)]
        held = await hold_bookings(session, by, ids, form.reason, WEATHER_MESSAGE)
        await _leave_routes(session, by, form.day, ids)
        changes = [Change(each.id, None, {"revision": each.revision}) for each in held]
        await audit.record(session, action, changes)
    await signals().publish(*TOPICS)
    return Held(action.id if held else "", len(held))


async def _leave_routes(session: AsyncSession, by: Actor, day: date, ids: Collection[str]) -> None:
    """Write a locked day's routes anew without these bookings, which are held."""
    now = await read(session, day)
    routes = {  # without what is held, which `rewrite` leaves out
        route.shift.id: as_stored(route)
        for route in now.routes
        if any(stop.id in ids for stop in route.stops)
    }
    if routes:
        await truck_routes.rewrite(session, by, WEATHER_KIND, now.revisions, routes)


async def lock_days(session: AsyncSession, days: Collection[date]) -> None:
    """Lock the shifts of some days, before their bookings are locked."""
    for day in sorted(days):
        await queries.lock_day(session, day)


async def hold_for_other_time(
    session: AsyncSession, by: Actor, bookings: Sequence[Booking], reason: str
) -> list[Booking]:
    """Hold locked bookings whose window closes, and let their customers choose another time.

    They leave their routes; the caller has locked those days before. Return what is held now.
    """
    held = await hold_bookings(session, by, [each.id for each in bookings], reason, CLOSED_MESSAGE)
    ids = {each.id for each in held}
    for day in sorted({each.day for each in held}):
        await _leave_routes(session, by, day, ids)
    return held


async def resume_held(by: Actor, day: object, booking_ids: object) -> int:
    """Book held bookings of a day again whose windows have room and are not over.

    Return how many.
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    sent = booking_ids if isinstance(booking_ids, list | tuple) else ()
    wanted = {well_formed_id(each) for each in sent}
    async with transaction() as session:
        held = [each.booking.id for each in (await read(session, chosen)).on_hold]
        ids = [booking_id for booking_id in held if booking_id in wanted]
        count = len(await resume_bookings(session, by, ids))
    await signals().publish(*TOPICS)
    return count


@audit.undoes(WEATHER_NOUN, WEATHER_KIND, topics=TOPICS)
async def undo_weather_hold(
    session: AsyncSession, entries: Sequence[AuditEntry]
) -> Collection[str]:
    """Book those bookings again that are still on this hold; a plan puts them on a route."""
    held = {each.subject_id: (each.after or {})["revision"] for each in entries}
    locked = await road.of_ids(session, held, lock=True)
    ids = [each.id for each in locked.values() if each.revision == held[each.id]]
    return {each.id for each in await resume_bookings(session, SYSTEM, ids)}


BREAKDOWN_KIND = "break_down"
BREAKDOWN_REASON = "Our truck has broken down."  # as customers read it
NO_OTHER_TRUCK = "No other truck is on shift."


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The outcome for the stops of a truck that has failed."""

    moved: tuple[tuple[RouteStop, str], ...]  # as they begin now, with the other truck's name
    unserved: tuple[Unassigned, ...]  # they fit nowhere, with the reason
    told: int = 0  # so many customers, if the dispatcher goes on
    action_id: str = ""  # for Undo, once it is confirmed


@dataclass(frozen=True, slots=True)
class _Failed:
    """A truck that has failed, on its day, with what the others can take."""

    day: Day
    route: TruckRoute
    stops: tuple[RouteStop, ...]  # that it will not do any more
    solved: Solved
    times: ServiceTimes
    notices: ArrivalNotices | None

    @property
    def wanted(self) -> truck_routes.Routes:
        """Return the routes that change; the technician ends the stop that is being fueled."""
        going = {stop.id for stop in self.stops}
        kept = [
            new
            for new, stop in zip(as_stored(self.route), self.route.stops, strict=True)
            if stop.is_started and stop.id not in going
        ]
        changed = {
            route.shift.id: stops
            for route in self.day.routes
            if (stops := self.solved.routes.get(route.shift.id)) is not None
            and not is_same(route, stops)
        }
        return {**changed, self.route.shift.id: kept}

    @property
    def outcome(self) -> Breakdown:
        trucks = {route.shift.id: route.shift.truck.name for route in self.day.routes}
        taken = {
            new.id: (new, trucks[shift_id])
            for shift_id, stops in self.solved.routes.items()
            for new in stops
        }
        known = (stop for route in self.day.routes for stop in route.waiting)
        unserved = {
            stop.id: Unassigned(stop.booking, stop.customer, self.solved.reasons[stop.id])
            for stop in (*self.stops, *known)
            if stop.booking and stop.id in self.solved.reasons
        }
        return Breakdown(
            moved=tuple(
                (replace(stop, begins_at=taken[stop.id][0].begins_at), taken[stop.id][1])
                for stop in self.stops
                if stop.id in taken
            ),
            unserved=tuple(unserved.values()),
            told=len(unserved) + self._count_moved(unserved),
        )

    def _count_moved(self, unserved: Collection[str]) -> int:
        """Return how many customers of the stops that stay on routes are told of their arrival."""
        if self.notices is None:
            return 0
        return self.notices.count(
            each
            for route in routes_after(self.day, self.wanted)
            for each in estimate_times(route, clock.now(), self.times)
            if each.stop.id not in unserved
        )


async def preview_breakdown(by: Actor, shift_id: object, seen: Mapping[str, int]) -> Breakdown:
    """Return what `confirm_breakdown` would do, and change nothing. It raises the same."""
    return (await _plan_others(by, shift_id, seen)).outcome


async def confirm_breakdown(
    by: Actor, shift_id: object, seen: Mapping[str, int], listed: object
) -> Breakdown:
    """Move the stops of a truck to the others; hold those that fit nowhere, and tell customers.

    Args:
        listed: The ids of the bookings that the dispatcher was shown as fitting nowhere. Any other
            one is left unassigned, and its customer is not told.

    Raises:
        ShiftGone, RouteChanged, DayOver, DayClosed, TooManyStops, NotPlanned
        StopStarted: If a technician has begun a stop meanwhile.
    """
    failed = await _plan_others(by, shift_id, seen)
    outcome = failed.outcome
    shown = listed if isinstance(listed, list | tuple) else ()
    ids = [each.booking.id for each in outcome.unserved if each.booking.id in shown]
    async with transaction() as session:
        await queries.lock_shifts(session, failed.day.revisions)
        await _revert_steps(session, by, failed)
        action_id = await truck_routes.rewrite(
            session,
            by,
            BREAKDOWN_KIND,
            failed.day.revisions,
            failed.wanted,
            timed_by=failed.solved.timed_by,
        )
        await queries.set_shift(session, failed.route.shift.id, {"broken_at": clock.now()})
        await queries.set_unserved(
            session, [(each.booking, each.reason) for each in outcome.unserved]
        )
        await hold_bookings(session, by, ids, BREAKDOWN_REASON, BREAKDOWN_MESSAGE)
    await signals().publish(*TOPICS)
    return replace(outcome, action_id=action_id)


async def mark_repaired(by: Actor, shift_id: object, seen: Mapping[str, int]) -> None:
    """Let a truck take stops again. Why others fitted nowhere without it is forgotten.

    Raises ShiftGone, RouteChanged.
    """
    by.require(Role.DISPATCHER)
    known = well_formed_id(shift_id) or ""
    async with transaction() as session:
        row = (await queries.lock_shifts(session, [known])).get(known)
        if row is None:
            raise ShiftGone
        if not isinstance(seen, Mapping) or seen.get(known) != row.revision:
            raise RouteChanged
        await queries.set_shift(session, known, {"broken_at": None})
        await queries.increment_revisions(session, [known])
        todays = await road.of_day(session, row.day)
        await queries.forget_unserved(session, [each.id for each in todays])
    await signals().publish(SHIFTS)


async def _plan_others(by: Actor, shift_id: object, seen: Mapping[str, int]) -> _Failed:
    """Plan the stops of a truck anew, in between those of the others."""
    by.require(Role.DISPATCHER)
    known = well_formed_id(shift_id) or ""
    async with reading() as session:
        date = await queries.day_of_shift(session, known)
        if date is None:
            raise ShiftGone
        day, times = await read(session, date), await service_times(session)
        notices = await arrivals.read_notices(session, day)
    check_day(day, clock.day_of(clock.now()), seen)
    route = find_route(day, known)
    stops = tuple(stop for stop in route.left if stop.booking and not stop.fueling_at)
    others = tuple(each for each in day.routes if each is not route and not each.shift.broken_at)
    if not others or not stops:
        reasons = {stop.id: NO_OTHER_TRUCK for stop in stops}
        return _Failed(day, route, stops, Solved({}, reasons), times, notices)
    solved = await solve(_build_plan(stops, others, times))
    return _Failed(day, route, stops, solved, times, notices)


def _build_plan(
    stops: Sequence[RouteStop], others: tuple[TruckRoute, ...], times: ServiceTimes
) -> DayPlan:
    """Return the plan. No stop of another truck is left out for one of the truck that failed."""
    own = [(stop, route) for route in others for stop in route.waiting if stop.booking]
    return DayPlan(
        routes=others,
        bookings=tuple(s.booking for s in (*(stop for stop, _ in own), *stops) if s.booking),
        pins={stop.id: route.shift.id for stop, route in own if stop.is_pinned},
        now=clock.now(),
        times=times,
        first=frozenset(stop.id for stop, _ in own),
    )


async def _revert_steps(session: AsyncSession, by: Actor, failed: _Failed) -> None:
    """Take a stop that the technician drives to, or is at, back to where it can be moved."""
    ids = [stop.id for route in failed.day.routes for stop in route.stops]
    await road.of_ids(session, ids, lock=True)
    begun = [
        (stop, stop.booking, stop.driving_at)
        for stop in failed.stops
        if stop.booking and stop.driving_at
    ]
    back = await road.take_step(session, by, [stop.id for stop, *_ in begun], "unpublish")
    if len(back) < len(begun):
        raise StopStarted
    for stop, booking, left_at in begun:
        await arrivals.forget_trip(session, booking, stop.row_id, left_at)
        await queries.set_stop(session, stop.row_id, {"driving_at": None, "arrived_at": None})


@audit.undoes(truck_routes.NOUN, BREAKDOWN_KIND, topics=TOPICS)
async def undo_breakdown(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Restore the routes before a truck failed, with what was held; it is repaired."""
    shift_ids = [each.subject_id for each in entries]
    await queries.lock_shifts(session, shift_ids)
    stops = [stop for each in entries for stop in (each.before or {})["stops"]]
    known = await road.of_ids(session, [each["booking"] for each in stops], lock=True)
    held = [each.id for each in known.values() if each.reason == BREAKDOWN_REASON]
    await resume_bookings(session, SYSTEM, held)
    await truck_routes.undo_change(session, entries)
    for shift_id in shift_ids:
        await queries.set_shift(session, shift_id, {"broken_at": None})
    return shift_ids


WEATHER_MESSAGE, BREAKDOWN_MESSAGE, CLOSED_MESSAGE = (  # the messages of a hold
    *("weather_hold", "cannot_come", "window_closed"),
)
WINDOWS_NAMED = 3  # of the free ones, to a customer whose window closes
WHAT_NEXT = {
    WEATHER_MESSAGE: "We come when it has passed. Or choose another time on your booking's page, "
    "free of charge.",
    BREAKDOWN_MESSAGE: "Please choose another time on your booking's page, free of charge.",
    CLOSED_MESSAGE: "Please choose another time, or cancel: both are free of charge.",
}


async def hold_bookings(
    session: AsyncSession, by: Actor, booking_ids: Collection[str], reason: str, kind: str
) -> list[Booking]:
    """Hold bookings that no technician has begun, and tell their customers. Return those held now.

    The customers read the reason, after a pause; `kind` is the message's, one of `WHAT_NEXT`.
    """
    held = await road.take_step(session, by, booking_ids, "hold", reason, reason=reason)
    more = {"reason": reason, "what_next": WHAT_NEXT[kind], LIVE: True}
    wanted = clock.now() + await arrivals.read_pause(session)
    for booking in held:
        await notifications.weather_hold_begun(session, booking, kind, wanted=wanted, **more)
    return held


@outbox.composer(WEATHER_MESSAGE)
@outbox.composer(BREAKDOWN_MESSAGE)
async def compose_hold(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Say that a booking has to wait, unless it does so no more. Its row is locked."""
    if LIVE not in row.payload:
        return {}
    booking_id = row.payload["booking"]
    booking = (await road.of_ids(session, [booking_id], lock=True)).get(booking_id)
    is_same = booking and booking.revision == row.payload["revision"]
    return {TOLD: "yes"} if is_same else Skip(OUTDATED)


@outbox.composer(CLOSED_MESSAGE)
async def compose_closed(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip | Shared:
    """Name the next free windows, unless another time was chosen meanwhile. Its row is locked."""
    values = await compose_hold(session, row)
    if not isinstance(values, Mapping) or not values:
        return values
    booking = (await road.of_ids(session, [row.payload["booking"]]))[row.payload["booking"]]
    free = await slots.list_free(session, booking, WINDOWS_NAMED)
    return {**values, "windows": "; ".join(free)}


async def resume_bookings(
    session: AsyncSession, by: Actor, booking_ids: Collection[str]
) -> list[Booking]:
    """Book held bookings again whose windows have room and are not over.

    The customers who know of the hold are told. A window may have been closed meanwhile.
    """
    locked = await road.of_ids(session, booking_ids, lock=True)
    now = clock.now()
    ahead = [e for e in locked.values() if e.state == WEATHER_HOLD and e.ends_at > now]
    fitting = [each.id for each in await slots.with_room(session, ahead)]
    resumed = await road.take_step(session, by, fitting, "resume", reason="")
    wanted = clock.now() + await arrivals.read_pause(session)
    for booking in resumed:
        untold = await _withdraw_hold(session, locked[booking.id])
        more = {"wanted": wanted, "good_until": booking.ends_at, LIVE: True}
        await notifications.weather_hold_ended(session, booking, untold, **more)
    return resumed


async def _withdraw_hold(session: AsyncSession, held: Booking) -> set[str]:
    """Skip what waits to tell of a hold. Return the channels on which it was not told."""
    once = f"{held.id}:{held.revision}"
    channels = {
        f"{kind}:{once}:{channel}": channel for kind in WHAT_NEXT for channel in outbox.CHANNELS
    }
    known = await outbox.payloads(session, channels)
    untold = [key for key, payload in known.items() if LIVE in payload and TOLD not in payload]
    await outbox.skip(session, untold, OUTDATED)
    return {channels[key] for key in untold}


@outbox.composer("on_again")
async def compose_on_again(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Promise that we come as booked, unless the day is on the road without the booking."""
    if LIVE not in row.payload:
        return {}
    bookings = await road.of_ids(session, [row.payload["booking"]])
    booking = bookings.get(row.payload["booking"])
    is_same = booking and booking.starts_at.isoformat() == row.payload["starts_at"]
    if booking is None or not is_same or booking.state not in (BOOKED, DISPATCHED):
        return Skip(OUTDATED)
    is_published = await queries.find_publication(session, booking.day) is not None
    return {"unplaced": "yes" if booking.state == BOOKED and is_published else ""}
