"""Messages of the weeks before: marked as sent by the day, as far as staff see them.

The last days' messages are sent by their own jobs.
"""

from types import SimpleNamespace
from typing import Any

from sqlalchemy import bindparam, select, update
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.dispatch.service import arrivals
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import JOB, MAIL, QUEUED, SENT, SKIPPED, Message
from fuel_app.messages import compose
from fuel_app.messages.rules.content import content_of
from fuel_app.messages.rules.delivery import NO_ADDRESS, NO_MAIL_SERVER, NO_SMS_SERVICE

_KEPT: dict[str, Any] = {}


def hold_back() -> None:
    """Queue messages without the jobs that send them, and none that an arrival moves."""
    _KEPT["tell"] = arrivals.__dict__["notify_step"]
    arrivals.__dict__["notify_step"] = _do_nothing
    quiet = SimpleNamespace(NewJob=jobs.NewJob, enqueue_all=_do_nothing)
    outbox.__dict__["jobs"] = quiet


async def _do_nothing(*_: object) -> None:
    """Enqueue and tell nothing."""


async def deliver() -> None:
    """Mark the messages that are due as sent, or as skipped where texts are off."""
    due = select(Message).where(col(Message.state) == QUEUED, col(Message.send_at) <= clock.now())
    changes: list[dict[str, Any]] = []
    async with transaction() as session:
        for row in list(await session.scalars(due)):
            person = await session.get(Person, row.person_id) if row.person_id else None
            known = {"b_id": row.id, "state": SENT, "sent_at": row.send_at, "error": NO_MAIL_SERVER}
            known |= {"recipient": row.recipient or (person and person.email) or "", "subject": ""}
            if row.channel == MAIL:
                values = await compose._values(row, None)
                known["subject"] = content_of(row.kind, values).subject
            elif person and person.phone_verified_at:
                known |= {"error": NO_SMS_SERVICE, "recipient": person.phone}
            else:
                known |= {"state": SKIPPED, "sent_at": None, "error": NO_ADDRESS, "recipient": ""}
            changes.append(known)
        if changes:
            names = ("state", "sent_at", "error", "recipient", "subject")
            table: Any = outbox._TABLE
            change = update(table).where(table.c.id == bindparam("b_id"))
            change = change.values({name: bindparam(name) for name in names})
            await (await session.connection()).execute(change, changes)


async def let_go() -> None:
    """Deliver what is due, and give what waits the job that sends it, as always from now on."""
    await deliver()
    outbox.__dict__["jobs"] = jobs
    arrivals.__dict__["notify_step"] = _KEPT["tell"]
    waiting = select(col(Message.id), col(Message.send_at)).where(col(Message.state) == QUEUED)
    async with transaction() as session:
        new = [
            jobs.NewJob(JOB, {"id": row[0]}, f"{JOB}:{row[0]}", row[1])
            for row in await session.execute(waiting)
        ]
        await jobs.enqueue_all(session, new)
