"""Demand by ZIP, the waves of invitations, which a job sends, and what becomes of these.

pandas takes half a second and 60 MB to import, so that it is imported when the funnel is asked for.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.service import areas
from fuel_app.kit import audit, clock, jobs, policies
from fuel_app.kit.audit import Action, AuditEntry, Change, Done
from fuel_app.kit.clock import short_date
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import INVITATIONS, signals
from fuel_app.launch import queries
from fuel_app.launch.rules import (
    DAYS_SHOWN,
    JOB,
    NEIGHBORHOODS_SHOWN,
    NO_ZIP,
    TRANSITIONS,
    AreaNotOpen,
    AreaWaves,
    DemandRow,
    Funnel,
    FunnelLine,
    FunnelRow,
    WavesChanged,
)

NOUN = "waves"
INVITATIONS_PER_DAY = policies.policy(
    "invitations_per_day",
    "Invitations a day and area",
    unit="invitations",
    default=100,
    least=1,
    most=5000,
)


async def step_waves(kind: str, area_id: object, *, actor: Actor) -> Done:
    """Start, pause or resume the waves of an area.

    Raises:
        AreaNotOpen: If they would run, and the area is not open.
        WavesChanged: If they are not as the step needs them any more.
    """
    actor.require(Role.ADMIN)
    step, action = TRANSITIONS[kind], Action(NOUN, kind, str(actor))
    own = well_formed_id(area_id) or ""
    async with transaction() as session:
        if kind != "pause" and not await queries.lock_open(session, own):
            raise AreaNotOpen
        if not await queries.step_waves(session, own, step.before, step.after):
            raise WavesChanged
        change = Change(own, {"state": step.before}, {"state": step.after})
        await audit.record(session, action, [change])
        await jobs.enqueue(session, JOB)  # the first wave need not wait for the schedule
    await signals().publish(INVITATIONS)
    return Done(action.id, 1)


@audit.undoes(NOUN, *TRANSITIONS, topics=(INVITATIONS,))
async def _undo_step(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    for entry in entries:
        before, after = ((values or {})["state"] for values in (entry.before, entry.after))
        if not await queries.step_waves(session, entry.subject_id, after, before):
            raise ChangedSince
    return {entry.subject_id for entry in entries}


async def list_zips(*, actor: Actor) -> list[DemandRow]:
    """Return every ZIP by the people who wait there; the last one is 'No ZIP', if it is needed."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        counts = await queries.waiting_by_zip(session)
    rows = sorted(counts.items(), key=lambda each: (not each[0], -each[1], each[0]))
    return await _with_areas(
        [(each, each or NO_ZIP, each, waiting) for each, waiting in rows], actor
    )


async def list_neighborhoods(*, actor: Actor) -> list[DemandRow]:
    """Return every neighborhood by the members who wait."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        rows = await queries.waiting_by_neighborhood(session)
    return await _with_areas(rows, actor)


async def _with_areas(rows: Iterable[tuple[str, str, str, int]], actor: Actor) -> list[DemandRow]:
    """Return rows of the list with the area of each one's ZIP."""
    listing = await areas.listing(actor=actor)
    of_zip = {zip_code: area for area in listing for zip_code in area.zips}
    return [DemandRow.of(*row, of_zip.get(row[2])) for row in rows]


async def list_waves(*, actor: Actor) -> list[AreaWaves]:
    """Return every area with its waitlist and how far its waves are, by name."""
    listing = await areas.listing(actor=actor)
    async with reading() as session:
        waiting = await queries.invitable_by_zip(session)
        states = await queries.states_of_waves(session)
        sent = await queries.count_sent(session, clock.day_of(clock.now()))
        per_day = await policies.value(session, INVITATIONS_PER_DAY)
    shown = []
    for area in listing:
        invited, today = sent.get(area.id, (0, 0))
        shown.append(
            AreaWaves.of(
                area,
                states.get(area.id, ""),
                waiting=sum(waiting.get(zip_code, 0) for zip_code in area.zips),
                invited=invited,
                today=today,
                per_day=per_day,
            )
        )
    return shown


async def read_funnel(*, actor: Actor) -> Funnel:
    """Return the whole funnel; the event loop goes on meanwhile."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        rows = await queries.funnel(session)
        names = await queries.find_names(session)
    return await asyncio.to_thread(_compute_funnel, rows, *names)


def _compute_funnel(
    rows: Sequence[FunnelRow], area_names: Mapping[str, str], group_names: Mapping[str, str]
) -> Funnel:
    import pandas as pd

    counts = ["invited", "signed_up", "filled"]
    frame: Any = pd.DataFrame(rows, columns=FunnelRow._fields)  # type: ignore[arg-type]
    frame = frame.astype(dict.fromkeys(counts, int))
    by_area, by_day, by_neighborhood = (
        frame.groupby(key)[counts].sum() for key in ("area", "day", "neighborhood")
    )
    by_area = by_area.sort_values("invited", ascending=False)
    by_day = by_day.sort_index(ascending=False).head(DAYS_SHOWN)
    by_neighborhood = by_neighborhood.sort_values(["invited", "filled"], ascending=False)
    return Funnel(
        _funnel_lines(by_area, area_names.__getitem__),
        _funnel_lines(by_day, short_date),
        _funnel_lines(by_neighborhood.head(NEIGHBORHOODS_SHOWN), group_names.__getitem__),
    )


def _funnel_lines(frame: Any, name_of: Callable[[Any], str]) -> tuple[FunnelLine, ...]:
    return tuple(FunnelLine.of(name_of(key), *map(int, row)) for key, *row in frame.itertuples())
