"""Queries on the leads that an import brings and on the rows that it rejects, some at a time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db import many_rows
from fuel_app.kit.db import tables as kit_tables
from fuel_app.leads import queries as lead_rows
from fuel_app.leads import rules as leads
from fuel_app.leads.tables import Lead
from fuel_app.submissions.rules.csv_import import Checked, Reject
from fuel_app.submissions.tables import LeadImportReject
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission

_WAITLIST = WaitlistSubmission.__table__  # type: ignore[attr-defined]
_LEADS = Lead.__table__  # type: ignore[attr-defined]
_REJECTS = LeadImportReject.__table__  # type: ignore[attr-defined]
_UNLESS_KNOWN = " ON CONFLICT (email) DO NOTHING RETURNING id"
_TYPED = WaitlistEntry.names()


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows of a file as the tables take them; made beside the event loop."""

    submissions: list[dict[str, Any]]
    listed: dict[str, dict[str, Any]]  # by id
    rows: dict[str, Reject]  # what each becomes if its e-mail is stored already
    checked: Checked


def prepare(import_id: str, checked: Checked) -> Prepared:
    now = kit_tables.now()
    submissions, listed, rows = [], {}, {}
    lead = {"status": leads.STATUSES[0], "lead_source": leads.IMPORT_SOURCE, "created_at": now}
    for entry, row in checked.good:
        lead_id = kit_tables.new_id()
        typed = {field: getattr(entry, field) for field in _TYPED}  # `asdict` copies each text
        submissions.append({"id": lead_id, **lead, **typed})
        listed[lead_id] = lead_rows.row(
            "waitlist",
            id=lead_id,
            **lead,  # type: ignore[arg-type]
            name=f"{entry.first_name} {entry.last_name}",
            email=entry.email,
            phone=entry.phone_number,
            import_id=import_id,
        )
        rows[lead_id] = row
    return Prepared(submissions, listed, rows, checked)


async def store(session: AsyncSession, prepared: Prepared) -> set[str]:
    """Store the rows whose e-mails nobody has yet; returns the ids of those.

    Two statements, however many rows; the unique index settles a race.
    """
    if not prepared.submissions:
        return set()
    new = await many_rows.insert(session, _WAITLIST, prepared.submissions, _UNLESS_KNOWN)
    if stored := set(new):
        listed = [prepared.listed[each] for each in prepared.rows if each in stored]
        await many_rows.insert(session, _LEADS, listed)
    return stored


async def account(
    session: AsyncSession, import_id: str, prepared: Prepared, stored: set[str]
) -> dict[str, int]:
    """Keep the rows that were not stored; returns how many of each there are."""
    known = [row for lead_id, row in prepared.rows.items() if lead_id not in stored]
    rejected = [*prepared.checked.duplicates, *prepared.checked.invalid, *known]
    await reject(session, import_id, sorted(rejected, key=lambda row: row.line))
    return {
        "rows_done": prepared.checked.rows,
        "imported": len(stored),
        "duplicates": len(prepared.checked.duplicates) + len(known),
        "invalid": len(prepared.checked.invalid),
    }


async def reject(session: AsyncSession, import_id: str, rejects: Sequence[Reject]) -> None:
    if rejects:
        rows = [{"import_id": import_id, **asdict(reject)} for reject in rejects]
        await many_rows.insert(session, _REJECTS, rows)


async def take_back(session: AsyncSession, import_id: str, many: int) -> int:
    """Delete some of the leads that an import brought; how many, none at the end.

    Whoever has become a pioneer or a referrer since: their group and those whom they brought stay,
    without them.
    """
    theirs = select(col(Lead.id)).where(col(Lead.import_id) == import_id).limit(many)
    ids = (await session.scalars(theirs)).all()
    if ids:
        waiting = delete(WaitlistSubmission).where(col(WaitlistSubmission.id).in_(ids))
        await session.execute(waiting)
        await session.execute(delete(Lead).where(col(Lead.id).in_(ids)))
    return len(ids)


async def forget_rejects(session: AsyncSession, import_id: str, many: int) -> int:
    """Delete some of an import's rejected rows; how many."""
    number: Any = col(LeadImportReject.number)
    some = select(number).where(col(LeadImportReject.import_id) == import_id).limit(many)
    numbers = (await session.scalars(some)).all()
    if numbers:
        await session.execute(delete(LeadImportReject).where(number.in_(numbers)))
    return len(numbers)


async def rejects(
    session: AsyncSession, import_id: str, *, after: int, limit: int
) -> list[tuple[int, Reject]]:
    """An import's columns and its rejected rows, in the file's order, each with its number."""
    number: Any = col(LeadImportReject.number)
    columns = (
        number,
        col(LeadImportReject.line),
        col(LeadImportReject.cells),
        col(LeadImportReject.reason),
    )
    theirs = select(*columns).where(col(LeadImportReject.import_id) == import_id, number > after)
    found = await session.execute(theirs.order_by(number).limit(limit))
    return [(row[0], Reject(*row[1:])) for row in found]


async def brought(session: AsyncSession, import_id: str) -> int:
    """How many leads of an import are still there."""
    theirs = select(func.count()).select_from(Lead).where(col(Lead.import_id) == import_id)
    return await session.scalar(theirs) or 0
