"""The audit log's entries and their order."""

from collections.abc import Sequence

import pytest
import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import audit
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import reading, transaction


async def record(action: Action, *changes: Change) -> None:
    async with transaction() as session:
        await audit.record(session, action, changes)


async def history(subject_id: str) -> list[AuditEntry]:
    async with reading() as session:
        return await audit.history(session, "truck", subject_id, limit=2)


async def test_entry_holds_the_actor_the_request_and_the_values(database):
    action = Action("truck", "rename", "a-session")
    with structlog.contextvars.bound_contextvars(request_id="a-request"):
        await record(action, Change("1", {"name": "Bay"}, {"name": "Palm"}))
    (entry,) = await history("1")
    assert (entry.action_id, entry.kind, entry.actor) == (action.id, "rename", "a-session")
    assert (entry.request_id, entry.undone_at) == ("a-request", None)
    assert (entry.before, entry.after) == ({"name": "Bay"}, {"name": "Palm"})


async def test_history_is_of_one_subject_newest_first(database):
    for number in range(3):
        action = Action("truck", "rename", "a-session")
        await record(action, Change("1", {"n": number}), Change("2", {"n": -1}))
    await record(Action("driver", "rename", "a-session"), Change("1", {"n": -1}))
    assert [entry.before for entry in await history("1")] == [{"n": 2}, {"n": 1}]


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_entries_that_are_being_undone_are_free_for_no_other(database, monkeypatch):
    action, free = Action("truck", "rename", "a-session"), []
    await record(action, Change("1", {"name": "Bay"}))

    async def revert(_session: AsyncSession, _entries: Sequence[AuditEntry]) -> set[str]:
        async with transaction() as other:
            unlocked = select(AuditEntry).with_for_update(skip_locked=True)
            free.extend(await other.scalars(unlocked))
        return {"1"}

    monkeypatch.setitem(audit._REVERTS, ("truck", "rename"), (revert, ()))
    [done] = [each async for each in audit.undo(action.id, actor="another-session")]
    assert (done.changed, free) == (1, [])
