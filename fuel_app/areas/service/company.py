"""The company's areas: whether it is open, and where."""

from collections.abc import Collection
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas import queries
from fuel_app.areas.rules.areas import AreaRow
from fuel_app.areas.rules.hours import Hours
from fuel_app.kit.db.session import reading


async def is_open() -> bool:
    """Return whether the company has opened; until then customers' screens are a preview."""
    async with reading() as session:
        return await queries.has_opened(session)


async def stays_open(session: AsyncSession) -> bool:
    """Return whether the company has opened; it does not close before the caller's commit."""
    return await queries.has_opened(session, lock=True)


async def areas() -> list[AreaRow]:
    """Return every area by name, with its ZIPs."""
    async with reading() as session:
        return await queries.list_areas(session)


async def name_of_zip(zip_code: str) -> str:
    """Return the name of the area of a ZIP; '' outside of all."""
    async with reading() as session:
        return await queries.name_of_zip(session, zip_code)


async def serves(zip_code: str) -> bool:
    """Return whether a ZIP lies in an open area."""
    async with reading() as session:
        return await queries.open_area(session, zip_code) is not None


async def streets_allowed(zip_code: str) -> bool | None:
    """Return whether cars are filled in the streets of a ZIP; None outside every open area."""
    async with reading() as session:
        area = await queries.open_area(session, zip_code)
    return area.streets_allowed if area else None


async def area_of(session: AsyncSession, zip_code: str) -> str:
    """Return the id of the area of a ZIP, open or not; empty where there is none."""
    return await queries.area_of(session, zip_code) or ""


async def opened_at(session: AsyncSession, zip_code: str) -> datetime | None:
    """Return when the area of a ZIP was opened; None where there is none, or it was not."""
    return await queries.opened_at(session, zip_code)


async def tax_rates(session: AsyncSession, zips: Collection[str]) -> dict[str, int]:
    """Return the tax rates of ZIPs in basis points; those of no area are left out."""
    return await queries.tax_rates(session, zips)


async def open_hours(session: AsyncSession, since: date) -> list[tuple[str, str, Hours]]:
    """Return the open areas by name, each with its id and hours."""
    return await queries.hours_of_open(session, since)
