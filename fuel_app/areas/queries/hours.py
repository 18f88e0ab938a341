"""Queries on the hours of areas."""

from collections.abc import Collection
from dataclasses import asdict
from datetime import date

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.rules.hours import WEEKDAYS, BookableArea, DayException, Hours, Week, Window
from fuel_app.areas.tables import Area, AreaException, AreaWindow, AreaZip

_exception_area, _day = col(AreaException.area_id), col(AreaException.day)
_window_area, _weekday = col(AreaWindow.area_id), col(AreaWindow.weekday)
_opens = col(AreaWindow.opens)
_EXCEPTION = (
    *(_day, col(AreaException.opens)),
    *(col(AreaException.capacity), col(AreaException.reason)),
)


async def of_zips(
    session: AsyncSession, zip_codes: Collection[str], since: date, *, lock: bool
) -> dict[str, BookableArea]:
    """Return the areas of ZIPs; `lock` keeps them and the ZIPs as they are until the commit."""
    # Lock order: the area before its ZIPs, as a change of them does.
    joined = col(AreaZip.area_id) == col(Area.id)
    found = select(col(AreaZip.zip_code), Area).select_from(Area).join(AreaZip, joined)
    found = found.where(col(AreaZip.zip_code).in_(zip_codes)).order_by(col(AreaZip.zip_code))
    rows = (await session.execute(found.with_for_update(read=True) if lock else found)).all()
    areas = {area.id: area for _, area in rows}
    known = {each: await _with_hours(session, area, since) for each, area in areas.items()}
    return {zip_code: known[area.id] for zip_code, area in rows}


async def of_area(
    session: AsyncSession, area_id: str, since: date, *, lock: bool
) -> BookableArea | None:
    """Return an area; `lock` keeps it as it is until the commit."""
    there = select(Area).where(col(Area.id) == area_id)
    area = await session.scalar(there.with_for_update(read=True) if lock else there)
    return area and await _with_hours(session, area, since)


async def _with_hours(session: AsyncSession, area: Area, since: date) -> BookableArea:
    return BookableArea(
        id=area.id,
        name=area.name,
        status=area.status,
        grades=tuple(area.grades.split(",")),
        streets_allowed=area.streets_allowed,
        tax_basis_points=area.tax_basis_points,
        hours=await hours(session, area.id, since),
        opened_at=area.opened_at,
    )


async def hours(session: AsyncSession, area_id: str, since: date) -> Hours:
    """Return an area's week, and the days from `since` on that differ."""
    week: list[list[Window]] = [[] for _ in WEEKDAYS]
    windows = select(_weekday, _opens, col(AreaWindow.closes), col(AreaWindow.capacity))
    theirs = windows.where(_window_area == area_id).order_by(_weekday, _opens)
    for weekday, *window in await session.execute(theirs):
        week[weekday].append(Window(*window))
    ahead = select(*_EXCEPTION).where(_exception_area == area_id, _day >= since)
    rows = await session.execute(ahead.order_by(_day, col(AreaException.opens)))
    exceptions = tuple(DayException(*row) for row in rows)
    return Hours(tuple(map(tuple, week)), exceptions)


async def set_week(session: AsyncSession, area_id: str, week: Week) -> None:
    """Replace the windows of a locked area."""
    await session.execute(delete(AreaWindow).where(_window_area == area_id))
    session.add_all(
        AreaWindow(area_id=area_id, weekday=weekday, **asdict(window))
        for weekday, windows in enumerate(week)
        for window in windows
    )
    await session.flush()


async def set_exceptions(
    session: AsyncSession, area_id: str, since: date, exceptions: Collection[DayException]
) -> None:
    """Replace the days from `since` on that differ in a locked area."""
    ahead = delete(AreaException).where(_exception_area == area_id, _day >= since)
    await session.execute(ahead)
    session.add_all(AreaException(area_id=area_id, **asdict(each)) for each in exceptions)
    await session.flush()
