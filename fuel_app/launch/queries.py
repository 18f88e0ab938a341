"""Queries on who waits, O(submissions), on the waves of areas, and on their invitations."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, case, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.tables import Area, AreaZip, StoredPrice
from fuel_app.bookings.rules.states import COMPLETED
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new
from fuel_app.launch.rules import RUNNING, Candidate, FunnelRow, OpenArea
from fuel_app.launch.tables import Invitation, Waves
from fuel_app.leads.rules import LOST
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.tables import WaitlistSubmission

_area_id, _state = col(Waves.area_id), col(Waves.state)
_submission, _email = col(WaitlistSubmission.id), col(WaitlistSubmission.email)
_joined, _member_of = col(WaitlistSubmission.created_at), col(WaitlistSubmission.neighborhood_id)
_zip, _status = col(WaitlistSubmission.zip_code), col(WaitlistSubmission.status)

not_linked: ColumnElement[bool] = ~exists().where(col(StoredCustomer.submission_id) == _submission)
MAY_BE_INVITED: tuple[ColumnElement[bool], ...] = (
    _status != LOST,
    ~exists().where(col(Invitation.submission_id) == _submission),
    not_linked,
    ~exists().where(col(Person.email) == _email),
)


async def list_running(session: AsyncSession) -> Sequence[str]:
    """Return the areas whose waves run and that are open."""
    running = select(_area_id).join(Area, col(Area.id) == _area_id)
    running = running.where(_state == RUNNING, col(Area.status) == OPEN)
    return (await session.scalars(running.order_by(_area_id))).all()


async def lock_running(session: AsyncSession, area_id: str) -> OpenArea | None:
    """Lock the waves of an area, if they run and it is open, which it then stays."""
    locked = select(_state).where(_area_id == area_id).with_for_update()
    if await session.scalar(locked) != RUNNING:
        return None
    return await lock_open(session, area_id)


async def lock_open(session: AsyncSession, area_id: str) -> OpenArea | None:
    """Return an area if it is open, which it stays until the transaction ends."""
    return await _find_open(
        session, select(Area).where(col(Area.id) == area_id).with_for_update(read=True)
    )


async def find_open(session: AsyncSession, area_id: str) -> OpenArea | None:
    """Return an area if it is open."""
    return await _find_open(session, select(Area).where(col(Area.id) == area_id))


async def _find_open(session: AsyncSession, this: Any) -> OpenArea | None:
    area = await session.scalar(this)
    if area is None or area.status != OPEN or area.opened_at is None:
        return None
    return OpenArea(area.id, area.name, area.opened_at)


async def step_waves(
    session: AsyncSession, area_id: str, before: str | None, after: str | None
) -> bool:
    """Change the state of an area's waves, if it is the one before. Return whether it was."""
    which = (_area_id == area_id, _state == before)
    if before is None:
        row = {"area_id": area_id, "state": after, "changed_at": now()}
        changed: Any = insert_new(session, Waves).values(row)
    elif after is None:
        changed = delete(Waves).where(*which)
    else:
        changed = update(Waves).where(*which).values(state=after, changed_at=now())
    return await session.scalar(changed.returning(_area_id)) is not None


async def count_sent_on(session: AsyncSession, area_id: str, day: date) -> int:
    """Count the invitations of an area on a day."""
    which = (col(Invitation.area_id) == area_id, col(Invitation.day) == day)
    counted = select(func.count()).select_from(Invitation).where(*which)
    return await session.scalar(counted) or 0


async def next_in_line(
    session: AsyncSession, area_id: str, limit: int, *, lock: bool = True
) -> list[Candidate]:
    """Return whom to invite next, by default locked.

    Members of neighborhoods come first, the largest before all, then the others by the time of
    joining.
    """
    sizes = (
        select(_member_of, func.count().label("members"))
        .where(_member_of.is_not(None))
        .group_by(_member_of)
        .subquery()
    )
    waiting = (
        select(_submission, _email, _joined, col(WaitlistSubmission.free_fill_whole))
        .join(AreaZip, col(AreaZip.zip_code) == _zip)
        .outerjoin(sizes, sizes.c.neighborhood_id == _member_of)
        .where(col(AreaZip.area_id) == area_id)
        .where(*MAY_BE_INVITED)
        .order_by(func.coalesce(sizes.c.members, 0).desc(), _member_of, _joined, _submission)
        .limit(limit)
    )
    if lock:
        waiting = waiting.with_for_update(key_share=True, read=True, of=WaitlistSubmission)
    return [Candidate(*row) for row in await session.execute(waiting)]


async def add_invitations(
    session: AsyncSession, area_id: str, ids: Sequence[str], day: date
) -> set[str]:
    """Store invitations. Return the submissions that had none before."""
    shared = {"area_id": area_id, "day": day, "created_at": now()}
    rows = [{"submission_id": each} | shared for each in ids]
    added = insert_new(session, Invitation).returning(col(Invitation.submission_id))
    return set(await session.scalars(added, rows)) if rows else set()


async def waiting_by_zip(session: AsyncSession) -> dict[str, int]:
    """Count the submissions that no customer has, by ZIP; '' for none."""
    return await _count_by(session, _zip, not_linked)


async def waiting_by_neighborhood(session: AsyncSession) -> list[tuple[str, str, str, int]]:
    """Return neighborhoods with id, name, ZIP and the members who wait."""
    counts = await _count_by(session, _member_of, not_linked, _member_of.is_not(None))
    columns = (col(Neighborhood.id), col(Neighborhood.name), col(Neighborhood.zip_code))
    rows = await session.execute(select(*columns))
    return [(*row, counts[row[0]]) for row in rows if row[0] in counts]


async def invitable_by_zip(session: AsyncSession) -> dict[str, int]:
    """Count the submissions that a wave may invite, by ZIP."""
    return await _count_by(session, _zip, *MAY_BE_INVITED)


async def _count_by(session: AsyncSession, by: Any, *which: ColumnElement[bool]) -> dict[str, int]:
    rows = await session.execute(select(by, func.count()).where(*which).group_by(by))
    return {key: number for key, number in rows}


async def states_of_waves(
    session: AsyncSession, at: datetime
) -> dict[str, tuple[str, datetime | None]]:
    """Return the state of each area's waves, and since when its newest price is in effect."""
    rows = await session.execute(
        select(_area_id, _state, _newest_price(at)).join(Area, col(Area.id) == _area_id)
    )
    return {area_id: (state, since) for area_id, state, since in rows}


async def priced_since(session: AsyncSession, area_id: str, at: datetime) -> datetime | None:
    """Return since when the newest price of an area's grades is in effect; None without one."""
    return await session.scalar(select(_newest_price(at)).where(col(Area.id) == area_id))


def _newest_price(at: datetime) -> Any:
    """Return since when the newest price of a grade on offer is in effect, as a column of areas."""
    effective = col(StoredPrice.effective_at)
    is_offered = col(Area.grades).contains(col(StoredPrice.grade))  # no name is in another one
    of_area = (col(StoredPrice.area_id) == col(Area.id), is_offered, effective <= at)
    newest = select(func.max(effective)).where(*of_area)
    return newest.correlate(Area).scalar_subquery()


async def count_sent(session: AsyncSession, day: date) -> dict[str, tuple[int, int]]:
    """Count the invitations of each area: all, and those of a day."""
    invited_to, of_day = col(Invitation.area_id), func.count().filter(col(Invitation.day) == day)
    rows = await session.execute(select(invited_to, func.count(), of_day).group_by(invited_to))
    return {area_id: (number, today) for area_id, number, today in rows}


async def funnel(session: AsyncSession) -> list[FunnelRow]:
    """Count the invited, the sign-ups and the sign-ups with a fill, by wave and neighborhood."""
    person = col(StoredCustomer.person_id)
    has_filled = exists().where(
        col(StoredBooking.person_id) == person, col(StoredBooking.state) == COMPLETED
    )
    by = (col(Invitation.area_id), col(Invitation.day), _member_of)
    counted = (
        select(*by, func.count(), func.count(person), func.sum(case((has_filled, 1), else_=0)))
        .select_from(Invitation)
        .join(WaitlistSubmission, _submission == col(Invitation.submission_id))
        .outerjoin(StoredCustomer, col(StoredCustomer.submission_id) == _submission)
        .group_by(*by)
    )
    return [FunnelRow(*row) for row in await session.execute(counted)]


async def find_names(session: AsyncSession) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of areas and of neighborhoods by id."""
    areas = await session.execute(select(col(Area.id), col(Area.name)))
    columns = (col(Neighborhood.id), col(Neighborhood.name), col(Neighborhood.zip_code))
    neighborhoods = await session.execute(select(*columns))
    return (
        {area_id: name for area_id, name in areas},
        {each: f"{name} ({zip_code})" for each, name, zip_code in neighborhoods},
    )
