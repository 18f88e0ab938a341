"""Messages in the outbox, queued and looked up."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import select

from fuel_app.accounts.queries import challenges
from fuel_app.accounts.rules import Purpose
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Message
from fuel_app.messages.service import drafts
from tests.helpers.jobs import run_due

NOON = datetime(2026, 3, 2, 17, tzinfo=UTC)  # in New York
# A value for every text.
VALUES = {
    "quote": "0195f3d2-7c1a-7bd4-8a1f-3a2c9d5e7f10",
    "type": "fleet",
    "contact": "Grace Hopper",
    "email": "grace@example.com",
    "phone": "9415550123",
    "size": "12 vehicles, weekly",
    "area": "Sarasota",
    "neighborhood": "Palm Court",
    "tier": "Tier 2",
    "saving": "5 ¢ less a gallon",
    "change": "5 ¢ more a gallon",
    "missing": "2 more members",
    "plan": "Family",
    "company": "Palm Plumbing",
    "name": "Grace Hopper",
    "title": "Fleet manager",
    "proposal_page": "019ab000-0000-7000-8000-0000000bb001",
    "role": "Manager",
    "amount": "$44.00",
    "day": "March 5, 2026",
    "since": "March 5, 2026",
    "what": "You changed to Family",
    "reason": "insufficient funds",
    "until": "March 6, 2026",
    "when": "Thursday, March 5, 8-10 AM",
    "before": "Wednesday, March 4, 8-10 AM",
    "vehicle": "2022 Toyota Camry",
    "place": "1234 Palm Avenue",
    "price": "$3.45",
    "charge": "none",
    "fee": "$15.00",
    "technician": "Joe",
    "arrives": "at 8:40 AM",
    "tracking": "secret-of-the-map",
    "gallons": "14.2",
    "total": "$48.99",
    "invoice": "019ab000-0000-7000-8000-00000000f111",
    "number": "GF-000042",
    "where": "goes back to your card",
    "what_to_do": "Please unlock the fuel door and book again.",
    "windows": "Fri, Mar 6, 8–10 AM; Fri, Mar 6, 10 AM–12 PM",  # noqa: RUF001
    "what_next": "We come as soon as it has passed.",
    "device": "Chrome on Windows",
    "network": "203.0.x.x",
    "factors": "a passkey, an authenticator app",
    "by": "Grace Hopper",
    "at": "Mar 2, 2026, 12:00 PM",
    "code": "123456",
    "token": "the-token",
    "submission": "019ab000-0000-7000-8000-000000000000",
    "booking": "019ab000-0000-7000-8000-00000000b00c",
    "revision": 1,
    "starts_at": "2026-03-05T13:00:00+00:00",
    "ends_at": "2026-03-05T15:00:00+00:00",
    "free_until": "Thursday, March 5, 6:00 AM",
    "late_fee": "$15.00",
    "due": "Thu, Mar 5",
    "slot": "019ab000-0000-7000-8000-00000000a2ea-2026-03-06-08",
    "repeats": "Every 2 weeks",
    "skip": "secret-of-the-repeat",
    "answer": "secret-of-the-seat",
    "next_free": "Fri, Mar 6, 8–10 AM",  # noqa: RUF001
    "subject": "News from the driveway",
    "body": "We have a second truck.\n\nMore: https://example.com/news",
    "text": "$5 off your next fill.",
    "route": "Your route for today has changed: 1 new stop.",
}


async def queue(kind: str, payload: dict[str, Any] | None = None, **options: Any) -> str:
    """Queue a message. Return its id."""
    given = (
        VALUES | {"code": None, "token": None, "skip": None, "by": "", "at": None} | (payload or {})
    )
    kept = {name: value for name, value in given.items() if value}
    if "submission" not in (payload or {}):
        del kept["submission"]
    async with transaction() as session:
        await outbox.add(session, kind, payload=kept, **options)
    return (await stored())[-1].id


async def notify(session: AsyncSession, *message: Any, **more: Any) -> None:
    """Queue a message on all its channels, as `drafts` takes it."""
    await outbox.add_all(session, drafts(*message, **more))


async def stored() -> list[Message]:
    """Return all messages in the order in which they were queued."""
    async with reading() as session:
        return list(await session.scalars(select(Message).order_by(Message.id)))


async def run_worker() -> None:
    """Run what is due by the clock of the test."""
    await run_due(lambda: clock.now())


async def sent(kind: str, payload: dict[str, Any] | None = None, **options: Any) -> Message:
    """Queue a message and run the worker. Return its row."""
    message_id = await queue(kind, payload, **options)
    await run_worker()
    return next(row for row in await stored() if row.id == message_id)


async def challenge(purpose: Purpose, person_id: str | None = None) -> str:
    async with transaction() as session:
        if person_id is None:
            return await challenges.issue(session, purpose, clock.now())
        return await challenges.issue(session, purpose, clock.now(), person_id=person_id)


def set_clock(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    monkeypatch.setattr(clock, "now", lambda: moment)
