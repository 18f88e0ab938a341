"""Demand by ZIP, the waves of invitations, which a job sends, and what becomes of these.

pandas takes half a second and 60 MB to import, so that it is imported when the funnel is asked for.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.prices import is_stale
from fuel_app.areas.service import areas
from fuel_app.areas.service.prices import PRICE_DAYS
from fuel_app.kit import audit, clock, jobs, outbox, policies
from fuel_app.kit.audit import Action, AuditEntry, Change, Done
from fuel_app.kit.clock import short_date
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.signals import INVITATIONS, signals
from fuel_app.launch import queries
from fuel_app.launch.rules import (
    DAYS_SHOWN,
    JOB,
    MESSAGE,
    NEIGHBORHOODS_SHOWN,
    NO_ZIP,
    TEST_MESSAGE,
    TRANSITIONS,
    AreaNotOpen,
    AreaWaves,
    DemandRow,
    Funnel,
    FunnelLine,
    FunnelRow,
    InvitationMail,
    NothingPriced,
    WavesChanged,
)
from fuel_app.messages import service as messages
from fuel_app.waitlist.service import FREE_FILL_CAP

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
        NothingPriced: If they would run, and no grade has a current price.
        WavesChanged: If they are not as the step needs them any more.
    """
    actor.require(Role.ADMIN)
    step, action = TRANSITIONS[kind], Action(NOUN, kind, str(actor))
    own = well_formed_id(area_id) or ""
    async with transaction() as session:
        if kind != "pause":
            if not await queries.lock_open(session, own):
                raise AreaNotOpen
            if not await is_priced(session, own, clock.now()):
                raise NothingPriced
        if not await queries.step_waves(session, own, step.before, step.after):
            raise WavesChanged
        change = Change(own, {"state": step.before}, {"state": step.after})
        await audit.record(session, action, [change])
        await jobs.enqueue(session, JOB)  # the first wave need not wait for the schedule
    await signals().publish(INVITATIONS)
    return Done(action.id, 1)


async def is_priced(session: AsyncSession, area_id: str, now: datetime) -> bool:
    """Return whether a grade of an area can be booked: without one an invitation is for nothing."""
    since = await queries.priced_since(session, area_id, now)
    return since is not None and not is_stale(since, now, await policies.value(session, PRICE_DAYS))


async def preview_mail(area_id: object, *, actor: Actor) -> InvitationMail:
    """Return the mail that the next one in line of an open area gets.

    Raises AreaNotOpen, NothingPriced.
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        payload = await _next_payload(session, area_id)
    shown = messages.preview(MESSAGE, payload)
    return InvitationMail(shown.sender, shown.subject, shown.text)


async def send_test(area_id: object, *, key: str, actor: Actor) -> str:
    """Send that mail to the admin. Return the address; the same key sends it once.

    Raises:
        NoOwnAddress: If the admin is signed in by the shared password.
        TooManyRequests: After 30 in an hour.
        AreaNotOpen, NothingPriced
    """
    actor.require(Role.ADMIN)
    to = await messages.own_address(actor)
    async with transaction() as session:
        payload = await _next_payload(session, area_id)
        drafts = messages.drafts(TEST_MESSAGE, to.person_id, payload, key=f"{TEST_MESSAGE}:{key}")
        await outbox.add_all(session, drafts)
    return to.email


async def _next_payload(session: AsyncSession, area_id: object) -> dict[str, str]:
    """Return what the mail says to the next one in line, without whose it is."""
    own = well_formed_id(area_id) or ""
    area = await queries.find_open(session, own)
    if area is None:
        raise AreaNotOpen
    if not await is_priced(session, own, clock.now()):
        raise NothingPriced
    cap = Money(await policies.value(session, FREE_FILL_CAP)).short
    following = await queries.next_in_line(session, own, 1, lock=False)
    payload = following[0].payload(area, cap) if following else {"area": area.name}
    return {name: text for name, text in payload.items() if name != "submission"}


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
        now = clock.now()
        states = await queries.states_of_waves(session, now)
        sent = await queries.count_sent(session, clock.day_of(now))
        numbers = await policies.values(session)
    shown = []
    for area in listing:
        invited, today = sent.get(area.id, (0, 0))
        state, since = states.get(area.id, ("", None))
        shown.append(
            AreaWaves.of(
                area,
                state,
                waiting=sum(waiting.get(zip_code, 0) for zip_code in area.zips),
                invited=invited,
                today=today,
                per_day=numbers[INVITATIONS_PER_DAY.name],
                is_priced=since is not None and not is_stale(since, now, numbers[PRICE_DAYS.name]),
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
