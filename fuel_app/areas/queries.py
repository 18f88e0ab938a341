"""Queries on service areas, their hours and their fuel prices."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from sqlalchemy import delete, func, select, union_all, update
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
from fuel_app.areas.rules.hours import WEEKDAYS, BookableArea, DayException, Hours, Week, Window
from fuel_app.areas.rules.prices import GRADES, PriceRow, Proposal
from fuel_app.areas.tables import (
    Area,
    AreaException,
    AreaWindow,
    AreaZip,
    ProposedPrice,
    StoredPrice,
)
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new, is_unique_violation
from fuel_app.kit.errors import InvalidForm

_id, _name, _status = col(Area.id), col(Area.name), col(Area.status)
_zip, _area_of = col(AreaZip.zip_code), col(AreaZip.area_id)


async def has_opened(session: AsyncSession, *, lock: bool = False) -> bool:
    """Return whether an area has been opened; a paused one counts.

    With a `lock` none closes until the transaction ends.
    """
    opened = select(_id).where(_status != WAITLIST).order_by(_id)
    rows = await session.scalars(opened.with_for_update(read=True) if lock else opened)
    return bool(rows.all())


async def area_of(session: AsyncSession, zip_code: str) -> str | None:
    return await session.scalar(select(_area_of).where(_zip == zip_code))


async def opened_at(session: AsyncSession, zip_code: str) -> datetime | None:
    """Return when the area of a ZIP was opened."""
    opened = select(col(Area.opened_at)).join(AreaZip, _area_of == _id)
    return await session.scalar(opened.where(_zip == zip_code))


async def open_area(session: AsyncSession, zip_code: str) -> Area | None:
    """Return the open area of a ZIP."""
    in_it = select(Area).join(AreaZip, _area_of == _id)
    return await session.scalar(in_it.where(_zip == zip_code, _status == OPEN))


async def name_of_zip(session: AsyncSession, zip_code: str) -> str:
    """Return the name of the area of a ZIP, whatever its status; '' outside of all."""
    in_it = select(_name).join(AreaZip, _area_of == _id).where(_zip == zip_code)
    return await session.scalar(in_it) or ""


async def tax_rates(session: AsyncSession, zips: Collection[str]) -> dict[str, int]:
    """Return the tax rates of ZIPs in basis points; those of no area are left out."""
    rates = select(_zip, col(Area.tax_basis_points)).join(Area, _area_of == _id)
    rows = await session.execute(rates.where(_zip.in_(zips)))
    return {zip_code: rate for zip_code, rate in rows}


async def list_areas(session: AsyncSession) -> list[AreaRow]:
    """Return every area by name, with its ZIPs in order."""
    zips = defaultdict(list)
    for area_id, zip_code in await session.execute(select(_area_of, _zip).order_by(_zip)):
        zips[area_id].append(zip_code)
    areas = await session.scalars(select(Area).order_by(func.lower(_name), _id))
    return [_area_row(area, zips[area.id]) for area in areas]


async def lock_area(session: AsyncSession, area_id: str) -> AreaRow:
    """Lock an area until the transaction ends.

    Raises:
        AreaGone: If there is no such area (any more).
    """
    area = await session.scalar(select(Area).where(_id == area_id).with_for_update())
    if area is None:
        raise AreaGone
    zips = await session.scalars(select(_zip).where(_area_of == area_id).order_by(_zip))
    return _area_row(area, zips)


def _area_row(area: Area, zips: Iterable[str]) -> AreaRow:
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


async def write(session: AsyncSession, area: Area, form: AreaForm) -> None:
    """Give a new or locked area the values of a form.

    Raises:
        InvalidForm: If another area has the name or one of the ZIPs.
    """
    area.name, area.grades = form.name, ",".join(form.grades)
    area.tax_basis_points, area.streets_allowed = form.tax, form.streets
    session.add(area)
    try:
        await session.flush()
    except IntegrityError as error:
        if is_unique_violation(error):
            raise InvalidForm({"name": NAME_TAKEN}) from None
        raise
    await session.execute(delete(AreaZip).where(_area_of == area.id, _zip.not_in(form.zips)))
    rows = [{"zip_code": zip_code, "area_id": area.id} for zip_code in form.zips]
    await session.execute(insert_new(session, AreaZip).values(rows))
    others = select(_zip, _name).join(Area, _id == _area_of)
    others = others.where(_zip.in_(form.zips), _area_of != area.id).order_by(_zip)
    taken = defaultdict(list)
    for zip_code, name in await session.execute(others):
        taken[name].append(zip_code)
    if taken:
        raise InvalidForm({"zips": taken_zips(taken)})


async def remove_area(session: AsyncSession, area_id: str) -> None:
    await session.execute(delete(Area).where(_id == area_id))


async def step_status(
    session: AsyncSession, area_id: str, before: Collection[str], after: str
) -> bool:
    """Change an area's status, if it is one of those before. Return whether it was."""
    values: dict[str, Any] = {"status": after}
    if after == OPEN:
        values["opened_at"] = func.coalesce(col(Area.opened_at), now())
    step = update(Area).where(_id == area_id, _status.in_(before)).values(values)
    return await session.scalar(step.returning(_id)) is not None


_exception_area, _day = col(AreaException.area_id), col(AreaException.day)
_window_area, _weekday = col(AreaWindow.area_id), col(AreaWindow.weekday)
_opens = col(AreaWindow.opens)


async def bookable_of_zips(
    session: AsyncSession, zip_codes: Collection[str], since: date, *, lock: bool
) -> dict[str, BookableArea]:
    """Return the areas of ZIPs; `lock` keeps them and the ZIPs as they are until the commit."""
    # Lock order: the area before its ZIPs, as a change of them does.
    matching = select(_zip, Area).select_from(Area).join(AreaZip, _area_of == _id)
    matching = matching.where(_zip.in_(zip_codes)).order_by(_zip)
    rows = (await session.execute(matching.with_for_update(read=True) if lock else matching)).all()
    areas = {area.id: area for _, area in rows}
    bookable = {each: await _with_hours(session, area, since) for each, area in areas.items()}
    return {zip_code: bookable[area.id] for zip_code, area in rows}


async def bookable_of_area(
    session: AsyncSession, area_id: str, since: date, *, lock: bool
) -> BookableArea | None:
    """Return an area; `lock` keeps it as it is until the commit."""
    this = select(Area).where(_id == area_id)
    area = await session.scalar(this.with_for_update(read=True) if lock else this)
    return area and await _with_hours(session, area, since)


async def _with_hours(session: AsyncSession, area: Area, since: date) -> BookableArea:
    return BookableArea(
        id=area.id,
        name=area.name,
        status=area.status,
        grades=tuple(area.grades.split(",")),
        streets_allowed=area.streets_allowed,
        tax_basis_points=area.tax_basis_points,
        hours=await hours_of(session, area.id, since),
        opened_at=area.opened_at,
    )


async def hours_of(session: AsyncSession, area_id: str, since: date) -> Hours:
    """Return an area's week, and the days from `since` on that differ."""
    return (await _hours_of_areas(session, [area_id], since))[area_id]


async def _hours_of_areas(
    session: AsyncSession, ids: Sequence[str], since: date
) -> dict[str, Hours]:
    """Return the hours of areas by their ids: two statements."""
    weeks: dict[str, list[list[Window]]] = {each: [[] for _ in WEEKDAYS] for each in ids}
    windows = select(AreaWindow).where(_window_area.in_(ids)).order_by(_weekday, _opens)
    for row in await session.scalars(windows):
        weeks[row.area_id][row.weekday].append(Window(row.opens, row.closes, row.capacity))
    differ: dict[str, list[DayException]] = {each: [] for each in ids}
    ahead = select(AreaException).where(_exception_area.in_(ids), _day >= since)
    for row in await session.scalars(ahead.order_by(_day, col(AreaException.opens))):
        differ[row.area_id].append(DayException(row.day, row.opens, row.capacity, row.reason))
    return {each: Hours(tuple(map(tuple, weeks[each])), tuple(differ[each])) for each in ids}


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


_HISTORY = 500  # rows of an area

_price_id, _price_area = col(StoredPrice.id), col(StoredPrice.area_id)
_grade, _effective = col(StoredPrice.grade), col(StoredPrice.effective_at)
_PRICE = select(
    _price_id,
    _grade,
    col(StoredPrice.mills),
    _effective,
    col(StoredPrice.source),
    col(StoredPrice.set_by),
    col(StoredPrice.cost_mills),
).order_by(_effective.desc(), col(StoredPrice.created_at).desc(), _price_id.desc())  # newest first


async def prices_in_effect(
    session: AsyncSession, area_id: str, at: datetime, *grades: str
) -> list[PriceRow]:
    """Return the price in effect at a moment of each grade that has one."""
    newest = _PRICE.where(_price_area == area_id, _effective <= at).limit(1)
    each = (newest.where(_grade == grade).subquery() for grade in grades or GRADES)
    rows = await session.execute(union_all(*(select(one) for one in each)))
    return [PriceRow(*row) for row in rows]


async def newest_prices(session: AsyncSession, at: datetime) -> dict[tuple[str, str], datetime]:
    """Return since when each area's price of each grade is in effect, by both: an index scan."""
    newest = select(_price_area, _grade, func.max(_effective)).where(_effective <= at)
    rows = await session.execute(newest.group_by(_price_area, _grade))
    return {(area_id, grade): since for area_id, grade, since in rows}


async def costs_at(session: AsyncSession, at: datetime) -> dict[tuple[str, str], int]:
    """Return what a gallon costs the company, in mills, by area and grade; unknown ones are not in.

    The newest cost that was said until a moment.
    """
    cost = col(StoredPrice.cost_mills)
    said = (_effective <= at, cost.is_not(None))
    newest = select(_price_area, _grade, func.max(_effective)).where(*said)
    last = newest.group_by(_price_area, _grade).subquery().c
    same = (_price_area == last[0], _grade == last[1], _effective == last[2])
    rows = await session.execute(
        select(_price_area, _grade, cost).where(*same, *said).order_by(col(StoredPrice.created_at))
    )
    return {(area_id, grade): mills or 0 for area_id, grade, mills in rows}


async def hours_of_open(session: AsyncSession, since: date) -> list[tuple[str, str, Hours]]:
    """Return the open areas by name, each with its id and hours."""
    rows = await session.execute(select(_id, _name).where(_status == OPEN).order_by(_name, _id))
    names = {area_id: name for area_id, name in rows}
    hours = await _hours_of_areas(session, [*names], since)
    return [(area_id, name, hours[area_id]) for area_id, name in names.items()]


async def grades_of_open(session: AsyncSession) -> list[tuple[str, str, list[str]]]:
    """Return the open areas by name, each with its id and the grades on offer."""
    rows = await session.execute(
        select(_id, _name, col(Area.grades)).where(_status == OPEN).order_by(_name, _id)
    )
    return [(area_id, name, grades.split(",")) for area_id, name, grades in rows]


async def price_in_zip(
    session: AsyncSession, zip_code: str, grade: str, at: datetime
) -> PriceRow | None:
    """Return the price of a grade in effect at a moment where a ZIP lies in an open area."""
    open_area = _PRICE.join(AreaZip, _area_of == _price_area).join(Area, _id == _price_area)
    served = open_area.where(_zip == zip_code, _status == OPEN)
    row = (await session.execute(served.where(_grade == grade, _effective <= at).limit(1))).first()
    return PriceRow(*row) if row else None


async def price_history(session: AsyncSession, area_id: str) -> list[PriceRow]:
    """Return the last prices of an area, those of later included, oldest first."""
    newest = _PRICE.where(_price_area == area_id).limit(_HISTORY)
    return [PriceRow(*row) for row in await session.execute(newest)][::-1]


async def price_revision(session: AsyncSession, area_id: str, grade: str) -> str:
    """Return the id of the price that was set last, of later ones, too; empty without any."""
    statement = select(func.max(_price_id)).where(_price_area == area_id, _grade == grade)
    return await session.scalar(statement) or ""


async def proposals(session: AsyncSession) -> dict[str, Proposal]:
    """Return the newest proposal by grade."""
    statement = select(ProposedPrice).order_by(col(ProposedPrice.week).desc()).limit(_HISTORY)
    by_grade: dict[str, Proposal] = {}
    for row in await session.scalars(statement):
        by_grade.setdefault(row.grade, Proposal(row.grade, row.week, row.mills, row.source))
    return by_grade


async def is_proposed(session: AsyncSession, grade: str, week: date) -> bool:
    return await session.get(ProposedPrice, (grade, week)) is not None


async def propose(session: AsyncSession, proposals: Iterable[Proposal]) -> None:
    """Add the proposals that are new."""
    for each in proposals:
        new = insert_new(session, ProposedPrice).values(**asdict(each), fetched_at=now())
        await session.execute(new)
