"""A newsletter to 20,000 customers: what queueing it takes, its worker killed twice on the way."""

import sys
import time
from dataclasses import asdict, replace

import sqlalchemy as sa

import fuel_app.fuel_app  # noqa: F401 (every table and job)
from bench import QUICK, apart
from bench.report import Figure
from fuel_app.accounts.tables import Person
from fuel_app.announcements import jobs
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import Later
from fuel_app.kit.outbox import SENT, Message
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.messages.tables import StoredPreferences
from tests.helpers.announcements import job_of, sent_out
from tests.helpers.outbox import NOON
from tests.helpers.statements import noted

READERS = 2_000 if QUICK else 20_000
_KILLED_AT = READERS // 300, READERS // 150  # of the parts


def measure() -> list[Figure]:
    figures = []
    for name in apart.DATABASES:
        with apart.DATABASES[name]() as url:
            measured = apart.run("bench.announcements", "queue", url=url)
        what = f"{READERS:,} customers, worker killed twice, {name}"
        figures += [
            Figure(f"{what}: CPU of queueing", "s", [measured["cpu_s"]], "<= 60"),
            Figure(
                f"{what}: statements a customer", "", [measured["statements"] / READERS], "<= 0.2"
            ),
            Figure(f"{what}: without one, or with two", "customers", [measured["wrong"]], "<= 0"),
        ]
    return figures


class _KilledError(Exception):
    pass


async def queue() -> dict[str, float]:
    """Queue a newsletter for many, as the job does, each part once the one before is sent."""
    await apart.create_tables()
    clock.now = lambda: NOON
    chosen = asdict(replace(NotificationSettings(), newsletter=True))
    for start in range(0, READERS, 500):
        people = [
            Person(email=f"reader.{start + number}@example.com", email_verified_at=NOON)
            for number in range(500)
        ]
        async with transaction() as session:
            await session.execute(sa.insert(Person), [each.model_dump() for each in people])
            rows = [{"person_id": each.id} | chosen for each in people]
            await session.execute(sa.insert(StoredPreferences), rows)
    job, add_all = await job_of(await sent_out()), outbox.add_all

    async def dies(*given: object) -> None:
        await add_all(*given)  # type: ignore[arg-type]
        raise _KilledError

    parts, cpu_s, statements, goes_on = 0, 0.0, 0, True
    while goes_on:
        parts += 1
        outbox.add_all = dies if parts in _KILLED_AT else add_all  # type: ignore[assignment]
        began = time.process_time()
        with noted() as noted_statements:
            try:
                await jobs.send(job)
                goes_on = False
            except (Later, _KilledError):
                pass
        cpu_s += time.process_time() - began
        statements += len(noted_statements)
        async with transaction() as session:
            await session.execute(sa.update(Message).values(state=SENT, sent_at=NOON))
    async with transaction() as session:
        per_person = sa.select(sa.func.count()).select_from(Message).group_by(Message.person_id)
        counts = (await session.scalars(per_person)).all()
    wrong = READERS - sum(count == 1 for count in counts)
    return {"cpu_s": cpu_s, "statements": statements, "wrong": wrong}


if __name__ == "__main__":
    apart.answer({"queue": queue}, sys.argv[1])
