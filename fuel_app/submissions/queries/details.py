"""Everything about one lead: a handful of look-ups, each by an index."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit import audit
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import LeadQuery
from fuel_app.leads.tables import Lead
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.submissions.queries.changes import TABLES
from fuel_app.submissions.rules.details import (
    LOG_SHOWN,
    REFERRED_SHOWN,
    LeadDetails,
    Linked,
    LinkedCustomer,
    LogEntry,
)
from fuel_app.waitlist.tables import WaitlistSubmission

_SECRET = {"resume_hash"}
_neighborhood = (col(Neighborhood.id), col(Neighborhood.name))
_person = (
    col(WaitlistSubmission.id),
    col(WaitlistSubmission.first_name) + " " + col(WaitlistSubmission.last_name),
)
_referrer = col(WaitlistSubmission.referred_by_id)


async def find(session: AsyncSession, lead_id: str) -> LeadDetails | None:
    row = await leads.find(session, lead_id)
    if row is None:
        return None
    table = TABLES[row.type]
    columns = [column for column in table.__table__.columns if column.name not in _SECRET]
    found = await session.execute(select(*columns).where(col(table.id) == lead_id))
    stored = dict(found.mappings().one())
    referred = select(*_person).where(_referrer == lead_id).order_by(_person[0])
    return LeadDetails(
        row=row,
        stored=stored,
        neighborhood=await _linked(session, _neighborhood, stored.get("neighborhood_id")),
        referred_by=await _linked(session, _person, stored.get("referred_by_id")),
        referred=tuple(
            Linked(*guest) for guest in await session.execute(referred.limit(REFERRED_SHOWN))
        ),
        referred_total=await session.scalar(select(func.count()).where(_referrer == lead_id)) or 0,
        log=await _log(session, lead_id),
    )


async def customers(
    session: AsyncSession, linked: Sequence[str], query: LeadQuery | None = None
) -> list[LinkedCustomer]:
    """Return the leads of these customers' submissions by name; with a query, those that match."""
    columns = (col(Lead.name), col(WaitlistSubmission.neighborhood_id).is_not(None))
    found: Any = select(*columns).join(WaitlistSubmission, _person[0] == col(Lead.id))
    found = found.where(col(Lead.id).in_(linked))
    if query:
        found = leads.matching(session, found, query)
    found = found.order_by(col(Lead.name_key), col(Lead.number))
    return [LinkedCustomer(*row) for row in await session.execute(found)]


async def _linked(session: AsyncSession, columns: Any, wanted_id: object) -> Linked | None:
    row = (await session.execute(select(*columns).where(columns[0] == wanted_id))).first()
    return Linked(*row) if row else None


async def _log(session: AsyncSession, lead_id: str) -> tuple[LogEntry, ...]:
    """Return the latest changes and undos, newest first."""
    lines: list[LogEntry] = []
    for entry in await audit.history(session, "lead", lead_id, limit=LOG_SHOWN):
        before, after = ((each or {}).get(entry.kind) for each in (entry.before, entry.after))
        lines.append(LogEntry(entry.at, entry.actor, entry.kind, before, after))
        if entry.undone_at and entry.undone_by:
            undone = (entry.undone_at, entry.undone_by, entry.kind, after, before)
            lines.append(LogEntry(*undone, undo=True))
    return tuple(sorted(lines, key=lambda line: line.at, reverse=True)[:LOG_SHOWN])
