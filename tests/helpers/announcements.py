"""Customers who have agreed to announcements, and an announcement to them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import pytest
from sqlmodel import select

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.tables import Person
from fuel_app.announcements import service as announcements
from fuel_app.announcements.rules import REFILL, AnnouncementForm, Draft, SendForm
from fuel_app.announcements.tables import Announcement
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.outbox import Message
from fuel_app.messages import service as messages
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.messages.tables import StoredPreferences
from tests.helpers.jobs import stored_jobs
from tests.helpers.launch import ADMIN
from tests.helpers.outbox import run_worker, set_clock
from tests.helpers.people import a_person

TYPED = {
    "kind": "newsletter",
    "subject": "A second truck",
    "body": "We have a second truck.\nIt is blue.\n\nSee https://example.com/news?a=1&b=2",
    "text": "",
    "area_id": "",
    "plan_id": "",
}
OFFER = TYPED | {"kind": "offer", "subject": "$5 off", "text": "$5 off your next fill."}


async def a_reader(address: str, **switches: bool) -> Person:
    """Store a customer who wants newsletters and offers, or what these switches say."""
    person = await a_person(email=address, password=None)
    chosen = replace(NotificationSettings(), marketing=True, newsletter=True, **switches)
    async with transaction() as session:
        session.add(StoredPreferences(person_id=person.id, **asdict(chosen)))
    return person


async def readers(number: int) -> list[Person]:
    return [await a_reader(f"reader.{place}@example.com") for place in range(number)]


async def a_texted_reader(email: str, phone: str) -> Person:
    """Store one who has agreed to offers by text message, too."""
    person = await a_person(email=email, password=None, phone=phone, phone_verified_at=clock.now())
    async with transaction() as session:
        await messages.agree_to_texts(session, phone, person.id)
    for switch in ("marketing", "newsletter"):
        await messages.toggle_preference(Actor(person_id=person.id), switch)
    await messages.agree_to_offer_texts(Actor(person_id=person.id))
    return person


async def a_draft(**typed: Any) -> str:
    form = AnnouncementForm.parse(TYPED | typed)
    return await announcements.save(Draft(), form, actor=ADMIN)


async def send(announcement_id: str, when: str = "") -> None:
    look = await announcements.look(announcement_id, actor=ADMIN)
    await announcements.send(look, SendForm.parse({"when": when}), actor=ADMIN)


async def sent_out(**typed: Any) -> str:
    """Write an announcement and send it. Return its id."""
    announcement_id = await a_draft(**typed)
    await send(announcement_id)
    return announcement_id


async def found(announcement_id: str) -> Announcement:
    async with reading() as session:
        return await session.get_one(Announcement, announcement_id)


async def job_of(announcement_id: str) -> Job:
    """Return the job of an announcement as a worker has it."""
    stored = [each for each in await stored_jobs() if each.payload.get("id") == announcement_id]
    return Job("1", stored[-1].kind, stored[-1].payload, attempts=1)


async def outcomes(batch_id: str) -> Sequence[tuple[str, str, str | None]]:
    """Return channel, state and reason of an announcement's messages, in their order."""
    async with reading() as session:
        own = select(Message).where(Message.batch_id == batch_id).order_by(Message.id)
        return [(row.channel, row.state, row.error) for row in await session.scalars(own)]


async def goes_out(monkeypatch: pytest.MonkeyPatch, began: datetime, *, rounds: int = 20) -> None:
    """Run the worker every other second from a moment on."""
    for number in range(rounds):
        set_clock(monkeypatch, began + number * REFILL)
        await run_worker()
