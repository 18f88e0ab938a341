"""The job that sends the waves of invitations."""

from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit import clock, jobs, outbox, policies
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Draft
from fuel_app.kit.signals import INVITATIONS, signals
from fuel_app.launch import queries
from fuel_app.launch.rules import JOB, MESSAGE
from fuel_app.launch.service.waves import INVITATIONS_PER_DAY, is_priced
from fuel_app.messages.rules.kinds import is_quiet
from fuel_app.waitlist.rules import INVITATION_KEY
from fuel_app.waitlist.service import FREE_FILL_CAP

CHUNK = 200  # invitations in one transaction


@jobs.scheduled(JOB, jobs.every(timedelta(minutes=15)))
async def send_due(now: datetime) -> int:
    """Send today's waves of all areas. Return how many were invited.

    1. In the quiet hours wait for the morning.
    2. Of each open area whose waves run, and which has a current price, invite the next in line,
       some in each transaction, until today's number is reached. A second run, or a second worker,
       finds it reached.
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
    area = await queries.lock_running(session, area_id)
    if area is None or not await is_priced(session, area_id, now):
        return 0
    day, numbers = clock.day_of(now), await policies.values(session)
    room = numbers[INVITATIONS_PER_DAY.name] - await queries.count_sent_on(session, area_id, day)
    candidates = await queries.next_in_line(session, area_id, max(0, min(CHUNK, room)))
    new = await queries.add_invitations(session, area_id, [each.id for each in candidates], day)
    cap = Money(numbers[FREE_FILL_CAP.name]).short
    drafts = [
        Draft(
            kind=MESSAGE,
            to=each.email,
            payload=each.payload(area, cap),
            key=f"{INVITATION_KEY}{each.id}",
        )
        for each in candidates
        if each.id in new
    ]
    await outbox.add_all(session, drafts)
    return len(drafts)
