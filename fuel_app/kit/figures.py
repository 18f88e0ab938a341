"""Business figures: numbers that the staff change on /settings/business.

A package registers the figures that it uses; a change takes effect for what is made after it.
"""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import Field, SQLModel, col

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import UtcTime


class StoredFigure(SQLModel, table=True):
    """A figure that differs from its default."""

    __tablename__ = "figures"

    name: str = Field(primary_key=True, max_length=40)
    value: int
    changed_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its default and range, in whole units such as cents or days."""

    name: str
    label: str
    unit: str  # 'cents', 'days', 'minutes', ...
    default: int
    least: int
    most: int


FIGURES: dict[str, Figure] = {}


def figure(name: str, label: str, *, unit: str, default: int, least: int, most: int) -> Figure:
    """Register a figure."""
    FIGURES[name] = made = Figure(name, label, unit, default, least, most)
    return made


async def values(session: AsyncSession) -> dict[str, int]:
    """Return every figure's value by name."""
    stored = await session.execute(select(col(StoredFigure.name), col(StoredFigure.value)))
    return {name: each.default for name, each in FIGURES.items()} | dict(stored.tuples().all())


async def value(session: AsyncSession, asked: Figure) -> int:
    """Return one figure's value."""
    found = select(col(StoredFigure.value)).where(col(StoredFigure.name) == asked.name)
    stored = await session.scalar(found)
    return asked.default if stored is None else stored
