"""Queries on the waves of areas and their invitations."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.tables import Area, AreaZip
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new
from fuel_app.launch.rules.waves import RUNNING, Candidate, OpenArea
from fuel_app.launch.tables import Invitation, Waves
from fuel_app.leads.rules import LOST
from fuel_app.waitlist.tables import WaitlistSubmission

_area_id, _state = col(Waves.area_id), col(Waves.state)
_id, _email = col(WaitlistSubmission.id), col(WaitlistSubmission.email)
_joined, _member_of = col(WaitlistSubmission.created_at), col(WaitlistSubmission.neighborhood_id)
_zip, _status = col(WaitlistSubmission.zip_code), col(WaitlistSubmission.status)

not_linked: ColumnElement[bool] = ~exists().where(col(StoredCustomer.submission_id) == _id)
MAY_BE_INVITED: tuple[ColumnElement[bool], ...] = (
    _status != LOST,
    ~exists().where(col(Invitation.submission_id) == _id),
    not_linked,
    ~exists().where(col(Person.email) == _email),
)


async def running(session: AsyncSession) -> Sequence[str]:
    """Return the areas whose waves run and that are open."""
    found = select(_area_id).join(Area, col(Area.id) == _area_id)
    found = found.where(_state == RUNNING, col(Area.status) == OPEN)
    return (await session.scalars(found.order_by(_area_id))).all()


async def lock_running(session: AsyncSession, area_id: str) -> OpenArea | None:
    """Lock the waves of an area, if they run and it is open, which it then stays."""
    held = select(_state).where(_area_id == area_id).with_for_update()
    if await session.scalar(held) != RUNNING:
        return None
    return await lock_open(session, area_id)


async def lock_open(session: AsyncSession, area_id: str) -> OpenArea | None:
    """Return an area if it is open, which it stays until the transaction ends."""
    area = await session.scalar(
        select(Area).where(col(Area.id) == area_id).with_for_update(read=True)
    )
    if area is None or area.status != OPEN or area.opened_at is None:
        return None
    return OpenArea(area.id, area.name, area.opened_at)


async def step(session: AsyncSession, area_id: str, before: str | None, after: str | None) -> bool:
    """Change the state of an area's waves, if it is the one before. Return whether it was."""
    theirs = (_area_id == area_id, _state == before)
    if before is None:
        row = {"area_id": area_id, "state": after, "changed_at": now()}
        changed: Any = insert_new(session, Waves).values(row)
    elif after is None:
        changed = delete(Waves).where(*theirs)
    else:
        changed = update(Waves).where(*theirs).values(state=after, changed_at=now())
    return await session.scalar(changed.returning(_area_id)) is not None


async def sent_on(session: AsyncSession, area_id: str, day: date) -> int:
    """Count the invitations of an area on a day."""
    theirs = (col(Invitation.area_id) == area_id, col(Invitation.day) == day)
    counted = select(func.count()).select_from(Invitation).where(*theirs)
    return await session.scalar(counted) or 0


async def next_in_line(session: AsyncSession, area_id: str, limit: int) -> list[Candidate]:
    """Return whom to invite next, locked: members of neighborhoods, the largest first, then the
    others by the time of joining."""
    sizes = (
        select(_member_of, func.count().label("members"))
        .where(_member_of.is_not(None))
        .group_by(_member_of)
        .subquery()
    )
    found = (
        select(_id, _email, _joined, col(WaitlistSubmission.free_fill_whole))
        .join(AreaZip, col(AreaZip.zip_code) == _zip)
        .outerjoin(sizes, sizes.c.neighborhood_id == _member_of)
        .where(col(AreaZip.area_id) == area_id)
        .where(*MAY_BE_INVITED)
        .order_by(func.coalesce(sizes.c.members, 0).desc(), _member_of, _joined, _id)
        .limit(limit)
        .with_for_update(key_share=True, read=True, of=WaitlistSubmission)
    )
    return [Candidate(*row) for row in await session.execute(found)]


async def invite(session: AsyncSession, area_id: str, ids: Sequence[str], day: date) -> set[str]:
    """Store invitations. Return the submissions that had none before."""
    at = now()
    shared = {"area_id": area_id, "day": day, "created_at": at}
    rows = [{"submission_id": each} | shared for each in ids]
    added = insert_new(session, Invitation).returning(col(Invitation.submission_id))
    return set(await session.scalars(added, rows)) if rows else set()
