"""Where people wait, the waves of invitations, and what becomes of these.

Admins start, pause and resume the waves of an area; a job sends them. pandas takes half a second
and 60 MB to import, so that it is imported when the funnel is asked for.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.areas import AreaRow
from fuel_app.areas.service import areas
from fuel_app.kit import audit, clock, jobs, outbox, policies
from fuel_app.kit.audit import Action, AuditEntry, Change, Done
from fuel_app.kit.clock import short_date
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Draft
from fuel_app.kit.signals import INVITATIONS, signals
from fuel_app.launch import queries
from fuel_app.launch.queries import FunnelRow
from fuel_app.launch.rules import (
    DAYS_SHOWN,
    JOB,
    MESSAGE,
    NEIGHBORHOODS_SHOWN,
    NO_ZIP,
    STEPS,
    AreaNotOpen,
    AreaWaves,
    Funnel,
    FunnelLine,
    Place,
    WavesChanged,
)
from fuel_app.messages.rules.kinds import is_quiet
from fuel_app.waitlist.rules import INVITATION_KEY
from fuel_app.waitlist.service import FREE_FILL_CAP

NOUN = "waves"
CHUNK = 200  # invitations in one transaction
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
    asked, action, own = STEPS[kind], Action(NOUN, kind, str(actor)), well_formed_id(area_id) or ""
    async with transaction() as session:
        if kind != "pause" and not await queries.lock_open(session, own):
            raise AreaNotOpen
        if not await queries.step_waves(session, own, asked.before, asked.after):
            raise WavesChanged
        change = Change(own, {"state": asked.before}, {"state": asked.after})
        await audit.record(session, action, [change])
        await jobs.enqueue(session, JOB)  # the first wave need not wait for the schedule
    await signals().publish(INVITATIONS)
    return Done(action.id, 1)


@audit.undoes(NOUN, *STEPS, topics=(INVITATIONS,))
async def _undo_step(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    for entry in entries:
        before, after = ((values or {})["state"] for values in (entry.before, entry.after))
        if not await queries.step_waves(session, entry.subject_id, after, before):
            raise ChangedSince
    return {entry.subject_id for entry in entries}


async def send_due(now: datetime) -> int:
    """Send today's waves of all areas. Return how many were invited.

    1. In the quiet hours wait for the morning.
    2. Of each open area whose waves run, invite the next in line, some in each transaction, until
       today's number is reached. A second run, or a second worker, finds it reached.
    """
    if is_quiet(now):
        return 0
    async with reading() as session:
        areas = await queries.list_running(session)
    invited = 0
    for area_id in areas:
        some = CHUNK
        while some == CHUNK:
            async with transaction() as session:
                some = await _invite_some(session, area_id, now)
            invited += some
            if some:
                await signals().publish(INVITATIONS)
    return invited


async def _invite_some(session: AsyncSession, area_id: str, now: datetime) -> int:
    """Invite the next in line of an area, each with the message, in the caller's transaction."""
    area, day = await queries.lock_running(session, area_id), clock.day_of(now)
    if area is None:
        return 0
    numbers = await policies.values(session)
    room = numbers[INVITATIONS_PER_DAY.name] - await queries.count_sent_on(session, area_id, day)
    found = await queries.lock_next_in_line(session, area_id, max(0, min(CHUNK, room)))
    new = await queries.add_invitations(session, area_id, [each.id for each in found], day)
    cap = Money(numbers[FREE_FILL_CAP.name]).short
    drafts = [
        Draft(
            kind=MESSAGE,
            to=each.email,
            payload=each.payload(area, cap),
            key=f"{INVITATION_KEY}{each.id}",
        )
        for each in found
        if each.id in new
    ]
    if drafts:
        await outbox.add_all(session, drafts)
    return len(drafts)


async def list_zips(*, actor: Actor) -> list[Place]:
    """Return every ZIP by the people who wait there; the last one is 'No ZIP', if it is needed."""
    actor.require(Role.ADMIN)
    of_zip = _by_zip(await areas.listing(actor=actor))
    async with reading() as session:
        counts = await queries.waiting_by_zip(session)
    found = [
        _place(each, each or NO_ZIP, each, waiting, of_zip) for each, waiting in counts.items()
    ]
    return sorted(found, key=lambda each: (not each.id, -each.waiting, each.id))


async def list_neighborhoods(*, actor: Actor) -> list[Place]:
    """Return every neighborhood by the members who wait."""
    actor.require(Role.ADMIN)
    of_zip = _by_zip(await areas.listing(actor=actor))
    async with reading() as session:
        rows = await queries.waiting_by_neighborhood(session)
    return [_place(*row, of_zip) for row in rows]


async def list_waves(*, actor: Actor) -> list[AreaWaves]:
    """Return every area with its waitlist and how far its waves are, by name."""
    rows = await areas.listing(actor=actor)
    async with reading() as session:
        waiting = await queries.invitable_by_zip(session)
        states = await queries.states_of_waves(session)
        sent = await queries.count_sent(session, clock.day_of(clock.now()))
        per_day = await policies.value(session, INVITATIONS_PER_DAY)
    return [
        AreaWaves(
            row.id,
            row.name,
            row.status,
            states.get(row.id, ""),
            sum(waiting.get(zip_code, 0) for zip_code in row.zips),
            *sent.get(row.id, (0, 0)),
            per_day,
        )
        for row in rows
    ]


def _by_zip(rows: list[AreaRow]) -> dict[str, AreaRow]:
    return {zip_code: row for row in rows for zip_code in row.zips}


def _place(
    place_id: str, name: str, zip_code: str, waiting: int, of_zip: dict[str, AreaRow]
) -> Place:
    area = of_zip.get(zip_code)
    own = (area.name, area.status) if area else ("", "")
    return Place(place_id, name, zip_code, waiting, *own)


_COUNTS, _RATES = ["invited", "signed_up", "filled"], ["signed_up_rate", "filled_rate"]


async def read_funnel(*, actor: Actor) -> Funnel:
    """Return the whole funnel; the event loop goes on meanwhile."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        waves = await queries.invited_by_wave(session), await queries.became_by_wave(session)
        groups = (
            await queries.invited_by_neighborhood(session),
            await queries.became_by_neighborhood(session),
        )
        names = await queries.find_names(session)
    return await asyncio.to_thread(_compute_funnel, waves, groups, *names)


def _compute_funnel(
    waves: tuple[list[FunnelRow], list[FunnelRow]],
    groups: tuple[list[FunnelRow], list[FunnelRow]],
    area_names: Mapping[str, str],
    group_names: Mapping[str, str],
) -> Funnel:
    by_wave = _join_counts(["area", "day"], *waves)
    by_group = _join_counts(["group"], *groups)
    by_area = by_wave.groupby("area")[_COUNTS].sum().sort_values("invited", ascending=False)
    by_day = by_wave.groupby("day")[_COUNTS].sum().sort_index(ascending=False)
    ranked = by_group.set_index("group").sort_values(["invited", "filled"], ascending=False)
    return Funnel(
        _funnel_lines(by_area, [area_names[each] for each in by_area.index]),
        _funnel_lines(by_day.head(DAYS_SHOWN), [short_date(each) for each in by_day.index]),
        _funnel_lines(
            ranked.head(NEIGHBORHOODS_SHOWN), [group_names[each] for each in ranked.index]
        ),
    )


def _join_counts(by: list[str], invited: Sequence[FunnelRow], became: Sequence[FunnelRow]) -> Any:
    """Return the invited beside what became of them; nobody is 0."""
    import pandas as pd

    every = pd.DataFrame(invited, columns=[*by, "invited"])
    some = pd.DataFrame(became, columns=[*by, "signed_up", "filled"])
    return every.merge(some, on=by, how="left").fillna(0).astype(dict.fromkeys(_COUNTS, int))


def _funnel_lines(frame: Any, names: Sequence[str]) -> tuple[FunnelLine, ...]:
    """Return a line for each row, with its rates in whole percents."""
    invited = frame["invited"]
    halves = frame[["signed_up", "filled"]].mul(200).add(invited, axis=0)
    rates = halves.floordiv(2 * invited, axis=0)  # half up
    whole = frame.join(rates.rename(columns="{}_rate".format))
    rows = whole[[*_COUNTS, *_RATES]].itertuples(index=False)
    return tuple(FunnelLine(name, *map(int, row)) for name, row in zip(names, rows, strict=False))
