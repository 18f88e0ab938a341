"""Queries on who waits: grouped by the database. O(submissions)."""

from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.launch.queries.waves import MAY_BE_INVITED, not_linked
from fuel_app.launch.tables import Invitation, Waves
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_zip, _member_of = col(WaitlistSubmission.zip_code), col(WaitlistSubmission.neighborhood_id)
_area = col(Invitation.area_id)


async def waiting_by_zip(session: AsyncSession) -> dict[str, int]:
    """Count the submissions that no customer has, by ZIP; '' for none."""
    return await _counts(session, _zip, not_linked)


async def waiting_by_neighborhood(session: AsyncSession) -> list[tuple[str, str, str, int]]:
    """Return neighborhoods with id, name, ZIP and the members who wait."""
    counts = await _counts(session, _member_of, not_linked, _member_of.is_not(None))
    known = select(col(Neighborhood.id), col(Neighborhood.name), col(Neighborhood.zip_code))
    rows = await session.execute(known)
    return [(*row, counts[row[0]]) for row in rows if row[0] in counts]


async def invitable_by_zip(session: AsyncSession) -> dict[str, int]:
    """Count the submissions that a wave may invite, by ZIP."""
    return await _counts(session, _zip, *MAY_BE_INVITED)


async def _counts(session: AsyncSession, by: Any, *which: ColumnElement[bool]) -> dict[str, int]:
    rows = await session.execute(select(by, func.count()).where(*which).group_by(by))
    return {key: number for key, number in rows}


async def states(session: AsyncSession) -> dict[str, str]:
    """Return the state of each area's waves."""
    rows = await session.execute(select(col(Waves.area_id), col(Waves.state)))
    return {area_id: state for area_id, state in rows}


async def sent(session: AsyncSession, day: date) -> dict[str, tuple[int, int]]:
    """Count the invitations of each area: all, and those of a day."""
    today = func.count().filter(col(Invitation.day) == day)
    rows = await session.execute(select(_area, func.count(), today).group_by(_area))
    return {area_id: (number, of_day) for area_id, number, of_day in rows}
