"""Files of leads, and imports run to their end."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import pytest
from sqlalchemy import func, select

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.jobs import queue
from fuel_app.leads.tables import Lead
from fuel_app.submissions import service as submissions
from fuel_app.submissions.jobs import import_file
from fuel_app.submissions.queries import imports as queries
from fuel_app.submissions.tables import LeadImport, LeadImportFile
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.helpers.bookings import STAFF
from tests.helpers.jobs import run_due

HEADER = "first_name,last_name,email,phone,zip_code"
NOTHING = (0, 0, 0)  # counts of an import
BY = Actor(frozenset({Role.ADMIN}), session_id=new_id())  # the shared password


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\r\n".join([header, *rows, ""]).encode()


def people(count: int, start: int = 1) -> list[str]:
    """Return rows of people, each with an e-mail of its own."""
    return [
        f"Ada,Lovelace,ada{n}@import.example,9415550123,34236" for n in range(start, start + count)
    ]


async def start(data: bytes, name: str = "leads.csv", *, by: Actor = BY) -> str:
    """Have a file imported as its columns are named. Return the import's id."""
    upload_id = await submissions.keep_file(name, data, actor=by)
    return await submissions.start_import(upload_id, actor=by)


async def run(data: bytes, name: str = "leads.csv") -> LeadImport:
    """Import a file and return its outcome."""
    import_id = await start(data, name)
    await run_due()
    return await found(import_id)


async def found(import_id: str) -> LeadImport:
    async with reading() as session:
        return await session.get_one(LeadImport, import_id)


def counts(outcome: LeadImport) -> Sequence[int]:
    return outcome.imported, outcome.duplicates, outcome.invalid


async def stored() -> tuple[int, int]:
    """Count the waitlist and the list of leads."""
    async with reading() as session:
        waiting = await session.scalar(select(func.count()).select_from(WaitlistSubmission))
        listed = await session.scalar(select(func.count()).select_from(Lead))
    return waiting or 0, listed or 0


async def files() -> int:
    """Count the uploaded files that are still stored."""
    async with reading() as session:
        return await session.scalar(select(func.count()).select_from(LeadImportFile)) or 0


async def rejected(import_id: str) -> str:
    """Return the file of rejected rows without its BOM."""
    parts = await submissions.export_rejected(import_id, actor=STAFF)
    assert parts
    return "".join([part async for part in parts]).removeprefix("\ufeff")


async def left_behind(data: bytes) -> str:
    """Start an import whose process is killed after its first chunk of rows."""
    import_id = await start(data)
    (job,) = await queue.claim(clock.now(), 1)
    with killed_after_chunks(1), suppress(Killed):
        await import_file(job)
    return import_id


class Killed(BaseException):
    """The end of a process: no handler catches it."""


@contextmanager
def killed_after_chunks(chunks: int) -> Iterator[None]:
    store, stored = queries.store, []

    async def noted(session, import_id, rows):
        if len(stored) == chunks:
            raise Killed
        stored.append(rows)
        return await store(session, import_id, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "store", noted)
        yield


async def after_its_lease() -> None:
    """Run the jobs of a killed process after their lease."""
    await run_due(lambda: clock.now() + queue.LEASE)
