"""Queries on fuel prices."""

from collections.abc import Iterable
from datetime import date, datetime

from sqlalchemy import func, select, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.rules.grades import GRADES
from fuel_app.areas.rules.prices import PriceForm, PriceRow, Proposal
from fuel_app.areas.tables import ProposedPrice, StoredPrice
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new

_HISTORY = 500  # rows of an area

_id, _area, _grade = col(StoredPrice.id), col(StoredPrice.area_id), col(StoredPrice.grade)
_effective, _created = col(StoredPrice.effective_at), col(StoredPrice.created_at)
_mills, _source = col(StoredPrice.mills), col(StoredPrice.source)
_ROW = (_id, _grade, _mills, _effective, _source, col(StoredPrice.set_by))
_NEWEST = (_effective.desc(), _created.desc(), _id.desc())
_WEEK = col(ProposedPrice.week)


async def in_effect(
    session: AsyncSession, area_id: str, at: datetime, *grades: str
) -> list[PriceRow]:
    """Return the price in effect at a moment of each grade that has one."""
    of_area = select(*_ROW).where(_area == area_id, _effective <= at).order_by(*_NEWEST).limit(1)
    each = (of_area.where(_grade == grade).subquery() for grade in grades or GRADES)
    found = await session.execute(union_all(*(select(one) for one in each)))
    return [PriceRow(*row) for row in found]


async def history(session: AsyncSession, area_id: str) -> list[PriceRow]:
    """Return the last prices of an area, those of later included, oldest first."""
    newest = select(*_ROW).where(_area == area_id).order_by(*_NEWEST).limit(_HISTORY)
    return [PriceRow(*row) for row in await session.execute(newest)][::-1]


async def revision(session: AsyncSession, area_id: str, grade: str) -> str:
    """Return the id of the price that was set last, of later ones, too; empty without any."""
    last = select(func.max(_id)).where(_area == area_id, _grade == grade)
    return await session.scalar(last) or ""


async def add(
    session: AsyncSession, area_id: str, grade: str, form: PriceForm, at: datetime, actor: str
) -> None:
    values = {"mills": form.price, "effective_at": at, "source": form.source, "set_by": actor}
    session.add(StoredPrice(area_id=area_id, grade=grade, **values))


async def proposals(session: AsyncSession) -> dict[str, Proposal]:
    """Return the newest proposal by grade."""
    found = await session.scalars(select(ProposedPrice).order_by(_WEEK.desc()).limit(_HISTORY))
    by_grade: dict[str, Proposal] = {}
    for row in found:
        by_grade.setdefault(row.grade, Proposal(row.grade, row.week, row.mills, row.source))
    return by_grade


async def is_proposed(session: AsyncSession, grade: str, week: date) -> bool:
    return await session.get(ProposedPrice, (grade, week)) is not None


async def propose(session: AsyncSession, found: Iterable[Proposal]) -> None:
    """Add the proposals that are new."""
    for each in found:
        row = {"grade": each.grade, "week": each.week, "mills": each.mills, "source": each.source}
        await session.execute(insert_new(session, ProposedPrice).values(**row, fetched_at=now()))
