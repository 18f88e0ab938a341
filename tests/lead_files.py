"""Files of leads as people bring them, and imports run to their end."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event

import pytest
from sqlalchemy import func, select

from fuel_app.kit import background
from fuel_app.kit.db.session import reading, transaction
from fuel_app.leads.tables import Lead
from fuel_app.submissions.queries import imported as imported_leads
from fuel_app.submissions.queries import imports as lead_imports
from fuel_app.submissions.rules.csv_import import Checked, LeadFile, checked
from fuel_app.submissions.rules.imports import LeadImport
from fuel_app.submissions.service import export as lead_export
from fuel_app.submissions.service import imports
from fuel_app.waitlist.tables import WaitlistSubmission

HEADER = "first_name,last_name,email,phone,zip_code"
NOTHING = (0, 0, 0)  # counts of an import
_HELD_S = 30
BY = "01a1fec0-4fd5-7ff3-96b4-210824c24ff5"


def table(*rows: str, header: str = HEADER) -> bytes:
    return "\r\n".join([header, *rows, ""]).encode()


def people(count: int, start: int = 1) -> list[str]:
    """Rows of so many people, each with an e-mail of their own."""
    return [
        f"Ada,Lovelace,ada{n}@import.example,9415550123,34236" for n in range(start, start + count)
    ]


@contextmanager
def held() -> Iterator[None]:
    """An import that begins inside the block goes on when it ends."""
    prepare, going_on = imported_leads.prepare, Event()

    def wait(import_id: str, part: Checked) -> imported_leads.Prepared:
        assert going_on.wait(_HELD_S)
        return prepare(import_id, part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(imported_leads, "prepare", wait)
        try:
            yield
        finally:
            going_on.set()


async def run(data: bytes, name: str = "leads.csv") -> LeadImport:
    """Import a file; what came of it."""
    import_id = await imports.start(name, data, by=BY)
    await ended()
    return await found(import_id)


async def ended() -> None:
    """Wait until nothing runs in the background."""
    while tasks := background.under_way():
        await asyncio.wait(tasks)


async def found(import_id: str) -> LeadImport:
    return next(each for each in await imports.history() if each.id == import_id)


def counts(outcome: LeadImport) -> Sequence[int]:
    return outcome.imported, outcome.duplicates, outcome.invalid


async def stored() -> tuple[int, int]:
    """How many are on the waitlist and in the list."""
    async with reading() as session:
        waiting = await session.scalar(select(func.count()).select_from(WaitlistSubmission))
        listed = await session.scalar(select(func.count()).select_from(Lead))
    return waiting or 0, listed or 0


async def rejected(import_id: str) -> str:
    """The file of the rows that were rejected, without its first mark."""
    return "".join([part async for part in lead_export.rejected(import_id)]).removeprefix("\ufeff")


async def left_behind(data: bytes, many: int = 2) -> str:
    """What a process leaves that is killed after its first step."""
    file = LeadFile.read("leads.csv", data)
    async with transaction() as session:
        turn = await lead_imports.begin(session, file, by=BY)
    async with transaction() as session:
        prepared = imported_leads.prepare(turn.import_id, next(checked(file, many)))
        new = await imported_leads.store(session, prepared)
        counted = await imported_leads.account(session, turn.import_id, prepared, new)
        await lead_imports.step(session, turn, **counted)
    return turn.import_id
