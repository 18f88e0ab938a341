"""Writing routes: the only way in which a stop gets onto a route, moves or leaves it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, ENDED, WEATHER_HOLD
from fuel_app.bookings.service import road
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.day import (
    DayClosed,
    NewStop,
    RouteChanged,
    ShiftGone,
    StopGone,
    StopStarted,
    has_left,
)
from fuel_app.dispatch.service import arrivals
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop
from fuel_app.kit import audit
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.signals import BOOKINGS, SHIFTS

NOUN = "route"
# What has changed a route. Each of them can be undone until the route changes again.
KINDS = ("plan", "move", "pin", "unassign", "assign", "refill")

Routes = Mapping[str, Sequence[NewStop]]  # by the shift


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
    were made are left out.

    Args:
        kind: One of `KINDS`, or another one that has an undo of its own.
        seen: The revision of each of these shifts on the screen.
        needed: The stop that it is about, if it is one.
        timed_by: The provider of the driving times of a plan; '' leaves that of the plan before.

    Returns:
        The id of the action, for Undo.

    Raises:
        ShiftGone, RouteChanged, DayClosed, StopStarted
        StopGone: If the stop that it is about has to be left out.
    """
    action = Action(NOUN, kind, str(by))
    shifts = await _lock(session, seen, wanted)
    before = await queries.stops_of(session, shifts.keys())
    changes = [  # before writing, which reads these rows anew
        Change(
            shift_id,
            {
                "stops": [_noted(row) for row in before if row.shift_id == shift_id],
                "timed_by": shift.timed_by,
            },
            {"revision": shift.revision + 1},
        )
        for shift_id, shift in shifts.items()
    ]
    await _write(session, by, shifts, before, wanted, needed)
    if timed_by:
        await queries.set_timed_by(session, shifts.keys(), timed_by)
    await audit.record(session, action, changes)
    return action.id


async def _lock(
    session: AsyncSession, seen: Mapping[str, int], wanted: Collection[str]
) -> dict[str, StoredShift]:
    shifts = await queries.lock_shifts(session, wanted)
    if len(shifts) < len(wanted):
        raise ShiftGone
    if any(shift.revision != seen.get(shift_id) for shift_id, shift in shifts.items()):
        raise RouteChanged
    return shifts


async def _write(
    session: AsyncSession,
    by: Actor,
    shifts: Mapping[str, StoredShift],
    before: Sequence[StoredStop],
    wanted: Routes,
    needed: str = "",
) -> None:
    day = next(iter(shifts.values())).day
    publication = await queries.published(session, day)
    if publication and publication.closed_at:
        raise DayClosed
    for shift_id, stops in wanted.items():
        _check_started([row for row in before if row.shift_id == shift_id], stops)
    known = {row.booking_id or row.id: row for row in before}
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
        _row(shift_id, place, stop, known.get(stop.id), bookings.get(stop.id), publication)
        for shift_id, stops in wanted.items()
        for place, stop in enumerate(_without(gone, stops), start=1)
    ]
    await queries.replace_stops(session, shifts.keys(), rows)
    await queries.count_up(session, shifts.keys())
    if publication:
        await _follow(session, by, known, ids - gone, bookings)
        await arrivals.follow(session, day)


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


def _row(
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
    if booking and publication and not kept.get("told_at"):
        # Nothing said so far but the window: an arrival beyond it is told.
        changed["told_at"] = min(stop.begins_at, booking.ends_at)
    return StoredStop(**kept | changed)


async def _follow(
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


def _noted(row: StoredStop) -> dict[str, Any]:
    return {
        "booking": row.booking_id or "",
        "row": row.id,
        "slot": row.slot_id,
        "leg_s": row.leg_s,
        "begins_at": row.begins_at.isoformat(),
        "is_pinned": row.is_pinned,
    }


@audit.undoes(NOUN, *KINDS, topics=(SHIFTS, BOOKINGS))
async def undo(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Restore the routes before an action; all of them, or none.

    Raises:
        RouteChanged: If one of them has changed again since.
    """
    seen = {each.subject_id: (each.after or {})["revision"] for each in entries}
    shifts = await _lock(session, seen, seen.keys())
    before = await queries.stops_of(session, shifts.keys())
    rows = {row.id for row in before}
    wanted = {each.subject_id: _restored((each.before or {})["stops"], rows) for each in entries}
    await _write(session, SYSTEM, shifts, before, wanted)
    for each in entries:
        timed_by = (each.before or {}).get("timed_by", "")  # entries of a former release have none
        await queries.set_timed_by(session, [each.subject_id], timed_by)
    return seen.keys()


def _restored(noted: Sequence[Mapping[str, Any]], rows: Collection[str]) -> list[NewStop]:
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
