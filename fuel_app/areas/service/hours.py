"""Hours of areas: what bookings may count on, and their change by admins."""

from collections.abc import Collection
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas import queries
from fuel_app.areas import queries as area_queries
from fuel_app.areas.rules.areas import AreaChanged, AreaGone
from fuel_app.areas.rules.hours import BookableArea, Hours
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id


async def bookable(session: AsyncSession, zip_code: str) -> BookableArea | None:
    """Return the area of a ZIP with its hours from today on; None if no area has the ZIP."""
    return (await bookable_areas(session, [zip_code])).get(zip_code)


async def bookable_areas(
    session: AsyncSession, zip_codes: Collection[str], *, lock: bool = False
) -> dict[str, BookableArea]:
    """Return the areas of ZIPs with their hours from today on, by ZIP.

    A `lock` keeps status, hours, and ZIPs until the transaction ends, shared with others.
    """
    return await queries.bookable_of_zips(session, zip_codes, _today(), lock=lock)


async def bookable_by_id(
    session: AsyncSession, area_id: str, *, lock: bool = False
) -> BookableArea | None:
    """Return an area with its hours from today on; `lock` as in `bookable_areas`."""
    return await queries.bookable_of_area(session, area_id, _today(), lock=lock)


async def read(area_id: object, *, actor: Actor) -> BookableArea:
    """Return an area as admins see it."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        area = await bookable_by_id(session, well_formed_id(area_id) or "")
    if area is None:
        raise AreaGone
    return area


async def change(
    session: AsyncSession, area_id: object, seen: Hours, wanted: Hours, *, actor: Actor
) -> str:
    """Lock an area and change its hours, as seen on the screen, from today on. Return its id.

    What becomes of bookings is the caller's, in the same transaction.

    Raises:
        AreaGone: If there is no such area (any more).
        AreaChanged: If its hours have been changed since.
    """
    actor.require(Role.ADMIN)
    area = await area_queries.lock_area(session, well_formed_id(area_id) or "")
    today = _today()
    if await queries.hours_of(session, area.id, today) != seen:
        raise AreaChanged
    if seen.windows_by_weekday != wanted.windows_by_weekday:
        await queries.set_week(session, area.id, wanted.windows_by_weekday)
    if seen.exceptions != wanted.exceptions:
        await queries.set_exceptions(session, area.id, today, wanted.exceptions)
    action = Action("area", "hours", str(actor))
    entry = Change(area.id, seen.differing(wanted), wanted.differing(seen))
    await audit.record(session, action, [entry])
    return area.id


def _today() -> date:
    return clock.day_of(clock.now())
