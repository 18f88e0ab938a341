"""A truck that fails: its stops go to the others in one step."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.bookings.service import road
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.changing import as_stored, check_day, find_route, is_same
from fuel_app.dispatch.rules.day import (
    Day,
    RouteChanged,
    RouteStop,
    ShiftGone,
    StopStarted,
    TruckRoute,
    Unassigned,
)
from fuel_app.dispatch.rules.day_plan import DayPlan
from fuel_app.dispatch.rules.timing import ServiceTimes
from fuel_app.dispatch.service import holding, routes
from fuel_app.dispatch.service.figures import service_times
from fuel_app.dispatch.service.planning import Solved, solve
from fuel_app.dispatch.service.reading import read
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals

KIND = "break_down"
REASON = "Our truck has broken down."  # as customers read it
NO_OTHER = "No other truck is on shift."
TOPICS = (SHIFTS, BOOKINGS)


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The outcome for the stops of a truck that has failed."""

    moved: tuple[tuple[RouteStop, str], ...]  # as they begin now, with the other truck's name
    unserved: tuple[Unassigned, ...]  # they fit nowhere, with the reason
    action_id: str = ""  # for Undo, once it is confirmed


@dataclass(frozen=True, slots=True)
class _Failed:
    """A truck that has failed, on its day, with what the others can take."""

    day: Day
    route: TruckRoute
    stops: tuple[RouteStop, ...]  # that it will not do any more
    solved: Solved

    @property
    def wanted(self) -> routes.Routes:
        """Return the routes that change; the technician ends the stop that is being fueled."""
        given = {stop.id for stop in self.stops}
        kept = [
            new
            for new, stop in zip(as_stored(self.route), self.route.stops, strict=True)
            if stop.is_started and stop.id not in given
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
        )


async def preview(by: Actor, shift_id: object, seen: Mapping[str, int]) -> Breakdown:
    """Return what `confirm` would do, and change nothing. It raises the same."""
    return (await _plan(by, shift_id, seen)).outcome


async def confirm(by: Actor, shift_id: object, seen: Mapping[str, int], told: object) -> Breakdown:
    """Move the stops of a truck to the others; hold those that fit nowhere, and tell customers.

    Args:
        shift_id: Sent by a browser.
        seen: The revisions of the day's routes on the screen.
        told: The ids of the bookings that the dispatcher was shown as fitting nowhere. Any other
            one is left unassigned, and its customer is not told.

    Raises:
        ShiftGone, RouteChanged, DayOver, DayClosed, TooManyStops, NotPlanned
        StopStarted: If a technician has begun a stop meanwhile.
    """
    failed = await _plan(by, shift_id, seen)
    outcome = failed.outcome
    shown = told if isinstance(told, list | tuple) else ()
    ids = [each.booking.id for each in outcome.unserved if each.booking.id in shown]
    async with transaction() as session:
        await queries.lock_shifts(session, failed.day.revisions)
        await _step_back(session, by, failed)
        action_id = await routes.rewrite(
            session,
            by,
            KIND,
            failed.day.revisions,
            failed.wanted,
            timed_by=failed.solved.timed_by,
        )
        await queries.set_shift(session, failed.route.shift.id, {"broken_at": clock.now()})
        await queries.set_unserved(
            session, [(each.booking, each.reason) for each in outcome.unserved]
        )
        await holding.hold(session, by, ids, REASON, holding.BREAKDOWN)
    await signals().publish(*TOPICS)
    return replace(outcome, action_id=action_id)


async def repaired(by: Actor, shift_id: object, seen: Mapping[str, int]) -> None:
    """Let a truck take stops again. Why others fitted nowhere without it is forgotten.

    Raises:
        ShiftGone, RouteChanged
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
        await queries.count_up(session, [known])
        todays = await road.of_day(session, row.day)
        await queries.forget_unserved(session, [each.id for each in todays])
    await signals().publish(SHIFTS)


async def _plan(by: Actor, shift_id: object, seen: Mapping[str, int]) -> _Failed:
    """Plan the stops of a truck anew, in between those of the others."""
    by.require(Role.DISPATCHER)
    known = well_formed_id(shift_id) or ""
    async with reading() as session:
        date = await queries.day_of_shift(session, known)
        if date is None:
            raise ShiftGone
        day, times = await read(session, date), await service_times(session)
    check_day(day, clock.day_of(clock.now()), seen)
    route = find_route(day, known)
    stops = tuple(stop for stop in route.left if stop.booking and not stop.fueling_at)
    others = tuple(each for each in day.routes if each is not route and not each.shift.broken_at)
    if not others or not stops:
        reasons = {stop.id: NO_OTHER for stop in stops}
        return _Failed(day, route, stops, Solved({}, reasons))
    return _Failed(day, route, stops, await solve(_asked(stops, others, times)))


def _asked(
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


async def _step_back(session: AsyncSession, by: Actor, failed: _Failed) -> None:
    """Take a stop that the technician drives to, or is at, back to where it can be moved."""
    ids = [stop.id for route in failed.day.routes for stop in route.stops]
    await road.of_ids(session, ids, lock=True)
    begun = [stop for stop in failed.stops if stop.driving_at]
    back = await road.take_step(session, by, [stop.id for stop in begun], "unpublish")
    if len(back) < len(begun):
        raise StopStarted
    for stop in begun:
        await queries.set_stop(session, stop.row_id, {"driving_at": None, "arrived_at": None})


@audit.undoes(routes.NOUN, KIND, topics=TOPICS)
async def undo(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Restore the routes before a truck failed, with the bookings that were held; it is repaired.

    Raises:
        RouteChanged: If one of them has changed again since.
    """
    shift_ids = [each.subject_id for each in entries]
    await queries.lock_shifts(session, shift_ids)
    stops = [stop for each in entries for stop in (each.before or {})["stops"]]
    known = await road.of_ids(session, [each["booking"] for each in stops], lock=True)
    held = [each.id for each in known.values() if each.reason == REASON]
    await holding.resume(session, SYSTEM, held)
    await routes.undo(session, entries)
    for shift_id in shift_ids:
        await queries.set_shift(session, shift_id, {"broken_at": None})
    return shift_ids
