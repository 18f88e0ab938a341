"""Queries on the waitlist."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import insert_new, is_foreign_key_violation, is_unique_violation
from fuel_app.kit.errors import AlreadyInNeighborhood, EmailTaken, NeighborhoodGone, NotOnTheList
from fuel_app.leads import queries as lead_rows
from fuel_app.waitlist.rules import Resumable, WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission

_id = col(WaitlistSubmission.id)


async def count(session: AsyncSession) -> int:
    return await session.scalar(select(func.count()).select_from(WaitlistSubmission)) or 0


async def exists(session: AsyncSession, submission_id: str) -> bool:
    """Return whether the submission exists, and lock it against deletion."""
    submission = select(_id).where(_id == submission_id)
    locked = submission.with_for_update(read=True, key_share=True)
    return await session.scalar(locked) is not None


async def find(session: AsyncSession, submission_id: str) -> WaitlistSubmission | None:
    return await session.scalar(select(WaitlistSubmission).where(_id == submission_id))


async def lock(
    session: AsyncSession, *, id: str = "", email: str = ""
) -> WaitlistSubmission | None:
    """Return a submission by its id or e-mail, locked until the transaction ends.

    By an update: a merge of neighborhoods locks the whole table against those first.
    """
    which = _id == id if id else col(WaitlistSubmission.email) == email
    touched = update(WaitlistSubmission).where(which).values(status=col(WaitlistSubmission.status))
    return await session.scalar(touched.returning(WaitlistSubmission))


async def remove(session: AsyncSession, submission_id: str) -> None:
    """Delete a submission with its line in the staff's list."""
    await lead_rows.remove(session, submission_id)  # first, as staff who delete it lock that
    await session.execute(delete(WaitlistSubmission).where(_id == submission_id))


async def lock_or_add(
    session: AsyncSession, entry: WaitlistEntry, status: str
) -> WaitlistSubmission:
    """Return the submission with this e-mail as `lock` does. Without one it is made, quietly."""
    own = WaitlistSubmission(**entry.model_dump(), status=status).model_dump()
    added = insert_new(session, WaitlistSubmission).values(own)
    if await session.scalar(added.returning(_id)):
        await lead_rows.add(session, listed(own))
    submission = await lock(session, email=entry.email)
    if submission is None:
        raise NotOnTheList
    return submission


async def find_resumable(session: AsyncSession, resume_hash: str) -> Resumable | None:
    """Return the submission that a tab with this secret may resume."""
    columns = (_id, col(WaitlistSubmission.zip_code), col(WaitlistSubmission.neighborhood_id))
    by_hash = select(*columns).where(col(WaitlistSubmission.resume_hash) == resume_hash)
    row = (await session.execute(by_hash)).first()
    return Resumable(*row) if row else None


async def add(
    session: AsyncSession,
    entry: WaitlistEntry,
    referred_by_id: str | None = None,
    resume_hash: str | None = None,
) -> str:
    """Store an entry and return its id. The unique index settles a race.

    Raises:
        EmailTaken: If that address is already on the list.
    """
    row = WaitlistSubmission(
        **entry.model_dump(), referred_by_id=referred_by_id, resume_hash=resume_hash
    )
    session.add(row)
    try:
        await session.flush()
    except IntegrityError as error:
        if is_unique_violation(error):
            raise EmailTaken from error
        raise
    await lead_rows.add(session, listed(row.model_dump()))
    return row.id


def listed(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a submission's row in the staff's list."""
    name = f"{own['first_name']} {own['last_name']}"
    phone, zip_code = own["phone_number"], own["zip_code"]
    return lead_rows.row("waitlist", own, name=name, phone=phone, zip_code=zip_code)


async def set_neighborhood(
    session: AsyncSession, submission_id: str, neighborhood_id: str, *, founding: bool = False
) -> None:
    """Make a submission the member of a neighborhood.

    Raises:
        AlreadyInNeighborhood: If its pioneer is in a neighborhood. The update settles a race.
        NeighborhoodGone: If the neighborhood does not exist (any more).
        NotOnTheList: If the submission does not exist (any more).
    """
    statement = update(WaitlistSubmission).where(_id == submission_id)
    if founding:
        statement = statement.where(col(WaitlistSubmission.neighborhood_id).is_(None))
    try:
        changed = await session.scalar(
            statement.values(neighborhood_id=neighborhood_id).returning(_id)
        )
    except IntegrityError as error:
        if is_foreign_key_violation(error):
            raise NeighborhoodGone from error
        raise
    if changed is None:
        raise AlreadyInNeighborhood if founding else NotOnTheList
