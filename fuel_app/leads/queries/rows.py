"""Writing the staff's list: every lead has its row there, made in the same transaction."""

from datetime import datetime
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.leads import rules as leads
from fuel_app.leads.tables import Lead

_NAME_KEY_MAX = 200


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
    await session.execute(insert(Lead).values(values))
