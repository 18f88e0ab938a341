"""Backups: complete, of one moment, and restored into an empty database only."""

import asyncio
import os
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from fuel_app.accounts.rules import SYSTEM
from fuel_app.joining import service as neighborhoods
from fuel_app.kit.db import backups, session
from fuel_app.kit.db.backups import BackupFailed
from fuel_app.leads.rules import LeadQuery
from fuel_app.submissions import service as leads
from fuel_app.waitlist import service as waitlist
from tests import provision
from tests.factories import waitlist_entry

pytestmark = pytest.mark.slow

ZIP = "34236"
BACKUPS, JOINED_MEANWHILE = 10, 30
PAIRS = """
SELECT (SELECT count(*) FROM waitlist_submissions), (SELECT count(*) FROM leads),
  (SELECT count(*) FROM lead_search)
"""


@pytest.fixture(autouse=True)
def _tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's own, of the same version as the server."""
    places = f"{provision.postgres_bin()}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", places)


async def join_with_a_neighborhood() -> None:
    person = waitlist_entry(zip_code=ZIP)
    submission_id = await waitlist.join(person, referrer=None, address=person.email)
    await neighborhoods.create(submission_id, f"Grove {submission_id[-8:]}", ZIP)


async def names(url: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the ids that staff find in this database by the search index."""
    engine = session.make_engine(url)
    monkeypatch.setattr(session, "engine", lambda: engine)
    try:
        found = await leads.list_page(LeadQuery(q="lovelace"), actor=SYSTEM)
        return [lead.id for lead in found.rows]
    finally:
        await engine.dispose()


def test_a_backup_is_restored_into_an_empty_database(
    database_url, empty_database_url, tmp_path, monkeypatch
):
    async def fill(url: str) -> None:
        engine = session.make_engine(url)
        monkeypatch.setattr(session, "engine", lambda: engine)
        for _ in range(3):
            await join_with_a_neighborhood()
        await engine.dispose()

    asyncio.run(fill(database_url))
    before = asyncio.run(names(database_url, monkeypatch))
    file = tmp_path / "backups" / f"fuel{backups.suffix(database_url)}"

    backups.back_up(database_url, file)
    backups.restore(file, empty_database_url)

    assert len(before) == 3
    assert asyncio.run(names(empty_database_url, monkeypatch)) == before
    asyncio.run(fill(empty_database_url))  # its triggers and numbers came along
    assert len(asyncio.run(names(empty_database_url, monkeypatch))) == 6
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_database_with_tables_is_not_overwritten(database_url, tmp_path):
    file = tmp_path / "fuel.backup"
    backups.back_up(database_url, file)
    with pytest.raises(BackupFailed, match="has tables already"):
        backups.restore(file, database_url)


def test_other_files_are_not_restored(empty_database_url, tmp_path):
    other = tmp_path / "leads.csv"
    other.write_text("first_name,last_name,email\n")
    for file in (other, tmp_path / "nothing-here", tmp_path):
        with pytest.raises(BackupFailed, match="is not a backup"):
            backups.restore(file, empty_database_url)


def test_a_truncated_backup_restores_nothing(database_url, empty_database_url, tmp_path):
    file = tmp_path / "fuel.backup"
    backups.back_up(database_url, file)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    for _ in range(2):  # the second time it is refused for the same reason: nothing was left
        with pytest.raises(BackupFailed, match=r"^(?!.*has tables)"):
            backups.restore(file, empty_database_url)


def test_a_missing_database_leaves_no_backup_file(tmp_path):
    file = tmp_path / "backups" / "fuel.db"
    with pytest.raises(BackupFailed, match="there is no database"):
        backups.back_up(f"sqlite+aiosqlite:///{tmp_path}/elsewhere.db", file)
    assert list(file.parent.iterdir()) == []


def test_an_unavailable_server_is_reported(tmp_path):
    nowhere = "postgresql+asyncpg://fuel:secret@127.0.0.1:9/fuel"
    with pytest.raises(BackupFailed) as failed:
        backups.back_up(nowhere, tmp_path / "fuel.dump")
    assert "127.0.0.1" in str(failed.value)
    assert "secret" not in str(failed.value)
    assert list(tmp_path.iterdir()) == []


def test_missing_tools_are_reported_with_the_package(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackupFailed, match="apt install postgresql-client"):
        backups.back_up("postgresql+asyncpg://fuel@127.0.0.1:9/fuel", tmp_path / "fuel.dump")


def test_a_backup_is_a_consistent_snapshot(sqlite_template, tmp_path, monkeypatch):
    """Rows of one transaction are all in it or none, and every one committed before it is."""
    database = Path(shutil.copy(sqlite_template, tmp_path / "running.db"))
    url = f"sqlite+aiosqlite:///{database}"
    engine = session.make_engine(url)
    monkeypatch.setattr(session, "engine", lambda: engine)
    stopped, joined, taken = threading.Event(), [], []

    async def serve_on() -> None:
        while not stopped.is_set():
            await join_with_a_neighborhood()
            joined.append(True)
        await engine.dispose()

    site = threading.Thread(target=asyncio.run, args=(serve_on(),))
    site.start()
    try:
        while len(taken) < BACKUPS or taken[-1][0] < JOINED_MEANWHILE:
            file, at_least = tmp_path / f"backup-{len(taken)}.db", len(joined)
            backups.back_up(url, file)
            taken.append(_counts(file))
            assert taken[-1][0] >= at_least
            assert site.is_alive()
    finally:
        stopped.set()
        site.join()

    for visitors, listed, searchable in taken:
        assert visitors == listed == searchable
    assert taken == sorted(taken)


def _counts(file: Path) -> tuple[int, ...]:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        return connection.execute(PAIRS).fetchone()
