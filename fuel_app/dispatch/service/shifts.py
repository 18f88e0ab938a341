"""Dispatchers add shifts to a day, change, copy and remove them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.bookings.service import road
from fuel_app.dispatch.queries import routes, trucks
from fuel_app.dispatch.queries import technician as technicians
from fuel_app.dispatch.rules.day import DayClosed, DayOver, RouteChanged, Shift, ShiftGone
from fuel_app.dispatch.rules.shifts import (
    Copied,
    DayShifts,
    NothingToCopy,
    ShiftForm,
    ShiftStarted,
    hours_text,
    planned_day,
)
from fuel_app.dispatch.service.reading import names_of, routes_of, shift_of
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredTruck
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals

NOUN = "shift"


async def of_day(by: Actor, day: date) -> DayShifts:
    """Return a day's shifts, by the truck's name, and what may be chosen for others."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        shifts = await _shifts(session, day)
        stops = await routes.stops_of(session, [shift.id for shift in shifts])
        places = [stop.shift_id for stop in stops]
        active = [row for row in await trucks.listing(session) if row.is_active]
        return DayShifts(
            shifts=tuple((shift, places.count(shift.id)) for shift in shifts),
            trucks={row.id: row.name for row in active},
            technicians=await directory.technicians(session),
        )


@dataclass(frozen=True, slots=True)
class RouteAhead:
    """A shift that is not over, with the stops that are still to be done."""

    shift: Shift
    is_published: bool
    stops_left: int

    @property
    def hours(self) -> str:
        return hours_text(self.shift)


async def ahead(by: Actor, technician_id: object) -> list[RouteAhead]:
    """Return the shifts of a technician from today on, the next one first.

    Of today that one is left out whose hours are over and which has no stop to do.

    Raises:
        NotAllowed
    """
    by.require(Role.DISPATCHER)
    now = clock.now()
    async with reading() as session:
        known = await technicians.shifts_ahead(
            session, well_formed_id(technician_id) or "", _today()
        )
        if not known:
            return []
        routes_ahead = await routes_of(session, [(shift, truck) for shift, truck, _ in known])
    found = []
    for route, (_, _, is_published) in zip(routes_ahead, known, strict=True):
        left = sum(stop.booking is not None for stop in route.left)
        if left or route.shift.ends_at > now:
            found.append(RouteAhead(route.shift, is_published, left))
    return found


async def save(by: Actor, day: object, shift_id: object, seen: object, form: ShiftForm) -> None:
    """Add a shift to a day, or change the one with this id. Its route stays.

    Args:
        day: A date, or its text.
        shift_id: '' for a new one.
        seen: The revision on the screen.

    Raises:
        NotAllowed, NoDay, DayOver, DayClosed
        ShiftGone, RouteChanged
        InvalidForm: If the truck is retired, the technician is none (any more), one of them is on
            another shift that day, or the hours are wrong.
    """
    by.require(Role.DISPATCHER)
    planned = planned_day(day, _today())
    async with transaction() as session:
        row = None if shift_id == "" else await _lock(session, shift_id, seen)
        if row and row.day != planned:
            raise ShiftGone
        before = _noted(row) if row else None
        await _publication(session, planned)
        known = await trucks.locked(session, [form.truck])
        people = await directory.technicians(session)
        row = await _write(session, row, planned, form, known, people)
        kind = "change" if before else "create"
        await _record(session, by, kind, [Change(row.id, before, _noted(row))])
    await signals().publish(SHIFTS)


async def remove(by: Actor, shift_id: object, seen: object) -> None:
    """Remove a shift. Its stops become unassigned; those of a published day are booked again.

    Raises:
        NotAllowed, ShiftGone, RouteChanged, DayOver, DayClosed
        ShiftStarted: If its route has begun.
    """
    by.require(Role.DISPATCHER)
    async with transaction() as session:
        row = await _lock(session, shift_id, seen)
        if row.day < _today():
            raise DayOver
        publication = await _publication(session, row.day)
        stops = await routes.stops_of(session, [row.id])
        if any(stop.driving_at or stop.ended_at for stop in stops):
            raise ShiftStarted
        await routes.remove_shift(session, row.id)
        if publication:
            bookings = [stop.booking_id for stop in stops if stop.booking_id]
            await road.take_step(session, by, bookings, "unpublish")
        await _record(session, by, "remove", [Change(row.id, _noted(row))])
    await signals().publish(SHIFTS, BOOKINGS)


async def copy(by: Actor, day: object, from_day: date) -> Copied:
    """Copy the shifts of another day, with the same hours on New York's clocks.

    Shifts that are not possible on this day are left out.

    Args:
        day: A date, or its text.

    Raises:
        NotAllowed, NoDay, DayOver, DayClosed
        NothingToCopy: If the other day has no shifts.
    """
    by.require(Role.DISPATCHER)
    planned, changes, left_out = planned_day(day, _today()), [], []
    async with transaction() as session:
        await _publication(session, planned)
        shifts = await _shifts(session, from_day)
        if not shifts:
            raise NothingToCopy(from_day)
        known = await trucks.locked(session, [shift.truck.id for shift in shifts])
        people = await directory.technicians(session)
        for shift in shifts:
            form = ShiftForm.again(shift)
            try:
                row = await _write(session, None, planned, form, known, people)
            except InvalidForm as wrong:
                why = "; ".join(wrong.messages.values())
                left_out.append(f"{shift.truck.name} with {shift.technician}: {why}")
            else:
                changes.append(Change(row.id, None, _noted(row)))
        await _record(session, by, "copy", changes)
    await signals().publish(SHIFTS)
    return Copied(len(changes), tuple(left_out))


async def _shifts(session: AsyncSession, day: date) -> list[Shift]:
    rows = await routes.shifts_of_day(session, day)
    names = await names_of(session, (), [shift.technician_id or "" for shift, _ in rows])
    return [shift_of(shift, truck, names) for shift, truck in rows]


async def _lock(session: AsyncSession, shift_id: object, seen: object) -> StoredShift:
    wanted = well_formed_id(shift_id) or ""
    row = (await routes.lock_shifts(session, [wanted])).get(wanted)
    if row is None:
        raise ShiftGone
    if row.revision != seen:
        raise RouteChanged
    return row


async def _publication(session: AsyncSession, day: date) -> PublishedDay | None:
    """Return the publication of a day that is not closed."""
    found = await routes.published(session, day)
    if found and found.closed_at:
        raise DayClosed
    return found


async def _write(
    session: AsyncSession,
    row: StoredShift | None,
    day: date,
    form: ShiftForm,
    known: Mapping[str, StoredTruck],
    people: Mapping[str, str],
) -> StoredShift:
    """Write a new shift, or change a locked one; a refusal changes nothing."""
    wrong = {}
    if form.truck not in known or not known[form.truck].is_active:
        wrong["truck"] = "This truck is retired"
    if form.technician not in people:
        wrong["technician"] = "This technician has left the team"
    if wrong:
        raise InvalidForm(wrong)
    starts_at, ends_at = form.on(day)
    values: dict[str, Any] = {"day": day, "starts_at": starts_at, "ends_at": ends_at}
    values |= {"truck_id": form.truck, "technician_id": form.technician}
    if row is None:
        row = StoredShift(**values)
    else:
        values["revision"] = row.revision + 1
        if row.truck_id != form.truck:  # the other one is not broken
            values["broken_at"] = None
    await routes.store_shift(session, row, values)
    return row


async def _record(session: AsyncSession, by: Actor, kind: str, changes: list[Change]) -> None:
    await audit.record(session, Action(NOUN, kind, str(by)), changes)


def _noted(row: StoredShift) -> dict[str, Any]:
    told = {"day", "truck_id", "technician_id", "starts_at", "ends_at", "revision"}
    return row.model_dump(mode="json", include=told)


def _today() -> date:
    return clock.day_of(clock.now())
