"""Queries on what became of invitations."""

from typing import Any

from sqlalchemy import case, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.tables import Area
from fuel_app.bookings.rules.states import COMPLETED
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.clock import short_date
from fuel_app.launch.rules.funnel import DAYS_SHOWN, NEIGHBORHOODS_SHOWN, FunnelLine
from fuel_app.launch.tables import Invitation
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_invited_id, _linked = col(Invitation.submission_id), col(StoredCustomer.submission_id)
_has_filled = exists().where(
    col(StoredBooking.person_id) == col(StoredCustomer.person_id),
    col(StoredBooking.state) == COMPLETED,
)
_invited, _filled = func.count(), func.sum(case((_has_filled, 1), else_=0))


async def by_area(session: AsyncSession) -> tuple[FunnelLine, ...]:
    """Return a line for each area, those with most invitations first."""
    name = col(Area.name)
    counted = _counted(name).join(Area, col(Area.id) == col(Invitation.area_id)).group_by(name)
    rows = await session.execute(counted.order_by(_invited.desc(), name))
    return tuple(FunnelLine.of(*row) for row in rows)


async def by_day(session: AsyncSession) -> tuple[FunnelLine, ...]:
    """Return a line for each of the last days with a wave, the newest first."""
    day = col(Invitation.day)
    counted = _counted(day).group_by(day).order_by(day.desc()).limit(DAYS_SHOWN)
    rows = await session.execute(counted)
    return tuple(FunnelLine.of(short_date(day), *counts) for day, *counts in rows)


async def by_neighborhood(session: AsyncSession) -> tuple[FunnelLine, ...]:
    """Return a line for each of the neighborhoods with most invited members."""
    place, member_of = (col(Neighborhood.name), col(Neighborhood.zip_code)), col(Neighborhood.id)
    submission = col(WaitlistSubmission.id) == _invited_id
    counted = _counted(*place).join(WaitlistSubmission, submission)
    counted = counted.join(
        Neighborhood, member_of == col(WaitlistSubmission.neighborhood_id)
    ).group_by(member_of)
    most = counted.order_by(_invited.desc(), _filled.desc(), *place).limit(NEIGHBORHOODS_SHOWN)
    rows: Any = await session.execute(most)
    return tuple(FunnelLine.of(f"{name} ({zip_code})", *counts) for name, zip_code, *counts in rows)


def _counted(*by: Any) -> Any:
    """Count the invited, those who have signed up, and those with a fill."""
    counted = select(*by, _invited, func.count(_linked), _filled).select_from(Invitation)
    return counted.outerjoin(StoredCustomer, _linked == _invited_id)
