"""How many leads there are is what counting them would give, whatever changes them."""

import asyncio

import pytest
import sqlalchemy as sa
from sqlmodel import col

from fuel_app.kit import audit
from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.queries import totals as lead_totals
from fuel_app.leads.rules import DELETE, TYPES
from fuel_app.leads.tables import Lead, LeadTotal
from fuel_app.quotes import service as quotes
from fuel_app.submissions.service import changes as lead_changes
from fuel_app.waitlist import service as waitlist
from tests.factories import fleet_quote, waitlist_entry
from tests.leads.test_queries_listing import lead, store

HERE = "203.0.113.7"


async def totals() -> list[int]:
    async with reading() as session:
        return [await lead_totals.count(session, each) for each in ("", *TYPES)]


async def test_at_first_there_are_none(database):
    assert await totals() == [0, 0, 0, 0]


async def test_leads_are_counted_by_type_when_they_come_and_when_they_go(database):
    await store(*(lead(number) for number in range(10)))
    await waitlist.join(waitlist_entry(), referrer=None, address=HERE)
    assert await totals() == [11, 3, 3, 5]
    async with transaction() as session:
        await session.execute(sa.delete(Lead).where(col(Lead.type) == "business"))
    assert await totals() == [8, 3, 0, 5]


async def test_a_deleted_lead_counts_again_when_that_is_undone(database):
    quote = await quotes.request(fleet_quote(), address=HERE)
    done = await lead_changes.change(quote, 0, DELETE, by="somebody")
    assert await totals() == [0, 0, 0, 0]
    async for _ in audit.undo(done.action_id, actor="somebody"):
        pass
    assert await totals() == [1, 1, 0, 0]


async def test_what_is_rolled_back_was_never_counted(database):
    async def failing() -> None:
        async with transaction() as session:
            await session.execute(sa.insert(Lead), [lead(1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await failing()
    assert await totals() == [0, 0, 0, 0]


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_nobody_waits_for_another_and_the_rows_are_put_together_now_and_then(database):
    async with transaction() as session:  # a long one, which takes its turn at putting together
        await session.execute(sa.text("SELECT setval('lead_totals_number_seq', 498)"))
        for number in range(3):
            await session.execute(sa.insert(Lead), [lead(number)])
        await asyncio.gather(*(store(lead(number)) for number in range(3, 13)))
    assert (await totals())[0] == 13
    async with transaction() as session:
        await session.execute(sa.text("SELECT setval('lead_totals_number_seq', 999)"))
    await store(lead(13))
    assert (await totals())[0] == 14
    async with reading() as session:
        assert await session.scalar(sa.select(sa.func.count()).select_from(LeadTotal)) == 3
