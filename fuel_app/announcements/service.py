"""Admins write announcements, try them, send them now or later, pause, resume and cancel them."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.announcements import queries
from fuel_app.announcements.rules import (
    CANCELLED,
    OFFER,
    PAUSED,
    SCHEDULED,
    SENDING,
    TEST,
    TRANSITIONS,
    AnnouncementChanged,
    AnnouncementForm,
    AnnouncementGone,
    AnnouncementLine,
    Draft,
    Look,
    NobodyAgreed,
    SendForm,
)
from fuel_app.announcements.tables import Announcement
from fuel_app.areas.service import areas
from fuel_app.kit import audit, clock, jobs, outbox
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import ANNOUNCEMENTS, signals
from fuel_app.messages import service as messages
from fuel_app.messages.rules.content import content_of

NOUN = "announcement"
JOB = "announcements.send"
WITHDRAWN = "It was cancelled."
_ALL_AREAS, _NO_AREA = "All areas", "An area that is deleted"


async def list_announcements(limit: int, *, actor: Actor) -> tuple[list[AnnouncementLine], bool]:
    """Return the newest ones, and whether there are more.

    Counting the people who are still to come takes a statement for each one that goes out.
    """
    actor.require(Role.ADMIN)
    names = {area.id: area.name for area in await areas.listing(actor=actor)} | {"": _ALL_AREAS}
    now = clock.now()
    async with reading() as session:
        rows = await queries.newest(session, limit + 1)
        shown = rows[:limit]
        ids = [row.id for row in shown]
        by_id = await queries.count_messages(session, ids)
        unsubscribed = await queries.count_unsubscribed(session, ids)
        lines = [
            AnnouncementLine.of(
                row,
                names.get(row.area_id, _NO_AREA),
                messages=by_id.get(row.id, {}),
                left=await _count_left(session, row),
                unsubscribed=unsubscribed.get(row.id, 0),
                now=now,
            )
            for row in shown
        ]
    return lines, len(rows) > limit


async def _count_left(session: AsyncSession, row: Announcement) -> int:
    if row.state not in (SENDING, PAUSED):
        return 0
    left = await queries.count_people(session, row)
    return left.mails + left.texts


async def find_draft(announcement_id: object, *, actor: Actor) -> Draft:
    """Return an announcement to edit.

    Raises:
        AnnouncementGone
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        row = await _found(session, announcement_id)
    return Draft(
        id=row.id,
        kind=row.kind,
        subject=row.subject,
        body=row.body,
        text=row.text,
        area_id=row.area_id,
        plan_id=row.plan_id,
        revision=row.revision,
    )


async def save(draft: Draft, form: AnnouncementForm, *, actor: Actor) -> str:
    """Store a draft, a new one if it has no id. Return the id.

    Raises:
        AnnouncementChanged: If it is not as it was seen; nothing is stored.
    """
    actor.require(Role.ADMIN)
    values: dict[str, Any] = form.model_dump() | {"changed_at": clock.now()}
    async with transaction() as session:
        if draft.id:
            if not await queries.change(session, draft.id, draft.revision, **values):
                raise AnnouncementChanged
            announcement_id = draft.id
        else:
            row = Announcement(**values)
            session.add(row)
            announcement_id = row.id
    await signals().publish(ANNOUNCEMENTS)
    return announcement_id


async def remove(announcement_id: object, *, actor: Actor) -> None:
    """Delete a draft.

    Raises:
        AnnouncementChanged: If it is none any more.
    """
    actor.require(Role.ADMIN)
    own = well_formed_id(announcement_id) or ""
    async with transaction() as session:
        if not await queries.remove(session, own):
            raise AnnouncementChanged
        await audit.record(session, Action(NOUN, "delete", str(actor)), [Change(own, None)])
    await signals().publish(ANNOUNCEMENTS)


async def look(announcement_id: object, *, actor: Actor) -> Look:
    """Return an announcement as it would go out now.

    Raises:
        AnnouncementGone
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        row = await _found(session, announcement_id)
        audience = await queries.count_people(session, row)
    mail = messages.preview(row.kind, text_of(row))
    return Look(
        id=row.id,
        revision=row.revision,
        sender=mail.sender,
        subject=mail.subject,
        text=mail.text,
        sms=content_of(OFFER, text_of(row)).sms if row.text else "",
        audience=audience,
    )


async def mail_page(announcement_id: object, *, actor: Actor) -> str:
    """Return the HTML of an announcement's mail.

    Raises:
        AnnouncementGone
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        row = await _found(session, announcement_id)
    return messages.preview_page(row.kind, text_of(row))


async def send_test(announcement_id: object, *, key: str, actor: Actor) -> str:
    """Send the mail to the admin. Return the address; the same key sends it once.

    Raises:
        NoOwnAddress: If the admin is signed in by the shared password.
        TooManyRequests: After 30 in an hour.
        AnnouncementGone
    """
    actor.require(Role.ADMIN)
    to = await messages.own_address(actor)
    async with transaction() as session:
        row = await _found(session, announcement_id)
        payload = {NOUN: row.id}
        drafts = messages.drafts(TEST, to.person_id, payload, key=f"{TEST}:{key}")
        await outbox.add_all(session, drafts)
    return to.email


async def send(seen: Look, form: SendForm, *, actor: Actor) -> datetime:
    """Have a draft go out, now or at its time. Return when.

    Raises:
        InvalidForm: If the time is over, or too far ahead.
        NobodyAgreed: If nobody would get it.
        AnnouncementChanged: If the draft is not as it was seen, or not one any more.
    """
    actor.require(Role.ADMIN)
    now = clock.now()
    at = form.at(now)
    values = {"state": SCHEDULED if form.when else SENDING, "send_at": at}
    async with transaction() as session:
        if not await queries.change(session, seen.id, seen.revision, **values):
            raise AnnouncementChanged
        row = await _found(session, seen.id)
        audience = await queries.count_people(session, row)
        if not audience.people:
            raise NobodyAgreed
        after = {"people": audience.people, "at": at.isoformat()}
        await audit.record(session, Action(NOUN, "send", str(actor)), [Change(row.id, {}, after)])
        await _enqueue(session, row, at)
    await signals().publish(ANNOUNCEMENTS)
    return at


async def step(kind: str, announcement_id: object, *, actor: Actor) -> None:
    """Pause, resume or cancel an announcement that goes out, or recall one before it does.

    Those who have it keep it. What is cancelled goes to nobody else.

    Raises:
        AnnouncementGone
        AnnouncementChanged: If it is not as the step needs it any more.
    """
    actor.require(Role.ADMIN)
    transition = TRANSITIONS[kind]
    async with transaction() as session:
        row = await _found(session, announcement_id, lock=True)
        if row.state not in transition.before:
            raise AnnouncementChanged
        change = Change(row.id, {"state": row.state}, {"state": transition.after})
        await audit.record(session, Action(NOUN, kind, str(actor)), [change])
        row.state, row.revision = transition.after, row.revision + 1
        if row.state == CANCELLED:
            await outbox.skip_batch(session, row.id, WITHDRAWN)
        elif row.state == SENDING:
            await _enqueue(session, row, clock.now())
    await signals().publish(ANNOUNCEMENTS)


async def _enqueue(session: AsyncSession, row: Announcement, at: datetime) -> None:
    """Add the job that sends an announcement; one of an earlier revision does nothing any more."""
    payload = {"id": row.id, "revision": row.revision}
    await jobs.enqueue(session, JOB, payload, key=f"{JOB}:{row.id}:{row.revision}", run_at=at)


async def _found(
    session: AsyncSession, announcement_id: object, *, lock: bool = False
) -> Announcement:
    row = await queries.find(session, well_formed_id(announcement_id) or "", lock=lock)
    if row is None:
        raise AnnouncementGone
    return row


def text_of(row: Announcement) -> dict[str, str]:
    """Return the values of the text of an announcement's messages."""
    return {"subject": row.subject, "body": row.body, "text": row.text}
