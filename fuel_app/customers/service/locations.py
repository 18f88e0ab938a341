"""A customer's saved locations (addresses), and where they are on the map."""

from typing import Any, NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.rules.places import NEARBY_M, Located, great_circle_meters, parse_position
from fuel_app.areas.service import company
from fuel_app.areas.service import places as areas
from fuel_app.customers import queries
from fuel_app.customers.rules.locations import (
    MOST_PLACES,
    NOT_IN_STREETS,
    STREET,
    AddressGone,
    LocationForm,
    NotDelivered,
    OwnLocation,
    PinTooFar,
    TooManyLocations,
    UnknownZip,
)
from fuel_app.customers.tables import StoredAddress
from fuel_app.kit import jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.throttle import PINS, throttle

PIN_MOVED = "pin_moved"  # the job
_COLUMNS = {*OwnLocation.model_fields}


async def of_person(session: AsyncSession, person_id: str) -> tuple[OwnLocation, ...]:
    """Return a person's addresses: the default, then oldest first."""
    rows = await queries.rows_of(session, StoredAddress, person_id)
    return tuple(_location_of(row) for row in sorted(rows, key=lambda row: not row.is_default))


async def find_own(session: AsyncSession, person_id: str, place_id: object) -> OwnLocation | None:
    """Return one of a person's addresses; None for an id that is not theirs."""
    row = await queries.find_row(session, StoredAddress, person_id, place_id)
    return _location_of(row) if row else None


async def list_own(person_id: str) -> tuple[OwnLocation, ...]:
    """Return a person's addresses, in a transaction of its own."""
    async with reading() as session:
        return await of_person(session, person_id)


async def find(person_id: str, place_id: object) -> OwnLocation | None:
    """Return one of a person's addresses, in a transaction of its own."""
    async with reading() as session:
        return await find_own(session, person_id, place_id)


async def check(form: LocationForm) -> None:
    """Refuse a place that we do not fill at.

    Raises:
        NotDelivered: If its ZIP lies in no open area.
        InvalidForm: If it is a street, and the area allows none.
    """
    streets_allowed = await company.streets_allowed(form.zip_code)
    if streets_allowed is None:
        raise NotDelivered(form.zip_code)
    if form.spot == STREET and not streets_allowed:
        raise InvalidForm({"spot": NOT_IN_STREETS})


async def locate(form: LocationForm, *, by: str) -> Located:
    """Geocode a place, outside any transaction; the ZIP's centre if it is not found.

    Args:
        by: The person's id or a visitor's network address, for the rate limit.
    """
    found = await areas.locate(form.postal, form.zip_code, by=by)
    if found is None:
        raise UnknownZip
    return found


async def check_pin(zip_code: str, lat: object, lng: object) -> Located:
    """Return a pin that a browser has set.

    Raises:
        PinTooFar: If it lies too far from its ZIP, or is no position.
        UnknownZip
    """
    pin, centre = parse_position(lat, lng), await areas.centre(zip_code)
    if centre is None:
        raise UnknownZip
    if pin is None or great_circle_meters(pin, centre[:2]) > NEARBY_M:
        raise PinTooFar
    return Located(*pin, is_approximate=False)


async def save(
    person_id: str, form: LocationForm, place_id: str = "", pin: Located | None = None
) -> OwnLocation:
    """Save a place: a new one, or in place of the one with this id. Geocode it without a pin.

    Raises:
        Refusal: As `check`, `locate_own` and `store` do.
    """
    await check(form)
    located = pin or await locate_own(person_id, form, place_id)
    async with transaction() as session:
        return await store(session, person_id, form, located, place_id)


async def locate_own(
    person_id: str, form: LocationForm, place_id: str = "", *, by: str = ""
) -> Located:
    """Return where a place is, outside any transaction; at the same address its pin stays.

    Args:
        by: As of `locate`; by default the person.

    Raises:
        AddressGone: If the person has none with this id (any more).
        UnknownZip
    """
    former = await find(person_id, place_id)
    if place_id and former is None:
        raise AddressGone
    if former and former.postal == form.postal:
        return former.located
    return await locate(form, by=by or person_id)


async def store(
    session: AsyncSession, person_id: str, form: LocationForm, located: Located, place_id: str
) -> OwnLocation:
    """Store a located place, a new one or in place of the one with this id.

    Raises:
        AddressGone: If the person has none with this id (any more).
        TooManyLocations, AccountGone
    """
    values = form.model_dump(include={*LocationForm.model_fields}) | located._asdict()
    await queries.lock(session, person_id)
    if place_id:
        row = await _find_row(session, person_id, place_id)
        row.sqlmodel_update(values)
    else:
        row = await _add(session, person_id, values)
    await session.flush()
    return _location_of(row)


class OwnPin(NamedTuple):
    """A checked pin, and the ZIP code that it was checked against."""

    zip_code: str
    located: Located


async def set_pin(person_id: str, place_id: str, lat: object, lng: object) -> None:
    """Put a saved place where the car stands. A job carries that to what is booked there.

    Raises:
        PinTooFar, UnknownZip: As `check_pin` says.
        AddressGone: If the person has none with this id (any more), or it has another ZIP by now.
        TooManyRequests
    """
    await throttle().spend(PINS, person_id)
    pin = await check_own_pin(person_id, place_id, lat, lng)
    async with transaction() as session:
        await store_pin(session, person_id, place_id, pin)
        await jobs.enqueue(session, PIN_MOVED, {"person": person_id, "place": place_id})


async def check_own_pin(person_id: str, place_id: str, lat: object, lng: object) -> OwnPin:
    """Return where the car stands at a saved place. Raises as `set_pin` does."""
    async with reading() as session:
        zip_code = (await _find_row(session, person_id, place_id)).zip_code
    return OwnPin(zip_code, await check_pin(zip_code, lat, lng))


async def store_pin(session: AsyncSession, person_id: str, place_id: str, pin: OwnPin) -> None:
    """Store a checked pin. Raises AddressGone as `set_pin` does."""
    await queries.lock(session, person_id)
    row = await _find_row(session, person_id, place_id)
    if row.zip_code != pin.zip_code:
        raise AddressGone
    row.sqlmodel_update(pin.located._asdict())


async def make_default(person_id: str, place_id: object) -> None:
    """Make one of a person's places the default; ignore an id that is not theirs."""
    async with transaction() as session:
        await queries.find(session, person_id, lock=True)
        row = await queries.find_row(session, StoredAddress, person_id, place_id)
        if row is None:
            return
        await queries.clear_default_location(session, person_id)
        row.is_default = True


async def remove(person_id: str, place_id: object) -> OwnLocation | None:
    """Remove one of a person's places. Return it; None for an id that is not theirs.

    The oldest of the others becomes the default instead.
    """
    async with transaction() as session:
        return await remove_in(session, person_id, place_id)


async def remove_in(session: AsyncSession, person_id: str, place_id: object) -> OwnLocation | None:
    """Remove a place as `remove` does, in the caller's transaction."""
    await queries.find(session, person_id, lock=True)
    row = await queries.find_row(session, StoredAddress, person_id, place_id)
    if row is None:
        return None
    await session.delete(row)
    await session.flush()
    left = await queries.rows_of(session, StoredAddress, person_id)
    if row.is_default and left:
        left[0].is_default = True
    await session.flush()
    return _location_of(row)


async def restore(person_id: str, place: OwnLocation) -> None:
    """Undo a removal.

    Raises:
        TooManyLocations: If its room has been taken meanwhile.
        AccountGone
    """
    async with transaction() as session:
        await queries.lock(session, person_id)
        if await queries.find_row(session, StoredAddress, person_id, place.id):
            return
        if place.is_default:
            await queries.clear_default_location(session, person_id)
        await _add(session, person_id, place.model_dump())


async def _add(session: AsyncSession, person_id: str, values: dict[str, Any]) -> StoredAddress:
    others = await queries.rows_of(session, StoredAddress, person_id)
    if len(others) >= MOST_PLACES:
        raise TooManyLocations
    row = StoredAddress(person_id=person_id, **values)
    row.is_default |= not others
    session.add(row)
    return row


async def _find_row(session: AsyncSession, person_id: str, place_id: object) -> StoredAddress:
    row = await queries.find_row(session, StoredAddress, person_id, place_id)
    if row is None:
        raise AddressGone
    return row


def _location_of(row: StoredAddress) -> OwnLocation:
    return OwnLocation.model_construct(None, **row.model_dump(include=_COLUMNS))
