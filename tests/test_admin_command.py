"""`python -m fuel_app admin`, on a machine where nothing has been started before."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fuel_app import __main__ as command
from fuel_app.settings import ROOT


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A fresh one: the code, and no data."""
    for part in ("fuel_app", "alembic", "pyproject.toml"):
        (tmp_path / part).symlink_to(ROOT / part)
    return tmp_path


def run(installation: Path, *arguments: str) -> tuple[int, list[str]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FUEL_")}
    done = subprocess.run(
        [sys.executable, "-m", "fuel_app", "admin", *arguments],
        cwd=installation,
        env=clean | {"FUEL_SITE_URL": "https://fuel.example"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, (done.stdout or done.stderr).splitlines()


def stored(installation: Path, query: str) -> list[tuple]:
    [database] = (installation / "data").glob("*.db")
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.slow  # each run is a start of its own
def test_a_lost_admin_gets_a_link_to_choose_a_password(installation):
    link = "https://fuel.example/reset-password/"
    tries = [run(installation, " Root@Example.com ") for _ in range(2)]  # the first link is open
    for code, said in tries:
        assert code == 0
        assert said[-1].startswith(link)
        assert "root@example.com is an admin" in said[-2]
    assert stored(
        installation, "SELECT email, role FROM people JOIN person_roles ON person_id = id"
    ) == [("root@example.com", "admin")]
    [(challenge,)] = stored(installation, "SELECT id FROM challenges WHERE purpose = 'reset'")
    assert tries[-1][1][-1].startswith(f"{link}{challenge}.")


@pytest.mark.parametrize("email", [None, "root", "", "a\nb@example.com"])
def test_what_is_no_email_changes_nothing(email):
    with pytest.raises(SystemExit, match="Which e-mail"):
        command.admin(email)
