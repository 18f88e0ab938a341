"""Admins add trucks, change and retire them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.places import Located, Point
from fuel_app.areas.service import places
from fuel_app.dispatch.queries import trucks as queries
from fuel_app.dispatch.queries.routes import truck_of
from fuel_app.dispatch.rules import trucks as rules
from fuel_app.dispatch.rules.day import Truck
from fuel_app.dispatch.rules.trucks import OnShift, TruckChanged, TruckForm
from fuel_app.dispatch.tables import StoredTruck
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince, InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import TRUCKS, signals

NOUN = "truck"
UNKNOWN_ZIP = "We cannot find this ZIP on the map"


async def listing(by: Actor) -> list[Truck]:
    """Return every truck by name, the retired ones last."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        return [truck_of(row) for row in await queries.listing(session)]


async def locate(by: Actor, form: TruckForm) -> Located:
    """Geocode a truck's home; the centre of its ZIP if it is not found.

    Raises:
        NotAllowed
        InvalidForm: If its ZIP is unknown, or far from where we drive.
    """
    by.require(Role.ADMIN)
    found = await places.locate(form.home, form.zip_code, by=str(by))
    if found is None:
        raise InvalidForm({"home": UNKNOWN_ZIP})
    rules.check_home(Point(found.lat, found.lng))
    return found


async def save(by: Actor, truck_id: object, seen: object, form: TruckForm, home: Point) -> None:
    """Add a truck, or change the one with this id.

    Args:
        truck_id: '' for a new one.
        seen: The revision on the screen.
        home: Where its home is.

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
            row = await _locked(session, truck_id, seen)
            before = _noted(row)
            row.sqlmodel_update(values | {"revision": row.revision + 1})
        await queries.store(session, row)
        kind = "change" if before else "create"
        await _record(session, by, kind, Change(row.id, before, _noted(row)))
    await signals().publish(TRUCKS)


_TYPED = {"name", "license_plate", "meter_number", "meter_sealed_on", "home"}


async def set_active(by: Actor, truck_id: object, seen: object, *, is_active: bool) -> str:
    """Retire a truck, so that no shift can have it, or let a retired one drive again.

    Returns:
        The id of the action, for Undo.

    Raises:
        NotAllowed, TruckGone, TruckChanged
        OnShift: If it is to be retired, and on shift today or later.
    """
    by.require(Role.ADMIN)
    kind = "bring_back" if is_active else "retire"
    async with transaction() as session:
        row = await _locked(session, truck_id, seen)
        await _turn(session, row, is_active=is_active)
        action_id = await _record(session, by, kind, Change(row.id, {}, {"revision": row.revision}))
    await signals().publish(TRUCKS)
    return action_id


async def _turn(session: AsyncSession, row: StoredTruck, *, is_active: bool) -> None:
    today = clock.day_of(clock.now())
    if not is_active and (days := await queries.days_ahead(session, row.id, today)):
        raise OnShift(days)
    row.is_active, row.revision = is_active, row.revision + 1
    await queries.store(session, row)


@audit.undoes(NOUN, "retire", "bring_back", topics=(TRUCKS,))
async def _undo(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    (entry,) = entries
    row = await queries.lock(session, entry.subject_id)
    if row.revision != (entry.after or {})["revision"]:
        raise ChangedSince
    await _turn(session, row, is_active=entry.kind == "retire")
    return {row.id}


async def _locked(session: AsyncSession, truck_id: object, seen: object) -> StoredTruck:
    row = await queries.lock(session, well_formed_id(truck_id) or "")
    if row.revision != seen:
        raise TruckChanged
    return row


async def _record(session: AsyncSession, by: Actor, kind: str, change: Change) -> str:
    action = Action(NOUN, kind, str(by))
    await audit.record(session, action, [change])
    return action.id


def _noted(row: StoredTruck) -> dict[str, Any]:
    return row.model_dump(mode="json", exclude={"id", "created_at"})
