"""Staff change leads, one or many, and take it back."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import LeadChanged, LeadGone, NothingToUndo
from fuel_app.kit.signals import LEADS, MEMBERS, signals
from fuel_app.leads.queries import listing as leads
from fuel_app.leads.rules import Change, LeadQuery, LeadRow
from fuel_app.leads.tables import LeadChange
from fuel_app.submissions.queries import changes as lead_changes

_AT_ONCE = 500  # leads a transaction: a visitor who joins meanwhile waits for one of these at most


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a change or an undo."""

    action_id: str
    changed: int
    left: int = 0  # not touched, since they had changed or gone meanwhile


async def change(lead_id: str, seen: int, change: Change, *, by: str) -> Done:
    """Change or delete one lead.

    Args:
        seen: The revision that the person had before their eyes.
        by: The staff session.

    Raises:
        LeadGone: If somebody has deleted it.
        LeadChanged: If somebody has changed it since.
    """
    async with transaction() as session:
        revision = (await lead_changes.held(session, [lead_id])).get(lead_id)
        row = await leads.find(session, lead_id)
        if row is None or revision is None:
            raise LeadGone
        if revision != seen:
            raise LeadChanged
        action_id = await lead_changes.begin(session, change.kind, change.value, by)
        changed = await _apply(session, action_id, [row], change)
        await lead_changes.end(session, action_id, changed=changed)
    await _tell(change.kind)
    return Done(action_id, changed)


async def change_selected(seen: Mapping[str, int], change: Change, *, by: str) -> Done:
    """Change or delete the chosen leads, except those that somebody else has changed since.

    Args:
        seen: The revision that the person saw of each lead.
    """
    async with transaction() as session:
        now = await lead_changes.held(session, list(seen))
        rows = await leads.by_ids(
            session, [i for i, revision in now.items() if revision == seen[i]]
        )
        action_id = await lead_changes.begin(session, change.kind, change.value, by)
        changed = await _apply(session, action_id, rows, change)
        await lead_changes.end(session, action_id, changed=changed)
    await _tell(change.kind)
    return Done(action_id, changed, len(seen) - len(rows))


async def change_all(query: LeadQuery, change: Change, *, by: str) -> AsyncGenerator[Done, None]:
    """Change or delete every lead that matches, a few hundred a transaction; yields how far it is.

    What has been done when something fails is logged, and can be undone.
    """
    async with transaction() as session:
        action_id = await lead_changes.begin(session, change.kind, change.value, by)
    changed, whole = 0, False
    try:
        async for rows in leads.walk(query.by_date(), batch=_AT_ONCE):
            async with transaction() as session:
                there = await lead_changes.held(session, [row.id for row in rows])
                current = await leads.by_ids(session, list(there))
                changed += await _apply(session, action_id, current, change)
            yield Done(action_id, changed)
        whole = True
    finally:
        async with transaction() as session:
            await lead_changes.end(session, action_id, changed=changed, failed=not whole)
        await _tell(change.kind)
    yield Done(action_id, changed)


async def undo(action_id: str, *, by: str) -> AsyncGenerator[Done, None]:
    """Take back an action, a few hundred leads a transaction; yields how far it is.

    A lead that somebody has changed again since stays as it is.

    Raises:
        NothingToUndo: If it is undone already, or is no action.
    """
    async with transaction() as session:
        kind = await lead_changes.claim_undo(session, action_id)
        if kind is None:
            raise NothingToUndo
        undo_id = await lead_changes.begin(session, "undo", kind, by)
    after = back = seen = 0
    while True:
        async with transaction() as session:
            changes = await lead_changes.changes_of(session, action_id, after=after, limit=_AT_ONCE)
            if changes:
                after = changes[-1].number or 0
                seen += len(changes)
                back += await _take_back(session, undo_id, kind, changes)
            else:
                await lead_changes.end(session, undo_id, changed=back)
        await _tell(kind)
        yield Done(undo_id, back, seen - back)
        if not changes:
            return


async def _apply(session: AsyncSession, action_id: str, rows: list[LeadRow], change: Change) -> int:
    if change.kind == "delete":
        return await lead_changes.remove(session, action_id, rows)
    return await lead_changes.set_field(session, action_id, rows, change.kind, change.value)


async def _take_back(
    session: AsyncSession, undo_id: str, kind: str, changes: Sequence[LeadChange]
) -> int:
    if kind == "delete":
        return await lead_changes.restore(session, undo_id, changes)
    return await lead_changes.put_back(session, undo_id, kind, changes)


async def _tell(kind: str) -> None:
    """Who comes or goes may be a group's member."""
    await signals().publish(LEADS)
    if kind == "delete":
        await signals().publish(MEMBERS)
