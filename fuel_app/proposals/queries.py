"""Queries on proposals and their contacts."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import find_row
from fuel_app.kit.lists import Page, pages_of
from fuel_app.proposals.rules.states import (
    DRAFT,
    EXPIRED,
    SENT,
    SUPERSEDED,
    VIEWED,
    ProposalQuery,
)
from fuel_app.proposals.tables import StoredContact, StoredProposal

_id, _number, _state = col(StoredProposal.id), col(StoredProposal.number), col(StoredProposal.state)
_version, _valid = col(StoredProposal.version), col(StoredProposal.valid_until)
PAGE_SIZE = 50
# What a list shows of each: not the document.
LISTED = (
    _id,
    _number,
    _version,
    _state,
    _valid,
    col(StoredProposal.company_name),
    col(StoredProposal.sent_at),
)


async def find(session: AsyncSession, proposal_id: str) -> StoredProposal | None:
    return await find_row(session, StoredProposal, proposal_id)


async def lock_all(session: AsyncSession, number: int) -> list[StoredProposal]:
    """Return and lock the versions of a proposal, the first one first."""
    versions = select(StoredProposal).where(_number == number).order_by(_version)
    rows = await session.scalars(
        versions.with_for_update(), execution_options={"populate_existing": True}
    )
    return list(rows)


async def versions(session: AsyncSession, number: int) -> list[tuple[str, int, str, date]]:
    """Return the id, version, stored state and last day of each version, the newest first."""
    of_number = select(_id, _version, _state, _valid).where(_number == number)
    rows = await session.execute(of_number.order_by(_version.desc()))
    return [(row[0], row[1], row[2], row[3]) for row in rows]


async def last_of_lead(session: AsyncSession, lead_id: str) -> str | None:
    """Return the id of the newest version of a lead's newest proposal."""
    own = select(_id).where(col(StoredProposal.lead_id) == lead_id)
    return await session.scalar(own.order_by(_number.desc(), _version.desc()).limit(1))


async def list_page(
    session: AsyncSession, query: ProposalQuery, today: date
) -> tuple[Page[Any], Sequence[Any]]:
    """Return where a page of the list lies, and its rows as `LISTED` says."""
    matching = [*_matching(query, today)]
    total = await session.scalar(select(func.count(_id)).where(*matching)) or 0
    pages = pages_of(total, PAGE_SIZE)
    number = min(query.page, pages)
    key = _number if query.column == "date" else col(StoredProposal.search_name)
    order = (key.desc() if query.descending else key.asc(), _id.desc())
    shown = select(*LISTED).where(*matching).order_by(*order)
    rows = await session.execute(shown.limit(PAGE_SIZE).offset((number - 1) * PAGE_SIZE))
    return Page((), number, pages, total), rows.all()


def _matching(query: ProposalQuery, today: date) -> list[ColumnElement[bool]]:
    state, name = query.of_state, col(StoredProposal.search_name)
    matching = [name.contains(word, autoescape=True) for word in query.words]
    if state == EXPIRED:
        return [*matching, _state.in_((SENT, VIEWED)), _valid < today]
    if state in (SENT, VIEWED):
        return [*matching, _state == state, _valid >= today]
    return [*matching, _state == state if state else _state != SUPERSEDED]


async def contacts(session: AsyncSession, proposal_id: str) -> list[StoredContact]:
    own = select(StoredContact).where(col(StoredContact.proposal_id) == proposal_id)
    return list(await session.scalars(own.order_by(col(StoredContact.id))))


async def find_contact(
    session: AsyncSession, contact_id: str | None
) -> tuple[StoredContact, StoredProposal] | None:
    """Return a contact with the version that was sent to them."""
    row = await find_row(session, StoredContact, contact_id)
    return (row, await session.get_one(StoredProposal, row.proposal_id)) if row else None


async def save_draft(
    session: AsyncSession, proposal_id: str, seen: int, **values: object
) -> int | None:
    """Change a draft whose revision was `seen`. Return the new one; None if another one has."""
    same = (_id == proposal_id, _state == DRAFT, col(StoredProposal.revision) == seen)
    changed = update(StoredProposal).where(*same).values(revision=seen + 1, **values)
    return await session.scalar(changed.returning(col(StoredProposal.revision)))
