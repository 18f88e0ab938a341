"""A page in the middle is found by the parts of the order, on PostgreSQL; it is the same page."""

import asyncio
from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.queries import listing as leads
from fuel_app.leads.rules import SORTS, LeadQuery
from fuel_app.leads.tables import Lead
from tests.leads.test_queries_listing import START, lead, listed, store

pytestmark = pytest.mark.slow
KEPT = """
    SELECT type, shown_status, lead_source, month, initials, sum(leads) FROM lead_places
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(leads) <> 0
"""
COUNTED = """
    SELECT type, shown_status, lead_source, date_trunc('month', created_at, 'UTC'),
      left(name_key, 2) COLLATE "C", count(*) FROM leads
    GROUP BY GROUPING SETS ((1, 2, 3, 4), (1, 5))
"""


@pytest.fixture(params=["postgresql"])
def engine_name(request):
    return request.param


@pytest.fixture
def no_walk_is_short(monkeypatch):
    monkeypatch.setattr(leads, "_FAR", 0)


def lot(number: int):
    return lead(number, created_at=START + timedelta(days=number), name=f"{number * 7 % 40:02} Ada")


async def assert_kept_as_counted() -> int:
    async with reading() as session:
        kept = {tuple(row) for row in await session.execute(sa.text(KEPT))}
        assert kept == {tuple(row) for row in await session.execute(sa.text(COUNTED))}
    return len(kept)


@pytest.mark.parametrize("sort", [*SORTS, *(f"-{name}" for name in SORTS)])
@pytest.mark.parametrize("lead_type", ["", "fleet", "waitlist"])
async def test_the_pages_together_are_the_whole_list(
    database, no_walk_is_short, sort, lead_type, monkeypatch
):
    await store(*(lot(number) for number in range(120)))
    query = LeadQuery.parse(type_=lead_type, sort=sort)
    pages = [await listed(query, offset=at, limit=7) for at in range(0, 126, 7)]
    monkeypatch.setattr(leads, "_FAR", 1000)
    assert [row for page in pages for row in page] == await listed(query, limit=120)


async def test_a_walk_begins_in_the_page_s_own_month(database):
    await store(*(lot(number) for number in range(120)))
    async with reading() as session:
        _, passed = await leads.lead_places.part(session, LeadQuery(), 100)
    assert 0 < passed < 31


async def test_what_comes_changes_and_goes_is_kept(database):
    await store(*(lot(number) for number in range(60)))
    parts = await assert_kept_as_counted()
    async with transaction() as session:
        fleet = col(Lead.type) == "fleet"
        await session.execute(sa.update(Lead).where(fleet).values(shown_status="Closed Won"))
        await session.execute(sa.update(Lead).where(~fleet).values(lead_source="Owner 2"))
        await session.execute(sa.delete(Lead).where(col(Lead.number) % 2 == 0))
    assert 0 < await assert_kept_as_counted() < parts


async def test_what_is_rolled_back_never_lay_anywhere(database):
    async def failing() -> None:
        async with transaction() as session:
            await session.execute(sa.insert(Lead), [lot(1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await failing()
    assert await assert_kept_as_counted() == 0


@pytest.mark.parametrize("change", ["come", "go", "change"])
async def test_rows_are_put_together_now_and_then_and_nobody_waits_for_it(database, change):
    await store(*(lot(number) for number in range(40)))
    async with transaction() as session:  # a long one, which takes its turn at putting together
        await session.execute(sa.text("SELECT setval('lead_places_number_seq', 3999)"))
        statement = {
            "come": sa.insert(Lead).values(lot(40)),
            "go": sa.delete(Lead).where(col(Lead.number) == 1),
            "change": sa.update(Lead).where(col(Lead.number) == 1).values(shown_status="Closed"),
        }[change]
        await session.execute(statement)
        await asyncio.gather(*(store(lot(number)) for number in range(41, 51)))
    parts = await assert_kept_as_counted()
    async with reading() as session:
        rows = await session.scalar(sa.text("SELECT count(*) FROM lead_places"))
    assert rows <= parts + 4 + 10 * 2  # those that came meanwhile are passed over
