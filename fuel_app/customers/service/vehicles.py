"""A customer's vehicles; and photos of them: scaled down, upright, without metadata."""

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import BytesIO
from itertools import product, starmap
from typing import Any

from PIL import Image, ImageOps
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers import queries
from fuel_app.customers.rules.vehicles import (
    PHOTO_KEPT_MAX,
    PIXELS_MAX,
    NoPhoto,
    OwnVehicle,
    VehicleGone,
    as_address,
    check_room,
    room_of,
)
from fuel_app.customers.tables import StoredVehicle
from fuel_app.kit.db.session import transaction
from fuel_app.kit.throttle import PHOTOS, throttle
from fuel_app.plans.rules.plans import Plan
from fuel_app.plans.service import subscriptions

_COLUMNS = {*OwnVehicle.model_fields} & {*StoredVehicle.model_fields}


async def of_person(session: AsyncSession, person_id: str) -> tuple[OwnVehicle, ...]:
    """Return a person's vehicles, oldest first."""
    rows = await queries.rows_of(session, StoredVehicle, person_id)
    return tuple(_vehicle(row) for row in rows)


async def find(session: AsyncSession, person_id: str, vehicle_id: object) -> OwnVehicle | None:
    """Return one of a person's vehicles."""
    row = await queries.find_row(session, StoredVehicle, person_id, vehicle_id)
    return _vehicle(row) if row else None


async def find_all(
    session: AsyncSession, wanted: Collection[tuple[str, object]]
) -> dict[tuple[str, object], OwnVehicle]:
    """Return vehicles by person and id; ids that are not that person's are left out."""
    rows = await queries.find_rows(session, StoredVehicle, wanted)
    return {pair: _vehicle(row) for pair, row in rows.items()}


async def save(person_id: str, vehicle: OwnVehicle) -> str:
    """Save a vehicle: a new one, or in place of the one with its id. Return the id.

    Raises:
        PlanIsFull: If the plan covers no more vehicles.
        VehicleGone: If the person has none with its id (any more).
        AccountGone
    """
    async with transaction() as session:
        return await store(session, person_id, vehicle)


async def store(session: AsyncSession, person_id: str, vehicle: OwnVehicle) -> str:
    """Save a vehicle as `save` does, in the caller's transaction."""
    await queries.lock(session, person_id)
    if not vehicle.id:
        return await _add(session, person_id, vehicle)
    row = await queries.find_row(session, StoredVehicle, person_id, vehicle.id)
    if row is None:
        raise VehicleGone
    row.sqlmodel_update(_values(vehicle))
    return row.id


async def remove(person_id: str, vehicle_id: object) -> None:
    """Remove one of a person's vehicles; ignore an id that is not theirs."""
    async with transaction() as session:
        await remove_in(session, person_id, vehicle_id)


async def remove_in(session: AsyncSession, person_id: str, vehicle_id: object) -> OwnVehicle | None:
    """Remove a vehicle in the caller's transaction. Return it; None for an id not theirs."""
    row = await queries.find_row(session, StoredVehicle, person_id, vehicle_id)
    if row is None:
        return None
    await session.delete(row)
    return _vehicle(row)


async def restore(person_id: str, vehicle: OwnVehicle) -> None:
    """Undo a removal; its id keeps its place among the others.

    Raises:
        PlanIsFull: If its room has been taken meanwhile.
        AccountGone
    """
    async with transaction() as session:
        await queries.lock(session, person_id)
        if not await queries.find_row(session, StoredVehicle, person_id, vehicle.id):
            await _add(session, person_id, vehicle)


async def use_instead(person_id: str, vehicle_id: object) -> None:
    """Take a vehicle into the plan; where that is full, the next one after it in the list leaves.

    Raises:
        VehicleGone: If the person has none with its id (any more).
    """
    async with transaction() as session:
        await queries.lock(session, person_id)
        rows = await queries.rows_of(session, StoredVehicle, person_id)
        place = next((n for n, row in enumerate(rows) if row.id == vehicle_id), None)
        if place is None:
            raise VehicleGone
        rows = rows[place:] + rows[:place]  # the last in the list is followed by the first
        active = [row for row in rows[1:] if row.is_active]
        room = room_of(await _plan(session, person_id))
        for other in active[: len(active) + 1 - room]:
            other.is_active = False
        rows[0].is_active = True


async def fit_plan(session: AsyncSession, person_id: str, booked: Collection[str | None]) -> None:
    """Keep as many vehicles active as a plan that has changed covers.

    Args:
        session: Of the transaction that has changed the plan.
        booked: The vehicles with open bookings, which stay first, then those active, the oldest.
    """
    rows = await queries.rows_of(session, StoredVehicle, person_id)
    rows.sort(key=lambda row: (row.id not in booked, not row.is_active))
    room = room_of(await _plan(session, person_id))
    for number, row in enumerate(rows):
        row.is_active = number < room


async def _plan(session: AsyncSession, person_id: str) -> Plan | None:
    """Return the plan that was chosen, and keep it until the commit."""
    subscription = await subscriptions.subscription_of(session, person_id, lock=True)
    return subscription.plan if subscription else None


async def _add(session: AsyncSession, person_id: str, vehicle: OwnVehicle) -> str:
    rows = await queries.rows_of(session, StoredVehicle, person_id)
    check_room(sum(row.is_active for row in rows), await _plan(session, person_id))
    row = StoredVehicle(person_id=person_id, **_values(vehicle))
    session.add(row)
    await session.flush()
    return row.id


def _vehicle(row: StoredVehicle) -> OwnVehicle:
    values: dict[str, Any] = {"other_make": "", "other_model": ""}
    return OwnVehicle.model_construct(None, **values | row.model_dump(include=_COLUMNS))


def _values(vehicle: OwnVehicle) -> dict[str, Any]:
    given = _COLUMNS - {"is_active"}
    return vehicle.model_dump(include=given if vehicle.id else given - {"id"})


_READABLE = ("JPEG", "PNG", "WEBP")
_SIDES = (960, 720, 480, 240)  # pixels, the longer side; pure noise of 240 still fits
_QUALITIES = (80, 65, 50)
_WHITE = "#FFFFFF"
# Decoding a large photo takes 200 MB, so one at a time.
_photo_pool = ThreadPoolExecutor(1, thread_name_prefix="photos")


async def limit_photos(address: str) -> None:
    """Apply the rate limit of a network address, 60 photos in an hour, before one is read."""
    await throttle().spend(PHOTOS, address)


async def convert_photo(file: bytes) -> str:
    """Return a photo as a `data:` address of at most `PHOTO_KEPT_MAX` characters.

    Raises:
        NoPhoto: If it is no photo, or exceeds `PIXELS_MAX`.
    """
    return await asyncio.get_running_loop().run_in_executor(_photo_pool, _convert, file)


def _convert(file: bytes) -> str:
    """Return the largest, best version that is short enough to keep."""
    prints = starmap(partial(_encode, _open_upright(file)), product(_SIDES, _QUALITIES))
    return next(address for address in prints if len(address) <= PHOTO_KEPT_MAX)


def _encode(picture: Image.Image, side: int, quality: int) -> str:
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    small = BytesIO()
    picture.save(small, "WEBP", quality=quality)
    return as_address(small.getvalue())


def _open_upright(file: bytes) -> Image.Image:
    """Decode the pixels and apply the camera's orientation."""
    try:
        with Image.open(BytesIO(file), formats=_READABLE) as source:
            if source.width * source.height > PIXELS_MAX:
                raise NoPhoto
            source.draft("RGB", (2 * _SIDES[0], 2 * _SIDES[0]))  # a JPEG is read no larger
            upright = ImageOps.exif_transpose(source)
            upright.thumbnail((_SIDES[0], _SIDES[0]), Image.Resampling.LANCZOS)
            return _on_white(upright)
    except NoPhoto:
        raise
    except Exception as error:  # a broken file can fail its decoder in any way
        raise NoPhoto from error


def _on_white(picture: Image.Image) -> Image.Image:
    """Replace transparency by white and drop metadata."""
    layer = picture.convert("RGBA")
    paper = Image.new("RGB", layer.size, _WHITE)
    paper.paste(layer, mask=layer)
    return paper
