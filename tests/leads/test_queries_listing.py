"""The staff's list, asked on both databases."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fuel_app.kit.db import many_rows
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.leads.queries import listing as leads
from fuel_app.leads.queries import rows as lead_rows
from fuel_app.leads.queries import totals as lead_totals
from fuel_app.leads.rules import SORTS, LeadQuery, LeadRow
from fuel_app.leads.tables import Lead

START = datetime(2026, 3, 8, 6, 59, tzinfo=UTC)


def lead(number: int, **differs: Any) -> dict[str, Any]:
    """One of a varied lot; ties in everything but the number."""
    own = {
        "id": new_id(),
        "status": ("Not Contacted", "Contacted")[number % 2],
        "lead_source": ("Inbound", "Meta Ads", "Owner 1")[number % 3],
        "created_at": START + timedelta(hours=number // 4),
        "name": f"{('Ada', 'Bob', 'élan')[number % 3]} {number // 5}",
        "company": ("", "Gulf LLC")[number % 2],
        "email": f"person{number}@example.com",
        "phone": f"94155{number:05}",
    }
    lead_type = ("waitlist", "fleet", "business")[number % 3]
    return lead_rows.row(differs.pop("type", lead_type), **(own | differs))


async def store(*values: dict[str, Any]) -> None:
    async with transaction() as session:
        await many_rows.insert(session, Lead.__table__, values)  # type: ignore[attr-defined]


async def listed(query: LeadQuery, **where: int) -> list[LeadRow]:
    async with reading() as session:
        total = await lead_totals.count(session, query.type)
        return await leads.page(session, query, **({"offset": 0, "limit": 50} | where), total=total)


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{name}" for name in SORTS)])
@pytest.mark.parametrize("lead_type", ["", "fleet", "waitlist"])
async def test_the_pages_together_are_the_whole_list_in_order(database, sort, lead_type):
    await store(*(lead(number) for number in range(70)))
    query = LeadQuery.parse(type_=lead_type, sort=sort)
    pages = [await listed(query, offset=at, limit=7) for at in range(0, 77, 7)]
    rows = [row for page in pages for row in page]
    keys = {
        "type": lambda row: (row.type, row.created_at, row.number),
        "status": lambda row: (row.shown_status, row.created_at, row.number),
        "date": lambda row: (row.created_at, row.number),
        "name": lambda row: (row.name.casefold().replace("é", "e"), row.number),
        "source": lambda row: (row.lead_source, row.created_at, row.number),
    }
    assert rows == sorted(rows, key=keys[query.sort], reverse=query.descending)
    assert len({row.id for row in rows}) == {"": 70, "fleet": 23, "waitlist": 24}[lead_type]
    walked = [row for batch in [b async for b in leads.walk(query, batch=7)] for row in batch]
    assert walked == rows


@pytest.mark.parametrize("offset", [0, 4, 5, 1000])
async def test_a_page_beyond_the_end_is_empty(database, offset):
    await store(*(lead(number) for number in range(4)))
    assert len(await listed(LeadQuery(), offset=offset)) == (4 if offset == 0 else 0)
