"""Admins start, pause and resume the waves of an area; a job sends them."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit import audit, clock, figures, jobs, outbox
from fuel_app.kit.audit import Action, AuditEntry, Change, Done
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Draft
from fuel_app.kit.signals import INVITATIONS, signals
from fuel_app.launch.queries import waves as queries
from fuel_app.launch.rules.waves import JOB, MESSAGE, STEPS, AreaNotOpen, WavesChanged
from fuel_app.messages.rules.kinds import is_quiet
from fuel_app.waitlist.rules import INVITATION_KEY
from fuel_app.waitlist.service import FREE_FILL_CAP

NOUN = "waves"
CHUNK = 200  # invitations in one transaction
INVITATIONS_PER_DAY = figures.figure(
    *("invitations_per_day", "Invitations a day and area"),
    unit="invitations",
    default=100,
    least=1,
    most=5000,
)


async def step(kind: str, area_id: object, *, actor: Actor) -> Done:
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
        if not await queries.step(session, own, asked.before, asked.after):
            raise WavesChanged
        change = Change(own, {"state": asked.before}, {"state": asked.after})
        await audit.record(session, action, [change])
        await jobs.enqueue(session, JOB)  # the first wave need not wait for the schedule
    await signals().publish(INVITATIONS)
    return Done(action.id, 1)


@audit.undoes(NOUN, *STEPS, topics=(INVITATIONS,))
async def _step_back(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    for entry in entries:
        before, after = ((values or {})["state"] for values in (entry.before, entry.after))
        if not await queries.step(session, entry.subject_id, after, before):
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
        areas = await queries.running(session)
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
    numbers = await figures.values(session)
    room = numbers[INVITATIONS_PER_DAY.name] - await queries.sent_on(session, area_id, day)
    found = await queries.next_in_line(session, area_id, max(0, min(CHUNK, room)))
    new = await queries.invite(session, area_id, [each.id for each in found], day)
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
