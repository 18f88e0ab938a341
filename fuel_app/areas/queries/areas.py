"""Queries on service areas."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import delete, exists, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.rules.areas import (
    NAME_TAKEN,
    OPEN,
    WAITLIST,
    AreaForm,
    AreaGone,
    AreaRow,
    taken_zips,
)
from fuel_app.areas.tables import Area, AreaZip
from fuel_app.kit.clock import now
from fuel_app.kit.db.constraints import is_unique_violation
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.errors import InvalidForm

_id, _name, _status = col(Area.id), col(Area.name), col(Area.status)
_zip, _area = col(AreaZip.zip_code), col(AreaZip.area_id)


async def has_opened(session: AsyncSession) -> bool:
    """Return whether an area has been opened; a paused one counts."""
    return bool(await session.scalar(select(exists().where(_status != WAITLIST))))


async def lock_opened(session: AsyncSession) -> bool:
    """Return whether an area has been opened; none closes until the transaction ends."""
    opened = select(_id).where(_status != WAITLIST).order_by(_id).with_for_update(read=True)
    return bool((await session.scalars(opened)).all())


async def open_area(session: AsyncSession, zip_code: str) -> Area | None:
    """Return the open area of a ZIP."""
    in_it = select(Area).join(AreaZip, _area == _id)
    return await session.scalar(in_it.where(_zip == zip_code, _status == OPEN))


async def tax_rates(session: AsyncSession, zips: Collection[str]) -> dict[str, int]:
    """Return the tax rates of ZIPs in basis points; those of no area are left out."""
    rates = select(_zip, col(Area.tax_basis_points)).join(Area, _area == _id)
    rows = await session.execute(rates.where(_zip.in_(zips)))
    return {zip_code: rate for zip_code, rate in rows}


async def listing(session: AsyncSession) -> list[AreaRow]:
    """Return every area by name, with its ZIPs in order."""
    zips = defaultdict(list)
    for area_id, zip_code in await session.execute(select(_area, _zip).order_by(_zip)):
        zips[area_id].append(zip_code)
    areas = await session.scalars(select(Area).order_by(func.lower(_name), _id))
    return [_row(area, zips[area.id]) for area in areas]


async def locked(session: AsyncSession, area_id: str) -> AreaRow:
    """Lock an area until the transaction ends.

    Raises:
        AreaGone: If there is no such area (any more).
    """
    area = await session.scalar(select(Area).where(_id == area_id).with_for_update())
    if area is None:
        raise AreaGone
    zips = await session.scalars(select(_zip).where(_area == area_id).order_by(_zip))
    return _row(area, zips)


def _row(area: Area, zips: Iterable[str]) -> AreaRow:
    return AreaRow(
        id=area.id,
        name=area.name,
        status=area.status,
        zips=tuple(zips),
        opened_at=area.opened_at,
        grades=tuple(area.grades.split(",")),
        tax=area.tax_basis_points,
        streets=area.streets_allowed,
    )


async def add(session: AsyncSession, form: AreaForm) -> str:
    """Add an area that is not open, and return its id.

    Raises:
        InvalidForm: If another area has the name or one of the ZIPs.
    """
    area = Area(name=form.name, status=WAITLIST)
    _fill(area, form)
    session.add(area)
    await _flush(session)
    await _add_zips(session, area.id, form.zips)
    return area.id


async def rewrite(session: AsyncSession, area_id: str, form: AreaForm) -> None:
    """Give a locked area the values of a form.

    Raises:
        InvalidForm: If another area has the name or one of the ZIPs.
    """
    area = await session.get_one(Area, area_id)
    _fill(area, form)
    await _flush(session)
    await session.execute(delete(AreaZip).where(_area == area_id, _zip.not_in(form.zips)))
    await _add_zips(session, area_id, form.zips)


async def remove(session: AsyncSession, area_id: str) -> None:
    await session.execute(delete(Area).where(_id == area_id))


async def step(session: AsyncSession, area_id: str, before: Collection[str], after: str) -> bool:
    """Change an area's status, if it is one of those before. Return whether it was."""
    values: dict[str, Any] = {"status": after}
    if after == OPEN:
        values["opened_at"] = func.coalesce(col(Area.opened_at), now())
    there = update(Area).where(_id == area_id, _status.in_(before)).values(values)
    return await session.scalar(there.returning(_id)) is not None


def _fill(area: Area, form: AreaForm) -> None:
    area.name, area.grades = form.name, ",".join(form.grades)
    area.tax_basis_points, area.streets_allowed = form.tax, form.streets


async def _flush(session: AsyncSession) -> None:
    try:
        await session.flush()
    except IntegrityError as error:
        if is_unique_violation(error):
            raise InvalidForm({"name": NAME_TAKEN}) from None
        raise


async def _add_zips(session: AsyncSession, area_id: str, zips: Collection[str]) -> None:
    """Add the ZIPs that the area does not have; those of other areas are named."""
    rows = [{"zip_code": zip_code, "area_id": area_id} for zip_code in zips]
    await session.execute(insert_new(session, AreaZip).values(rows))
    others = select(_zip, _name).join(Area, _id == _area).where(_zip.in_(zips), _area != area_id)
    taken = defaultdict(list)
    for zip_code, name in await session.execute(others.order_by(_zip)):
        taken[name].append(zip_code)
    if taken:
        raise InvalidForm({"zips": taken_zips(taken)})
