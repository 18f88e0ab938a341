"""Queries on imports of leads: which there are, how far each is, and whose it is.

`beat_at` is when an import last said that it is alive, and also the proof that it is still its
process's own: every step asks for the time of the step before, so that a process that was believed
dead and comes back stores nothing more.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db import tables as kit_tables
from fuel_app.kit.db.session import on_sqlite
from fuel_app.submissions import tables
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.rules import imports as lead_imports
from fuel_app.submissions.rules.csv_import import LeadFile, Reject
from fuel_app.submissions.rules.imports import ImportRunning

_Import = tables.LeadImport
_id, _state, _beat = col(_Import.id), col(_Import.state), col(_Import.beat_at)
_running = _state == "running"
_SHOWN = [col(getattr(_Import, name)) for name in lead_imports.LeadImport.__dataclass_fields__]
_ALONE = text("LOCK TABLE lead_imports IN SHARE ROW EXCLUSIVE MODE")  # as all writers on SQLite are


class ImportLost(Exception):  # noqa: N818 (nobody has failed)
    """Another process has taken this import over."""


@dataclass(slots=True)
class Turn:
    """One process's hold on an import."""

    import_id: str
    beat: datetime
    cancel_asked: bool = False
    finished: bool = False


async def begin(session: AsyncSession, file: LeadFile, *, by: str) -> Turn:
    """Note a new import, whose columns are its first 'rejected row'.

    Raises:
        ImportRunning: If there is one already.
    """
    await _alone(session)
    row = _Import(file_name=file.name, by_session=by, rows=file.rows)
    session.add(row)
    await session.flush()
    await imported_leads.reject(session, row.id, [Reject(1, file.kept_header, "")])
    return Turn(row.id, row.beat_at)


async def begin_undo(session: AsyncSession, import_id: str) -> Turn | None:
    """Start to take back what an import brought; None if there is nothing (any more).

    Raises:
        ImportRunning: If another one is running.
    """
    await _alone(session)
    now = kit_tables.now()
    done = update(_Import).where(_id == import_id, _state == "done")
    begun = done.values(state="running", cancel_asked=True, rows_done=0, beat_at=now)
    found = await session.scalar(begun.returning(_id))
    return Turn(import_id, now, cancel_asked=True, finished=True) if found else None


async def _alone(session: AsyncSession) -> None:
    if not on_sqlite(session):
        await session.execute(_ALONE)
    if await session.scalar(select(_id).where(_running).limit(1)):
        raise ImportRunning


async def step(session: AsyncSession, turn: Turn, **counted: int) -> Turn:
    """Say that an import is alive and how far it is; returns the hold for the next step.

    Raises:
        ImportLost: If somebody else has it now.
    """
    now = kit_tables.now()
    ours = update(_Import).where(_id == turn.import_id, _running, _beat == turn.beat)
    more = {name: col(getattr(_Import, name)) + count for name, count in counted.items()}
    asked = await session.scalar(
        ours.values(beat_at=now, **more).returning(col(_Import.cancel_asked))
    )
    if asked is None:
        raise ImportLost
    return Turn(turn.import_id, now, cancel_asked=asked, finished=turn.finished)


async def finish(session: AsyncSession, turn: Turn) -> bool:
    """All rows are stored; False if staff would rather have none, or somebody else has it now."""
    ours = update(_Import).where(_id == turn.import_id, _running, _beat == turn.beat)
    done = ours.where(col(_Import.cancel_asked).is_(False))
    ended = done.values(state="done", finished_at=kit_tables.now()).returning(_id)
    return await session.scalar(ended) is not None


async def end_return(session: AsyncSession, turn: Turn, message: str) -> None:
    """All rows are taken back. Of an import that never ended, no count is kept."""
    await step(session, turn)
    state = lead_imports.end_of_return(cancel_asked=turn.cancel_asked, finished=turn.finished)
    values: dict[str, Any] = {"state": state}
    if state != "undone":
        counts = ("rows_done", "imported", "duplicates", "invalid")
        values |= {"finished_at": kit_tables.now(), **dict.fromkeys(counts, 0)}
    if state == "failed":
        values["message"] = message
    await session.execute(update(_Import).where(_id == turn.import_id).values(values))


async def ask_to_cancel(session: AsyncSession, import_id: str) -> None:
    ours = update(_Import).where(_id == import_id, _running)
    await session.execute(ours.values(cancel_asked=True))


async def take_over(session: AsyncSession, silent_since: datetime) -> Turn | None:
    """One running import of which nothing was heard since then: it is ours now."""
    silent = select(_id).where(_running, _beat <= silent_since).limit(1)
    now = kit_tables.now()
    taken = update(_Import).where(_id.in_(silent), _running, _beat <= silent_since)
    back = taken.values(beat_at=now).returning(
        _id, col(_Import.cancel_asked), col(_Import.finished_at)
    )
    row = (await session.execute(back)).first()
    return Turn(row[0], now, cancel_asked=row[1], finished=row[2] is not None) if row else None


async def latest(session: AsyncSession, limit: int) -> list[lead_imports.LeadImport]:
    """The last imports, newest first."""
    found = select(*_SHOWN).order_by(col(_Import.started_at).desc(), _id.desc()).limit(limit)
    return [lead_imports.LeadImport(*row) for row in await session.execute(found)]
