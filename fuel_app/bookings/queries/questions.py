"""Queries on questions about fills, and on fills with the same ticket."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.bookings.rules.questions import KEPT, TICKET
from fuel_app.bookings.tables import FillQuestion, StoredBooking

_id, _number = col(FillQuestion.id), col(FillQuestion.number)
_kind, _booking = col(FillQuestion.kind), col(FillQuestion.booking_id)
_is_open = col(FillQuestion.answer) == ""
_FRESH: dict[str, Any] = {"execution_options": {"populate_existing": True}}


async def add(session: AsyncSession, row: FillQuestion) -> None:
    """Store a new question."""
    session.add(row)
    await session.flush()


async def find(session: AsyncSession, question_id: str) -> FillQuestion | None:
    return await session.scalar(select(FillQuestion).where(_id == question_id), **_FRESH)


async def open_of(session: AsyncSession, booking_id: str, kind: str) -> list[FillQuestion]:
    """Lock and return the unanswered questions of a kind about a booking."""
    theirs = select(FillQuestion).where(_booking == booking_id, _kind == kind, _is_open)
    return list(await session.scalars(theirs.order_by(_number).with_for_update(), **_FRESH))


async def open_about(session: AsyncSession, key: str) -> list[FillQuestion]:
    """Return the unanswered questions about a ticket of a meter."""
    theirs = select(FillQuestion).where(
        col(FillQuestion.ticket_key) == key, _kind == TICKET, _is_open
    )
    return list(await session.scalars(theirs.order_by(_number), **_FRESH))


async def kept_of(
    session: AsyncSession, booking_ids: Collection[str], person_id: str
) -> list[FillQuestion]:
    """Return what a technician has pumped beside these bookings, the oldest first."""
    theirs = select(FillQuestion).where(
        _booking.in_(booking_ids), _kind == KEPT, col(FillQuestion.person_id) == person_id
    )
    return list(await session.scalars(theirs.order_by(_number), **_FRESH))


async def count_kept_by(session: AsyncSession, person_id: str) -> int:
    """Count the unanswered ones of what a technician has pumped beside bookings."""
    counted = select(func.count()).select_from(FillQuestion)
    theirs = counted.where(_is_open, _kind == KEPT, col(FillQuestion.person_id) == person_id)
    return await session.scalar(theirs) or 0


async def of_bookings(session: AsyncSession, booking_ids: Collection[str]) -> list[FillQuestion]:
    """Return all questions about these bookings, the oldest first."""
    theirs = select(FillQuestion).where(_booking.in_(booking_ids))
    return list(await session.scalars(theirs.order_by(_number), **_FRESH))


async def unanswered(session: AsyncSession, most: int) -> list[FillQuestion]:
    """Return the oldest unanswered questions."""
    theirs = select(FillQuestion).where(_is_open).order_by(_number)
    return list(await session.scalars(theirs.limit(most)))


async def count_unanswered(session: AsyncSession) -> int:
    counted = select(func.count()).select_from(FillQuestion).where(_is_open)
    return await session.scalar(counted) or 0


async def answer(
    session: AsyncSession, question_id: str, answered: str, by: str, at: datetime, reason: str
) -> bool:
    """Answer a question. Return False if it was answered before."""
    values = {"answer": answered, "answered_by": by, "answered_at": at, "reason": reason}
    theirs = update(FillQuestion).where(_id == question_id, _is_open).values(values)
    done = theirs.returning(_id).execution_options(synchronize_session=False)
    return await session.scalar(done) is not None


async def erase_reasons(session: AsyncSession, booking_ids: Collection[str]) -> None:
    """Empty what staff wrote in their answers."""
    theirs = update(FillQuestion).where(_booking.in_(booking_ids)).values(reason="")
    await session.execute(theirs.execution_options(synchronize_session=False))


async def with_tickets(session: AsyncSession, keys: Collection[str]) -> list[tuple[str, str]]:
    """Return the fills with these tickets of a meter, kept ones too: ticket and booking."""
    booked = select(col(StoredBooking.ticket_key), col(StoredBooking.id))
    booked = booked.where(col(StoredBooking.ticket_key).in_(keys))
    kept = select(col(FillQuestion.ticket_key), _booking)
    kept = kept.where(col(FillQuestion.ticket_key).in_(keys), _kind == KEPT)
    return [(key, booking_id) for key, booking_id in await session.execute(booked.union(kept))]
