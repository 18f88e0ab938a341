"""Queries on what became of invitations, grouped by wave and by neighborhood."""

from typing import Any

from sqlalchemy import case, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.tables import Area
from fuel_app.bookings.rules.states import COMPLETED
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.tables import StoredCustomer
from fuel_app.launch.tables import Invitation
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

Row = tuple[Any, ...]

_invited = col(Invitation.submission_id)
_linked, _person = col(StoredCustomer.submission_id), col(StoredCustomer.person_id)
_area, _day = col(Invitation.area_id), col(Invitation.day)
_id, _member_of = col(WaitlistSubmission.id), col(WaitlistSubmission.neighborhood_id)
_has_filled = exists().where(
    col(StoredBooking.person_id) == _person, col(StoredBooking.state) == COMPLETED
)
_filled = func.sum(case((_has_filled, 1), else_=0))


async def invited_by_wave(session: AsyncSession) -> list[Row]:
    """Return area, day and number of the invitations of each wave."""
    counted = select(_area, _day, func.count()).group_by(_area, _day)
    return [tuple(row) for row in await session.execute(counted)]


async def became_by_wave(session: AsyncSession) -> list[Row]:
    """Return area, day, sign-ups, and sign-ups with a fill of each wave."""
    counted = select(_area, _day, func.count(), _filled).join(StoredCustomer, _linked == _invited)
    return [tuple(row) for row in await session.execute(counted.group_by(_area, _day))]


async def invited_by_neighborhood(session: AsyncSession) -> list[Row]:
    """Return neighborhood and number of the invited members."""
    counted = select(_member_of, func.count()).select_from(WaitlistSubmission)
    counted = counted.join(Invitation, _invited == _id).where(_member_of.is_not(None))
    return [tuple(row) for row in await session.execute(counted.group_by(_member_of))]


async def became_by_neighborhood(session: AsyncSession) -> list[Row]:
    """Return neighborhood, sign-ups, and sign-ups with a fill of the invited members."""
    counted = select(_member_of, func.count(), _filled).select_from(WaitlistSubmission)
    counted = counted.join(Invitation, _invited == _id).join(StoredCustomer, _linked == _id)
    counted = counted.where(_member_of.is_not(None)).group_by(_member_of)
    return [tuple(row) for row in await session.execute(counted)]


async def names(session: AsyncSession) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of areas and of neighborhoods by id."""
    areas = await session.execute(select(col(Area.id), col(Area.name)))
    groups = select(col(Neighborhood.id), col(Neighborhood.name), col(Neighborhood.zip_code))
    return (
        {row[0]: row[1] for row in areas},
        {row[0]: f"{row[1]} ({row[2]})" for row in await session.execute(groups)},
    )
