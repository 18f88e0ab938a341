"""Queries on customers' own accounts."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, exists, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules.details import AccountGone
from fuel_app.customers.tables import CustomerNote, StoredCustomer
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission

_person, _submission = col(StoredCustomer.person_id), col(StoredCustomer.submission_id)
_joined = col(WaitlistSubmission.created_at)


async def add(session: AsyncSession, person_id: str, *, zip_code: str) -> StoredCustomer:
    """Store the customer account of a new person."""
    row = StoredCustomer(person_id=person_id, zip_code=zip_code)
    session.add(row)
    await session.flush()
    return row


async def find(
    session: AsyncSession, person_id: str, *, lock: bool = False
) -> StoredCustomer | None:
    """Return a person's customer account; `lock` keeps it as it is in this transaction."""
    found = select(StoredCustomer).where(_person == person_id)
    return await session.scalar(found.with_for_update() if lock else found)


async def find_all(
    session: AsyncSession, ids: Collection[str], *, lock: bool = False
) -> list[StoredCustomer]:
    """Return people's customer accounts; `lock` keeps them as they are in this transaction."""
    found = select(StoredCustomer).where(_person.in_(ids)).order_by(_person)
    return list(await session.scalars(found.with_for_update() if lock else found))


async def locked(session: AsyncSession, person_id: str) -> StoredCustomer:
    """Lock a customer account until the transaction ends. Raises AccountGone."""
    customer = await find(session, person_id, lock=True)
    if customer is None:
        raise AccountGone
    return customer


async def is_linked(session: AsyncSession, submission_id: str) -> bool:
    """Return whether a waitlist submission belongs to a customer."""
    return bool(await session.scalar(select(exists().where(_submission == submission_id))))


async def linked(session: AsyncSession, submission_ids: Collection[str]) -> set[str]:
    """Return those of these waitlist submissions that belong to customers."""
    theirs = select(_submission).where(_submission.in_(submission_ids))
    return {each for each in await session.scalars(theirs) if each}


async def all_linked(session: AsyncSession) -> set[str]:
    """Return all waitlist submissions that belong to customers."""
    theirs = select(_submission).where(_submission.is_not(None))
    return {each for each in await session.scalars(theirs) if each}


async def referrer_of(session: AsyncSession, person_id: str) -> str | None:
    """Return the customer whose submission has referred that of a person."""
    theirs = select(_submission).where(_person == person_id).scalar_subquery()
    referrer = select(col(WaitlistSubmission.referred_by_id))
    asked = referrer.where(col(WaitlistSubmission.id) == theirs).scalar_subquery()
    return await session.scalar(select(_person).where(_submission == asked))


async def waited(session: AsyncSession, ids: Collection[str]) -> dict[str, tuple[datetime, bool]]:
    """Return when visitors joined the waitlist, and whether the whole first fill is free.

    Args:
        ids: Of submissions; unknown ones are left out.
    """
    submission = col(WaitlistSubmission.id)
    entries = select(submission, _joined, col(WaitlistSubmission.free_fill_whole))
    rows = await session.execute(entries.where(submission.in_(ids)))
    return {row[0]: (row[1], row[2]) for row in rows}


async def empty(session: AsyncSession, person_id: str) -> None:
    """Remove the personal data of a customer: the address, the waitlist entry, and what the staff
    noted."""
    if entry := await session.scalar(select(_submission).where(_person == person_id)):
        await waitlist.remove(session, entry)
    theirs = update(StoredCustomer).where(_person == person_id)
    await session.execute(theirs.values(address="", city="", state="", zip_code=""))
    await session.execute(delete(CustomerNote).where(col(CustomerNote.person_id) == person_id))
