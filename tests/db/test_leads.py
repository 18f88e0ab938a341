"""The staff's list, asked on both databases."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete

from fuel_app.db import lead_rows, leads
from fuel_app.db.models import Lead, new_id
from fuel_app.db.session import reading, transaction
from fuel_app.domain.leads import SORTS, LeadQuery, LeadRow

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
        await lead_rows.add_many(session, values)


async def listed(query: LeadQuery, **where: int) -> list[LeadRow]:
    async with reading() as session:
        total = await leads.count(session, query)
        return await leads.page(session, query, **({"offset": 0, "limit": 50} | where), total=total)


async def found(search: str, **more: str) -> list[str]:
    query = LeadQuery.parse(search, more.get("type", ""), more.get("sort", "date"))
    return [row.email for batch in [b async for b in leads.walk(query)] for row in batch]


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{name}" for name in SORTS)])
@pytest.mark.parametrize("lead_type", ["", "fleet"])
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
    assert len({row.id for row in rows}) == (70 if not lead_type else 23)
    walked = [row for batch in [b async for b in leads.walk(query, batch=7)] for row in batch]
    assert walked == rows


@pytest.mark.parametrize("offset", [0, 4, 5, 1000])
async def test_a_page_beyond_the_end_is_empty(database, offset):
    await store(*(lead(number) for number in range(4)))
    assert len(await listed(LeadQuery(), offset=offset)) == (4 if offset == 0 else 0)


@pytest.mark.parametrize(
    ("search", "emails"),
    [
        ("ada", ["ada@example.com"]),
        ("ADA LOVE", ["ada@example.com"]),
        ("Ångström", ["anders@example.com"]),
        ("angstrom", ["anders@example.com"]),
        ("gulf side", ["bob@x.org"]),
        ("(941) 555-0101", ["bob@x.org"]),
        ("555-0101", ["bob@x.org"]),
        ("x.org", ["bob@x.org"]),
        ("o", ["ada@example.com", "anders@example.com", "bob@x.org"]),
        ("%", []),
        ("_", []),
        ("100%", []),
        ('"', []),
        ("'", ["anders@example.com"]),
        ("NEAR", []),
        ("ada*", []),
        ("ada OR bob", []),
        ("🚚", ["ada@example.com"]),
        ("🚚🚚🚚", []),
        ("lovelace ada", []),
        ("ada\nlovelace", ["ada@example.com"]),
        ("x" * 10_000, []),
        ("\\", []),
    ],
)
async def test_a_search_finds_a_part_of_name_company_email_or_phone(database, search, emails):
    await store(
        lead(0, type="waitlist", name="Ada Lovelace 🚚", email="ada@example.com", phone=""),
        lead(4, type="waitlist", name="Anders O'Ångström", email="anders@example.com", phone=""),
        lead(
            9, type="fleet", name="Bob", company="Gulf Side", email="bob@x.org", phone="9415550101"
        ),
    )
    assert await found(search) == emails


async def test_a_search_and_a_type_and_an_order_go_together(database):
    await store(*(lead(number) for number in range(60)))
    rows = [
        r async for batch in leads.walk(LeadQuery.parse("gulf", "business", "name")) for r in batch
    ]
    assert {(row.company, row.type) for row in rows} == {("Gulf LLC", "business")}
    assert [row.name.replace("é", "e") for row in rows] == sorted(
        row.name.replace("é", "e") for row in rows
    )
    assert len(rows) == 10


@pytest.mark.parametrize("search", ["example", "person1"])
async def test_a_common_search_gives_the_same_lines_as_a_rare_one(database, monkeypatch, search):
    await store(*(lead(number) for number in range(60)))
    for query in (LeadQuery.parse(search, "", "name"), LeadQuery.parse(search, "fleet", "-source")):
        async with reading() as session:
            numbers = await leads.matches(session, query)
            assert numbers is not None
            with monkeypatch.context() as patch:
                patch.setattr(leads, "FEW_MATCHES", 3)
                assert await leads.matches(session, query) is None
            rows = await leads.common(session, query, offset=2, limit=5)
        assert [row.number for row in rows] == numbers[2:7]


async def test_a_deleted_lead_is_not_found_though_the_search_index_remembers_it(database):
    await store(lead(1, name="Zebulon"))
    async with transaction() as session:
        await session.execute(delete(Lead))
    await store(lead(2, name="Someone Else"))
    assert await found("zebulon") == []
