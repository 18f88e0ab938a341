"""A small demo: its books agree, it is the same twice, and its sign-ins work."""

import os
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyotp.totp import TOTP

from demo import VISITOR
from demo.company import PASSWORD, SEED, email_of
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service.sessions import NeedsFactor, SignedIn, finish_second_step, sign_in
from fuel_app.kit import clock, secrets
from fuel_app.kit.db import session as database
from fuel_app.kit.db.session import make_engine
from fuel_app.kit.outbox import SMS
from fuel_app.settings import ROOT
from tests.helpers.books import books

pytestmark = pytest.mark.slow
NOW = "2026-11-24T19:30:00+00:00"  # half past two in the afternoon
HERE = Visitor("203.0.113.7")
_SAME = "SELECT id, state, slot_id, person_id FROM bookings ORDER BY id"


def _make(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    size = ("--customers", "12", "--days", "8", "--leads", "6")
    command = [sys.executable, "-m", "demo", "--only-make", "--now", NOW, *size]
    known = {name: value for name, value in os.environ.items() if not name.startswith("FUEL_")}
    return subprocess.run(
        [*command, "--folder", str(folder)],
        cwd=ROOT,
        env=known | settings,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, str]]:
    """Make it two times. Return the folders, with what was printed."""
    folders = [tmp_path_factory.mktemp("demo") for _ in range(2)]
    with ThreadPoolExecutor() as both:
        made = list(both.map(_make, folders))
    assert [(each.returncode, each.stderr) for each in made] == [(0, "")] * 2
    return [(folder, each.stdout) for folder, each in zip(folders, made, strict=True)]


@pytest.fixture
async def demo(twice: list[tuple[Path, str]], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Connect this process to the first one."""
    folder, printed = twice[0]
    engine = make_engine(f"sqlite+aiosqlite:///{folder / 'demo.db'}")
    monkeypatch.setattr(database, "engine", lambda: engine)
    key = (folder / "demo" / "secret-key").read_bytes()
    monkeypatch.setattr(secrets, "_key", lambda: key)
    yield printed
    await engine.dispose()


async def test_books_agree_and_nothing_of_the_past_is_left_to_do(demo: str):
    found = await books()
    assert [*found.problems(), *found.unfinished()] == []
    waiting = [each.run_at for each in found.jobs if each.ended_at is None]
    assert waiting
    assert min(waiting).isoformat() > NOW
    assert {"completed", "booked"} <= {each.state for each in found.bookings}
    assert {"sent", "queued"} <= {each.state for each in found.messages}
    assert "sent" in {each.state for each in found.messages if each.channel == SMS}


def test_same_day_makes_the_same_bookings(twice: list[tuple[Path, str]]):
    rows = []
    for folder, _ in twice:
        with sqlite3.connect(folder / "demo.db") as connection:
            rows.append(connection.execute(_SAME).fetchall())
    assert rows[0] == rows[1]
    assert rows[0]


async def test_printed_sign_ins_work(demo: str):
    emails = re.findall(r"[\w.]+@gulfside\.example", demo)
    assert emails == [VISITOR, *map(email_of, ("technician", "dispatcher", "admin"))]
    assert PASSWORD in demo
    for email in emails[:-1]:
        assert isinstance(await sign_in(email, PASSWORD, HERE), SignedIn)
    asked = await sign_in(emails[-1], PASSWORD, HERE)
    assert isinstance(asked, NeedsFactor)
    for email in re.findall(r"[\w.]+@(?:bayside|palmetto)\.example", demo):
        signed_in = await sign_in(email, PASSWORD, HERE)
        assert isinstance(signed_in, SignedIn)
    await finish_second_step(asked.challenge_id, "app", TOTP(SEED).at(clock.now()), HERE)


def test_existing_demo_is_kept(twice: list[tuple[Path, str]]):
    folder, _ = twice[0]
    before = (folder / "demo.db").stat().st_ino
    again = _make(folder)
    assert "Making" not in again.stdout
    assert (folder / "demo.db").stat().st_ino == before


def test_another_database_is_refused(tmp_path: Path):
    refused = _make(tmp_path, FUEL_DATABASE_URL=f"sqlite:///{tmp_path / 'real.db'}")
    assert refused.returncode == 1
    assert "FUEL_DATABASE_URL: the demo has a database of its own" in refused.stderr
    assert list(tmp_path.iterdir()) == []
