"""Trucks, which admins add, change and retire; and their shifts, as dispatchers plan them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.places import Located, Point
from fuel_app.areas.service import places
from fuel_app.bookings.service import road
from fuel_app.bookings.service.access import names_of
from fuel_app.dispatch import queries
from fuel_app.dispatch.queries import truck_of
from fuel_app.dispatch.rules import trucks as rules
from fuel_app.dispatch.rules.day import DayClosed, DayOver, RouteChanged, Shift, ShiftGone, Truck
from fuel_app.dispatch.rules.trucks import (
    Copied,
    DayShifts,
    NothingToCopy,
    OnShift,
    ShiftForm,
    ShiftStarted,
    TruckChanged,
    TruckForm,
    hours_text,
    planned_day,
)
from fuel_app.dispatch.service import route_news
from fuel_app.dispatch.service.days import routes_of, shift_of
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredTruck
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince, InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, SHIFTS, TRUCKS, signals

TRUCK_NOUN = "truck"
UNKNOWN_ZIP = "We cannot find this ZIP on the map"


async def list_trucks(by: Actor) -> list[Truck]:
    """Return every truck by name, the retired ones last."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        return [truck_of(row) for row in await queries.list_trucks(session)]


async def carried_on(session: AsyncSession, first: date, last: date) -> dict[date, int]:
    """Return the thousandths of a gallon that trucks on shift carry, by day: one statement."""
    carried: Counter[date] = Counter()
    for day, tanks in await queries.tanks_of_days(session, first, last):
        carried[day] += sum(tanks.values())
    return dict(carried)


async def loads_on(
    session: AsyncSession, first: date, last: date
) -> list[tuple[date, dict[str, int] | None]]:
    """Return what each refill of some days has loaded, by grade; None where it is not said."""
    return await queries.loads_of_days(session, first, last)


async def locate_home(by: Actor, form: TruckForm) -> Located:
    """Geocode a truck's home; the centre of its ZIP if it is not found. Raises InvalidForm."""
    by.require(Role.ADMIN)
    located = await places.locate(form.home, form.zip_code, by=str(by))
    if located is None:
        raise InvalidForm({"home": UNKNOWN_ZIP})
    rules.check_home(Point(located.lat, located.lng))
    return located


async def save_truck(
    by: Actor, truck_id: object, seen: object, form: TruckForm, home: Point
) -> None:
    """Add a truck, or change the one with this id as it was seen; '' is a new one.

    Raises:
        NotAllowed, TruckGone, TruckChanged
        InvalidForm: If another truck has the name, the home is too far, or the seal lies ahead.
    """
    by.require(Role.ADMIN)
    rules.check_home(home)
    rules.check_seal(form, clock.day_of(clock.now()))
    values: dict[str, Any] = form.model_dump(include=_TYPED)
    values |= {"tanks": form.tanks, "home_lat": home.lat, "home_lng": home.lng}
    async with transaction() as session:
        if truck_id == "":
            row, before = StoredTruck(**values), None
        else:
            row = await _lock_truck(session, truck_id, seen)
            before = _truck_values(row)
            row.sqlmodel_update(values | {"revision": row.revision + 1})
        await queries.store_truck(session, row)
        action = Action(TRUCK_NOUN, "change" if before else "create", str(by))
        await audit.record(session, action, [Change(row.id, before, _truck_values(row))])
    await signals().publish(TRUCKS)


_TYPED = {"name", "license_plate", "meter_number", "meter_sealed_on", "home"}


async def set_truck_active(by: Actor, truck_id: object, seen: object, *, is_active: bool) -> str:
    """Retire a truck, so that no shift can have it, or let a retired one drive again.

    Return the action's id, for Undo. Raises NotAllowed, TruckGone, TruckChanged; OnShift if it is
    to be retired, and on shift today or later.
    """
    by.require(Role.ADMIN)
    action = Action(TRUCK_NOUN, "bring_back" if is_active else "retire", str(by))
    async with transaction() as session:
        row = await _lock_truck(session, truck_id, seen)
        await _turn_truck(session, row, is_active=is_active)
        await audit.record(session, action, [Change(row.id, {}, {"revision": row.revision})])
    await signals().publish(TRUCKS)
    return action.id


async def _turn_truck(session: AsyncSession, row: StoredTruck, *, is_active: bool) -> None:
    today = clock.day_of(clock.now())
    if not is_active and (days := await queries.days_ahead_of_truck(session, row.id, today)):
        raise OnShift(days)
    row.is_active, row.revision = is_active, row.revision + 1
    await queries.store_truck(session, row)


@audit.undoes(TRUCK_NOUN, "retire", "bring_back", topics=(TRUCKS,))
async def _undo_truck(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    (entry,) = entries
    row = await queries.lock_truck(session, entry.subject_id)
    if row.revision != (entry.after or {})["revision"]:
        raise ChangedSince
    await _turn_truck(session, row, is_active=entry.kind == "retire")
    return {row.id}


async def _lock_truck(session: AsyncSession, truck_id: object, seen: object) -> StoredTruck:
    row = await queries.lock_truck(session, well_formed_id(truck_id) or "")
    if row.revision != seen:
        raise TruckChanged
    return row


def _truck_values(row: StoredTruck) -> dict[str, Any]:
    return row.model_dump(mode="json", exclude={"id", "created_at"})


SHIFT_NOUN = "shift"


async def read_shifts(by: Actor, day: date) -> DayShifts:
    """Return a day's shifts, by the truck's name, and what may be chosen for others."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        shifts = await _shifts_of_day(session, day)
        stops = await queries.stops_of(session, [shift.id for shift in shifts])
        places = [stop.shift_id for stop in stops]
        active = [row for row in await queries.list_trucks(session) if row.is_active]
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


async def list_routes_ahead(by: Actor, technician_id: object) -> list[RouteAhead]:
    """Return the shifts of a technician from today on, the next one first.

    Of today that one is left out whose hours are over and which has no stop to do.
    """
    by.require(Role.DISPATCHER)
    now = clock.now()
    async with reading() as session:
        shifts = await queries.shifts_ahead_of_technician(
            session, well_formed_id(technician_id) or "", _today()
        )
        if not shifts:
            return []
        routes_ahead, _ = await routes_of(session, [(shift, truck) for shift, truck, _ in shifts])
    ahead = []
    for route, (_, _, is_published) in zip(routes_ahead, shifts, strict=True):
        left = sum(stop.booking is not None for stop in route.left)
        if left or route.shift.ends_at > now:
            ahead.append(RouteAhead(route.shift, is_published, left))
    return ahead


async def save_shift(
    by: Actor, day: object, shift_id: object, seen: object, form: ShiftForm
) -> None:
    """Add a shift to a day, or change the one with this id as it was seen. Its route stays.

    Raises:
        NotAllowed, NoDay, DayOver, DayClosed, ShiftGone, RouteChanged
        InvalidForm: If the truck is retired, the technician is none (any more), one of them is on
            another shift that day, or the hours are wrong.
    """
    by.require(Role.DISPATCHER)
    planned = planned_day(day, _today())
    async with transaction() as session:
        row = None if shift_id == "" else await _lock_shift(session, shift_id, seen)
        if row and row.day != planned:
            raise ShiftGone
        before = _shift_values(row) if row else None
        publication = await _find_open_publication(session, planned)
        known = await queries.lock_trucks(session, [form.truck])
        people = await directory.technicians(session)
        row = await _write_shift(session, row, planned, form, known, people)
        former = (before or {}).get("technician_id")
        if publication and former != row.technician_id:
            stops = route_news.stop_ids(await queries.stops_of(session, [row.id]), row.id)
            await route_news.notify_technician(session, by, former, row, stops)
            await route_news.notify_technician(session, by, row.technician_id, row, ())
        action = Action(SHIFT_NOUN, "change" if before else "create", str(by))
        await audit.record(session, action, [Change(row.id, before, _shift_values(row))])
    await signals().publish(SHIFTS)


async def remove_shift(by: Actor, shift_id: object, seen: object) -> None:
    """Remove a shift. Its stops become unassigned; those of a published day are booked again.

    Raises NotAllowed, ShiftGone, RouteChanged, DayOver, DayClosed; ShiftStarted if it has begun.
    """
    by.require(Role.DISPATCHER)
    async with transaction() as session:
        row = await _lock_shift(session, shift_id, seen)
        if row.day < _today():
            raise DayOver
        publication = await _find_open_publication(session, row.day)
        stops = await queries.stops_of(session, [row.id])
        if any(stop.driving_at or stop.ended_at for stop in stops):
            raise ShiftStarted
        await queries.remove_shift(session, row.id)
        if publication:
            known = {row.id: route_news.stop_ids(stops, row.id)}
            await route_news.notify_technicians(session, by, [row], known)
            bookings = [stop.booking_id for stop in stops if stop.booking_id]
            await road.take_step(session, by, bookings, "unpublish")
        action = Action(SHIFT_NOUN, "remove", str(by))
        await audit.record(session, action, [Change(row.id, _shift_values(row))])
    await signals().publish(SHIFTS, BOOKINGS)


async def copy_shifts(by: Actor, day: object, from_day: date) -> Copied:
    """Copy the shifts of another day, with the same hours on New York's clocks.

    Shifts that are not possible on this day are left out. Raises NotAllowed, NoDay, DayOver,
    DayClosed, NothingToCopy.
    """
    by.require(Role.DISPATCHER)
    planned, changes, left_out = planned_day(day, _today()), [], []
    async with transaction() as session:
        await _find_open_publication(session, planned)
        shifts = await _shifts_of_day(session, from_day)
        if not shifts:
            raise NothingToCopy(from_day)
        known = await queries.lock_trucks(session, [shift.truck.id for shift in shifts])
        people = await directory.technicians(session)
        for shift in shifts:
            form = ShiftForm.again(shift)
            try:
                row = await _write_shift(session, None, planned, form, known, people)
            except InvalidForm as wrong:
                why = "; ".join(wrong.messages.values())
                left_out.append(f"{shift.truck.name} with {shift.technician}: {why}")
            else:
                changes.append(Change(row.id, None, _shift_values(row)))
        await audit.record(session, Action(SHIFT_NOUN, "copy", str(by)), changes)
    await signals().publish(SHIFTS)
    return Copied(len(changes), tuple(left_out))


async def _shifts_of_day(session: AsyncSession, day: date) -> list[Shift]:
    rows = await queries.shifts_of_day(session, day)
    names = await names_of(session, (), [shift.technician_id or "" for shift, _ in rows])
    return [shift_of(shift, truck, names) for shift, truck in rows]


async def _lock_shift(session: AsyncSession, shift_id: object, seen: object) -> StoredShift:
    wanted = well_formed_id(shift_id) or ""
    row = (await queries.lock_shifts(session, [wanted])).get(wanted)
    if row is None:
        raise ShiftGone
    if row.revision != seen:
        raise RouteChanged
    return row


async def _find_open_publication(session: AsyncSession, day: date) -> PublishedDay | None:
    """Return the publication of a day that is not closed."""
    publication = await queries.find_publication(session, day)
    if publication and publication.closed_at:
        raise DayClosed
    return publication


async def _write_shift(
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
    await queries.store_shift(session, row, values)
    return row


def _shift_values(row: StoredShift) -> dict[str, Any]:
    told = {"day", "truck_id", "technician_id", "starts_at", "ends_at", "revision"}
    return row.model_dump(mode="json", include=told)


def _today() -> date:
    return clock.day_of(clock.now())
