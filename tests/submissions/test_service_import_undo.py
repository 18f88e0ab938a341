"""An import is taken out of the list as a whole."""

import pytest
from sqlalchemy import insert, select
from sqlmodel import col

from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.rules.imports import ImportRunning
from fuel_app.submissions.service import imports
from fuel_app.waitlist import service as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission
from tests import factories
from tests.lead_files import (
    counts,
    ended,
    found,
    people,
    rejected,
    run,
    stored,
    table,
)

pytestmark = pytest.mark.usefixtures("few_rows_at_a_time")


async def test_an_import_is_undone_as_a_whole(database):
    await run(table(*people(2)))
    outcome = await run(table(*people(7)))
    await imports.undo(outcome.id)
    (now,) = [each for each in await imports.history() if each.id == outcome.id]
    assert now.phase in {"undoing", "undone"}
    await ended()
    undone = await found(outcome.id)
    assert (undone.state, undone.message, counts(undone)) == ("undone", "", counts(outcome))
    assert undone.finished_at == outcome.finished_at
    assert await stored() == (2, 2)
    assert await rejected(outcome.id) != ""


async def test_nothing_is_undone_twice_or_while_it_runs(database):
    outcome = await run(table(*people(2)))
    await imports.undo(outcome.id)
    with pytest.raises(ImportRunning):
        await imports.undo(outcome.id)
    await ended()
    for import_id in (outcome.id, "no such import"):
        with pytest.raises(NothingToUndo):
            await imports.undo(import_id)


async def test_undo_takes_pioneers_and_referrers_but_not_their_groups_and_friends(database):
    outcome = await run(table(*people(1)))
    async with transaction() as session:
        imported = await session.scalar(select(col(WaitlistSubmission.id)))
        group = factories.row("neighborhoods", pioneer_id=imported)
        await session.execute(insert(Neighborhood), [group])
    friend = factories.waitlist_entry()
    await waitlist.join(friend, referrer=imported, address="here")
    await imports.undo(outcome.id)
    await ended()
    async with reading() as session:
        groups = (await session.scalars(select(Neighborhood))).all()
        waiting = (await session.scalars(select(WaitlistSubmission))).all()
    assert [each.pioneer_id for each in groups] == [None]
    assert [(each.email, each.referred_by_id) for each in waiting] == [(friend.email, None)]


async def test_a_lead_deleted_meanwhile_is_no_hindrance_to_undo(database):
    outcome = await run(table(*people(4)))
    async with transaction() as session:
        assert await imported_leads.take_back(session, outcome.id, 1) == 1
    await imports.undo(outcome.id)
    await ended()
    assert await stored() == (0, 0)
