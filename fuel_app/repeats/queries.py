"""Queries on series, their cars and visits."""

from collections.abc import Collection
from datetime import date

from sqlalchemy import and_, delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.bookings.rules.authorizations import UNPAID_REASONS
from fuel_app.bookings.rules.states import CANCELLED, COMPLETED, FAILED, SYSTEM
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit.db.session import find_row, insert_new
from fuel_app.repeats.rules import ACTIVE, ENDED
from fuel_app.repeats.tables import SeriesCar, SeriesVisit, StoredSeries

_person, _state = col(StoredSeries.person_id), col(StoredSeries.state)


async def find(session: AsyncSession, series_id: str, *, lock: bool = False) -> StoredSeries | None:
    """Return a series that has not ended."""
    row = await find_row(session, StoredSeries, series_id, lock=lock)
    return row if row and row.state != ENDED else None


async def list_open(session: AsyncSession, person_id: str) -> list[StoredSeries]:
    """Return a person's series that have not ended, the oldest first."""
    own = select(StoredSeries).where(_person == person_id, _state != ENDED)
    return list(await session.scalars(own.order_by(col(StoredSeries.id))))


async def list_all(session: AsyncSession, person_id: str) -> list[StoredSeries]:
    own = select(StoredSeries).where(_person == person_id)
    return list(await session.scalars(own.order_by(col(StoredSeries.id))))


async def active_ids(session: AsyncSession) -> list[str]:
    statement = select(col(StoredSeries.id)).where(_state == ACTIVE)
    return list(await session.scalars(statement))


async def cars(session: AsyncSession, series_id: str) -> list[str]:
    """Return the ids of a series' vehicles."""
    own = select(col(SeriesCar.vehicle_id)).where(col(SeriesCar.series_id) == series_id)
    return list(await session.scalars(own.order_by(col(SeriesCar.vehicle_id))))


async def visits(session: AsyncSession, series_id: str) -> list[str]:
    """Return the ids of a series' bookings, the latest date first."""
    own = select(col(SeriesVisit.booking_id)).where(col(SeriesVisit.series_id) == series_id)
    return list(await session.scalars(own.order_by(col(SeriesVisit.day).desc())))


async def series_with(session: AsyncSession, vehicles: Collection[str]) -> SeriesCar | None:
    """Return one of these cars that is in a series, with that."""
    return await session.scalar(select(SeriesCar).where(col(SeriesCar.vehicle_id).in_(vehicles)))


async def series_of(session: AsyncSession, booking_id: str) -> str | None:
    """Return the series of a booking."""
    own = select(col(SeriesVisit.series_id)).where(col(SeriesVisit.booking_id) == booking_id)
    return await session.scalar(own)


async def add_visit(session: AsyncSession, series_id: str, booking_id: str, day: date) -> None:
    """Note a booking of a series; one that is known stays."""
    row = {"series_id": series_id, "booking_id": booking_id, "day": day}
    await session.execute(insert_new(session, SeriesVisit), row)


async def count_declines(session: AsyncSession, series_id: str, most: int) -> int:
    """Return how many of the last visits that have come to their end were not paid for.

    Those that the customer or staff have cancelled say nothing of the card.
    """
    unpaid = and_(
        col(StoredBooking.state) == CANCELLED,
        col(StoredBooking.ended_by) == SYSTEM,
        col(StoredBooking.reason).in_(UNPAID_REASONS),
    )
    ended = (
        select(col(StoredBooking.state))
        .join(SeriesVisit, col(SeriesVisit.booking_id) == col(StoredBooking.id))
        .where(
            col(SeriesVisit.series_id) == series_id,
            or_(col(StoredBooking.state).in_((COMPLETED, FAILED)), unpaid),
        )
        .order_by(col(SeriesVisit.day).desc())
        .limit(most)
    )
    return sum(state == CANCELLED for state in await session.scalars(ended))


async def clear(session: AsyncSession, series_id: str) -> None:
    """Free the cars and bookings of a series that has ended."""
    for table in (SeriesCar, SeriesVisit):
        await session.execute(delete(table).where(col(table.series_id) == series_id))


async def erase_person(session: AsyncSession, person_id: str) -> None:
    await session.execute(delete(StoredSeries).where(_person == person_id))
