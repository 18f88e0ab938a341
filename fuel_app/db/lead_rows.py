"""Writing the staff's list: every lead has its row there, made in the same transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.db.models import Lead
from fuel_app.db.session import on_sqlite
from fuel_app.domain import leads

_NAME_KEY_MAX = 200
_SEARCHABLE = text("INSERT INTO lead_search(rowid, search) VALUES (:number, :search)")
_SEARCHABLE_FROM = text(
    "INSERT INTO lead_search(rowid, search) SELECT number, search FROM leads WHERE number > :last"
)


def row(
    lead_type: leads.LeadType,
    *,
    id: str,
    status: str,
    lead_source: str,
    created_at: datetime,
    name: str,
    email: str,
    phone: str,
    company: str = "",
    import_id: str | None = None,
) -> dict[str, Any]:
    """The values of one lead's row. Waitlist leads have no company."""
    return {
        "id": id,
        "type": lead_type,
        "status": status,
        "shown_status": leads.shown_status(lead_type, status),
        "lead_source": lead_source,
        "created_at": created_at,
        "name": name,
        "name_key": leads.fold(name)[:_NAME_KEY_MAX],
        "company": company,
        "email": email,
        "phone": phone,
        "search": leads.search_text(name, company, email, phone),
        "revision": 0,
        "import_id": import_id,
    }


async def add(session: AsyncSession, values: dict[str, Any]) -> None:
    """List one lead."""
    number = await session.scalar(insert(Lead).values(values).returning(col(Lead.number)))
    if on_sqlite(session):
        await session.execute(_SEARCHABLE, {"number": number, "search": values["search"]})


async def add_many(session: AsyncSession, values: Sequence[dict[str, Any]]) -> None:
    """List many leads at once."""
    if not values:
        return
    if not on_sqlite(session):
        await session.execute(insert(Lead), values)
        return
    # Nobody else writes to SQLite meanwhile, so all that is newer is ours.
    last = await session.scalar(select(func.max(col(Lead.number)))) or 0
    await session.execute(insert(Lead), values)
    await session.execute(_SEARCHABLE_FROM, {"last": last})
