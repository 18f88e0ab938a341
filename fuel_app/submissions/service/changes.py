"""Staff change and delete leads, one or many, and undo it."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.customers.service import arrival
from fuel_app.kit import audit
from fuel_app.kit.audit import Action, AuditEntry, Done
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import LeadChanged, LeadGone
from fuel_app.kit.signals import LEADS, MEMBERS, signals
from fuel_app.leads import queries as leads
from fuel_app.leads.rules import Change, LeadQuery, LeadRow
from fuel_app.submissions.queries import changes as lead_changes

_AT_ONCE = 500  # leads a transaction: a visitor who joins meanwhile waits for one of these at most
DELETED_KEPT_FOR = timedelta(minutes=10)


async def change(lead_id: str, seen: int, change: Change, *, actor: Actor) -> Done:
    """Change or delete one lead, whose revision `seen` is on the person's screen.

    Raises:
        LeadGone: If it has been deleted.
        LeadChanged: If it has been changed since.
    """
    action = _action(change, actor)
    async with transaction() as session:
        rows = await lead_changes.locked(session, [lead_id])
        if not rows:
            raise LeadGone
        if rows[0].revision != seen:
            raise LeadChanged
        changed = await _apply(session, action, rows, change)
    await _publish(change)
    return Done(action.id, changed)


async def change_selected(
    seen: Mapping[str, int], change: Change, *, actor: Actor, query: LeadQuery | None = None
) -> Done:
    """Change or delete the chosen leads, except those with other revisions than were `seen` and
    those that the query, under which they were chosen, does not find."""
    action = _action(change, actor)
    async with transaction() as session:
        rows = await lead_changes.locked(session, list(seen), query)
        same = [row for row in rows if row.revision == seen[row.id]]
        changed = await _apply(session, action, same, change)
    await _publish(change)
    return Done(action.id, changed, len(seen) - len(same))


async def change_all(
    query: LeadQuery, change: Change, *, actor: Actor
) -> AsyncGenerator[Done, None]:
    """Change or delete every lead that matches, some in each transaction; yield the progress.

    When something fails on the way, what is done by then can be undone.
    """
    action, changed = _action(change, actor), 0
    # An order that the changes do not affect.
    by_date = replace(query, sort="-date" if query.descending else "date")
    try:
        async for rows in leads.in_batches(by_date, batch=_AT_ONCE):
            async with transaction() as session:
                there = await lead_changes.locked(session, [row.id for row in rows])
                changed += await _apply(session, action, there, change)
            yield Done(action.id, changed)
    finally:
        await _publish(change)
    yield Done(action.id, changed)


@audit.undoes("lead", "status", "lead_source", topics=(LEADS,))
async def _set_back(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    return await lead_changes.set_back(session, entries[0].kind, entries)


@audit.undoes("lead", "delete", topics=(LEADS, MEMBERS))
async def _restore(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    return await lead_changes.restore(session, [entry.before or {} for entry in entries])


def _action(change: Change, actor: Actor) -> Action:
    kept_for = DELETED_KEPT_FOR if change.kind == "delete" else None
    return Action("lead", change.kind, str(actor), kept_for)


async def _apply(session: AsyncSession, action: Action, rows: list[LeadRow], change: Change) -> int:
    if not rows:
        return 0
    if change.kind == "delete":
        linked = await lock_linked(session, [row.id for row in rows])
        return await lead_changes.remove(session, action, rows, linked)
    return await lead_changes.set_field(session, action, rows, change.kind, change.value)


async def lock_linked(session: AsyncSession, lead_ids: Sequence[str]) -> set[str]:
    """Lock the waitlist submissions of these leads. Return those that belong to customers."""
    await lead_changes.lock_entries(session, lead_ids)
    return await arrival.linked(session, lead_ids)


async def _publish(change: Change) -> None:
    await signals().publish(LEADS)
    if change.kind == "delete":  # it may have been a member of a neighborhood
        await signals().publish(MEMBERS)
