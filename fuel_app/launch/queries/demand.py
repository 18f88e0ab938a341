"""Queries on who waits: grouped by the database, each over an index. O(submissions)."""

from datetime import date
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.customers.tables import StoredCustomer
from fuel_app.launch.queries.waves import not_invited, not_linked, not_lost
from fuel_app.launch.tables import Invitation, Waves
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_id, _zip = col(WaitlistSubmission.id), col(WaitlistSubmission.zip_code)
_member_of = col(WaitlistSubmission.neighborhood_id)
_linked, _area = col(StoredCustomer.submission_id), col(Invitation.area_id)


async def waiting_by_zip(session: AsyncSession) -> dict[str, int]:
    """Count the submissions that no customer has, by ZIP; '' for none."""
    counted = select(_zip, func.count()).select_from(WaitlistSubmission)
    return await _less_linked(session, counted, _zip)


async def waiting_by_neighborhood(session: AsyncSession) -> list[tuple[str, str, str, int]]:
    """Return neighborhoods with id, name, ZIP and the members who wait."""
    counted = select(_member_of, func.count()).select_from(WaitlistSubmission)
    counts = await _less_linked(session, counted.where(_member_of.is_not(None)), _member_of)
    known = select(col(Neighborhood.id), col(Neighborhood.name), col(Neighborhood.zip_code))
    rows = await session.execute(known)
    return [(*row, counts[row[0]]) for row in rows if row[0] in counts]


async def _less_linked(session: AsyncSession, counted: Any, by: Any) -> dict[str, int]:
    """Count all of each group, and take off those with a customer: two scans of indexes."""
    rows: Any = await session.execute(counted.group_by(by))
    counts = {row[0]: row[1] for row in rows}
    rows = await session.execute(counted.join(StoredCustomer, _linked == _id).group_by(by))
    for row in rows:
        counts[row[0]] -= row[1]
    return {key: number for key, number in counts.items() if number > 0}


async def invitable_by_zip(session: AsyncSession) -> dict[str, int]:
    """Count the submissions that a wave may invite, by ZIP.

    Those of an account's e-mail are counted by themselves: there are fewer of them.
    """
    met = (not_lost, not_invited, not_linked)
    counted: Any = select(_zip, func.count()).select_from(WaitlistSubmission)
    rows: Any = await session.execute(counted.where(*met).group_by(_zip))
    counts = {row[0]: row[1] for row in rows}
    known = counted.join(Person, col(Person.email) == col(WaitlistSubmission.email))
    rows = await session.execute(known.where(*met).group_by(_zip))
    for zip_code, number in rows:
        counts[zip_code] -= number
    return counts


async def states(session: AsyncSession) -> dict[str, str]:
    """Return the state of each area's waves."""
    rows = await session.execute(select(col(Waves.area_id), col(Waves.state)))
    return {area_id: state for area_id, state in rows}


async def sent(session: AsyncSession, day: date) -> dict[str, tuple[int, int]]:
    """Count the invitations of each area: all, and those of a day."""
    today = func.count().filter(col(Invitation.day) == day)
    rows = await session.execute(select(_area, func.count(), today).group_by(_area))
    return {area_id: (number, of_day) for area_id, number, of_day in rows}
