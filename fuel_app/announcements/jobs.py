"""The job that sends an announcement, and what each of its messages says as it is sent."""

from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.announcements import queries
from fuel_app.announcements.rules import (
    CANCELLED,
    GONE_OUT,
    NEWSLETTER,
    OFFER,
    PAUSED,
    REFILL,
    SCHEDULED,
    SENDING,
    TEST,
    room,
)
from fuel_app.announcements.service import JOB, NOUN, WITHDRAWN, text_of
from fuel_app.announcements.tables import Announcement
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import Job, Later
from fuel_app.kit.outbox import MAIL, SMS, Draft, Message, Shared, Skip
from fuel_app.kit.signals import ANNOUNCEMENTS, signals
from fuel_app.messages.rules.kinds import send_at

_LOOK_AGAIN = timedelta(minutes=15)  # at what waits in the outbox of a paused one


async def _pause(session: AsyncSession, job: Job) -> None:
    """Pause an announcement whose job is dead: an admin sees that, and resumes it."""
    row = await queries.find(session, job.payload["id"], lock=True)
    if row and row.state == SENDING and row.revision == job.payload["revision"]:
        row.state = PAUSED


@jobs.handler(JOB, on_dead=_pause)
async def send(job: Job) -> None:
    """Queue an announcement for the next people, in one transaction, until all have it.

    1. End if it was paused or cancelled: a later step has a job of its own.
    2. In the quiet hours wait for the morning.
    3. Keep few of it in the outbox at a time, so that whatever is urgent goes between them.
    4. Once there is nobody left, and all that was due is out, it is sent.
    """
    async with transaction() as session:
        row = await queries.find(session, job.payload["id"], lock=True)
        if row is None or row.revision != job.payload["revision"]:
            return
        now = clock.now()
        if row.state == SCHEDULED:
            row.state = SENDING
        if row.state != SENDING:
            return
        at = send_at(row.kind, now, now)
        if at <= now:
            due, retried = await outbox.waiting_of_batch(session, row.id, now)
            most = room(due, retried)
            queued = await _queue_some(session, row, most)
            if queued < most and not due + queued:
                row.state = GONE_OUT
            at = now + REFILL
        goes_on = row.state == SENDING
    await signals().publish(ANNOUNCEMENTS)
    if goes_on:
        raise Later(at)


async def _queue_some(session: AsyncSession, row: Announcement, most: int) -> int:
    """Queue an announcement for its next people, whose row is locked. Return for how many."""
    people = await queries.next_people(session, row, most) if most else []
    drafts = [
        Draft(
            kind=row.kind,
            channel=channel,
            person_id=each.person_id,
            payload={NOUN: row.id},
            key=f"{NOUN}:{row.id}:{each.person_id}:{channel}",
            batch_id=row.id,
        )
        for each in people
        for channel, is_wanted in ((MAIL, each.by_mail), (SMS, each.by_text))
        if is_wanted
    ]
    await outbox.add_all(session, drafts)
    if people:
        row.reached = people[-1].person_id
    return len(people)


async def _compose(session: AsyncSession, message: Message) -> Any:
    """Return what a message of an announcement says, if that has not been stopped meanwhile."""
    row = await queries.find(session, str(message.payload.get(NOUN, "")))
    if row is None or row.state == CANCELLED:
        return Skip(WITHDRAWN)
    if row.state == PAUSED and message.kind != TEST:
        raise Later(clock.now() + _LOOK_AGAIN)
    return Shared(text_of(row))


for _kind in (NEWSLETTER, OFFER, TEST):
    outbox.composer(_kind)(_compose)
