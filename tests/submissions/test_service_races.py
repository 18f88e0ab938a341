"""Staff who change a lead while its import is undone."""

import asyncio

import pytest
from sqlalchemy import text

from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.rules import Change, LeadQuery
from fuel_app.submissions import service as submissions
from fuel_app.submissions.queries import leads
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due
from tests.lead_files import BY, people, run, stored, table
from tests.waiting import comes_true


async def is_somebody_waiting() -> bool:
    async with reading() as session:
        return bool(await session.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))


@pytest.mark.slow
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", id="two writers")])
async def test_undo_of_an_import_waits_for_a_lead_that_staff_are_changing(database):
    """Both lock the lead before its entry: the other order would be a deadlock."""
    outcome = await run(table(*people(1)))
    await submissions.undo_import(outcome.id, actor=STAFF)
    (lead,) = (await submissions.list_page(LeadQuery(), actor=STAFF)).rows
    async with transaction() as session:
        rows = await leads.lock_leads(session, [lead.id])
        removal = asyncio.create_task(run_due())
        assert await comes_true(is_somebody_waiting, within=5)
        action = Action("lead", "status", str(BY))
        await leads.change(session, action, rows, Change.status("Contacted"))
    await removal
    assert await stored() == (0, 0)
