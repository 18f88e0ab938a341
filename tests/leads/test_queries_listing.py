"""Pages of the staff's list, on both databases."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.lists import Page
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import SORTS, LeadQuery, LeadRow
from fuel_app.leads.tables import LeadNote

START = datetime(2026, 3, 8, 6, 59, tzinfo=UTC)


def lead(number: int, **differs: Any) -> dict[str, Any]:
    """Return one of varied leads; they tie in everything but the number."""
    own = {
        "id": new_id(),
        "status": ("Not Contacted", "Contacted")[number % 2],
        "lead_source": ("Inbound", "Meta Ads", "Owner 1")[number % 3],
        "created_at": START + timedelta(hours=number // 4),
        "name": f"{('Ada', 'Bob', 'élan')[number % 3]} {number // 5}",
        "company": ("", "Gulf LLC")[number % 2],
        "email": f"person{number}@example.com",
        "phone": f"94155{number:05}",
        "zip_code": "",
    }
    lead_type = ("waitlist", "fleet", "business")[number % 3]
    own |= differs
    named = {key: own.pop(key) for key in ("name", "company", "phone", "zip_code")}
    return leads.row(own.pop("type", lead_type), own, **named)


async def store(*values: dict[str, Any]) -> None:
    async with transaction() as session:
        await leads.add(session, *values)


async def page(query: LeadQuery, number: int = 1) -> Page[LeadRow]:
    async with reading() as session:
        return await leads.page(session, replace(query, page=number))


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{name}" for name in SORTS)])
@pytest.mark.parametrize("lead_type", ["", "fleet", "waitlist"])
@pytest.mark.parametrize("search", ["", "example"])
@pytest.mark.slow
async def test_pages_are_the_whole_list_in_order(database, sort, lead_type, search, monkeypatch):
    monkeypatch.setattr("fuel_app.leads.rules.PAGE_SIZE", 7)
    if not search:  # all of them are many, those of one type few
        monkeypatch.setattr("fuel_app.leads.rules.FEW_MATCHES", 30)
    await store(*(lead(number) for number in range(70)))
    query = LeadQuery(q=search, type=lead_type, sort=sort)
    total = {"": 70, "fleet": 23, "waitlist": 24}[lead_type]
    pages = [await page(query, number) for number in range(1, -(-total // 7) + 1)]
    assert {(found.pages, found.total) for found in pages} == {(len(pages), total)}
    rows = [row for found in pages for row in found.rows]
    keys = {
        "type": lambda row: (row.type, row.created_at, row.number),
        "status": lambda row: (row.shown_status, row.created_at, row.number),
        "date": lambda row: (row.created_at, row.number),
        "name": lambda row: (row.name.casefold().replace("é", "e"), row.number),
        "source": lambda row: (row.lead_source, row.created_at, row.number),
        "due": lambda row: (not row.unanswered, row.created_at, row.number),
    }
    assert rows == sorted(rows, key=keys[query.column], reverse=query.descending)
    assert len({row.id for row in rows}) == total
    batched = [
        row for batch in [b async for b in leads.in_batches(query, batch=7)] for row in batch
    ]
    assert batched == rows


OWNER = new_id()


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"owner": OWNER}, [0, 6]),
        ({"owner": "none"}, [1, 2, 3, 4, 5]),
        ({"owner": new_id()}, []),
        ({"answer": "waiting"}, [0, 1, 5]),
        ({"answer": "overdue"}, [0]),
        ({"next": "due"}, [1, 5]),
        ({"next": "planned"}, [1, 2, 5]),
        ({"next": "none"}, [0, 3, 4]),
        ({"answer": "waiting", "next": "due", "owner": "none", "type": "fleet"}, [1, 5]),
    ],
)
async def test_filters_of_quotes_find_quotes_alone(database, monkeypatch, asked, numbers):
    now = datetime(2026, 11, 25, 20, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: now)
    days = {1: 25, 2: 26, 5: 24, 6: 24}
    rows = [
        lead(
            number,
            type="fleet",
            status={4: "Contacted", 6: "Closed Won"}.get(number, "Not Contacted"),
            created_at=now - timedelta(hours=23, minutes=59 if number else 61),
        )
        | {"owner_id": OWNER if number in (0, 6) else None}
        | {"next_step_on": date(2026, 11, days[number]) if number in days else None}
        for number in range(7)
    ]
    await store(*rows, lead(7, type="waitlist"))
    async with transaction() as session:
        for number, kind in ((0, "note"), (2, "call"), (3, "mail")):
            note = {"lead_id": rows[number]["id"], "kind": kind, "text": "", "author": "ada"}
            session.add(LeadNote(**note))
    found = await page(LeadQuery.parse({**asked, "sort": "date"}))
    emails = [f"person{each}@example.com" for each in numbers]
    assert sorted(row.email for row in found.rows) == emails
    assert found.total == len(numbers)


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [
        ({"status": "Contacted"}, [1, 3, 5, 7]),
        ({"status": "other"}, [8]),
        ({"source": "Owner 1"}, [2, 5, 8]),
        ({"zip": "34236"}, [0, 1, 2, 3]),
        ({"zip": "341"}, [4, 5, 6, 7, 8]),
        ({"zip": " 34-236 99"}, [0, 1, 2, 3]),
        ({"since": "2026-03-09"}, [4, 5, 6, 7, 8]),
        ({"until": "2026-03-09"}, [0, 1, 2, 3, 4, 5, 6, 7]),
        ({"since": "2026-03-09", "until": "2026-03-09"}, [4, 5, 6, 7]),
        ({"status": "Contacted", "source": "Owner 1", "zip": "34108"}, [5]),
        ({"status": "Contacted", "type": "fleet", "since": "2026-03-09"}, [7]),
        ({"q": "bob", "status": "Contacted", "until": "2026-03-08"}, [1]),
        ({"status": "Sold", "source": "x", "zip": "x", "since": "x", "until": "12"}, [*range(9)]),
        ({"since": "0001-01-01", "until": "9999-12-31"}, [*range(9)]),
    ],
)
async def test_filters_narrow_page_count_and_export(database, asked, numbers):
    await store(
        *(
            lead(
                number,
                zip_code="34236" if number < 4 else "34108",
                created_at=datetime(2026, 3, 9, 3, 59, tzinfo=UTC) + timedelta(days=number // 4),
                **({"status": "Meta Ads"} if number == 8 else {}),
            )
            for number in range(9)
        )
    )
    query = LeadQuery.parse({**asked, "sort": "date"})
    found = await page(query)
    emails = [f"person{number}@example.com" for number in numbers]
    assert ([row.email for row in found.rows], found.total) == (emails, len(numbers))
    batches = [batch async for batch in leads.in_batches(query, batch=2)]
    assert [row.email for batch in batches for row in batch] == emails
    assert LeadQuery.parse(query.parameters()) == query
