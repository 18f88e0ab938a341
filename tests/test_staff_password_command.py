"""`python -m fuel_app staff-password`, on a machine where nothing has been started before."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from fuel_app.settings import ROOT

pytestmark = pytest.mark.slow  # each is a start of its own

COMMAND = [sys.executable, "-m", "fuel_app", "staff-password"]
# Gives the command a terminal of its own, and passes on what stands there.
TERMINAL = [sys.executable, "-c", f"import pty, sys; sys.exit(pty.spawn({COMMAND}) >> 8)"]
NEW = "pump & circumstance ⛽"


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A fresh one: the code, and no data."""
    for part in ("fuel_app", "alembic", "pyproject.toml"):
        (tmp_path / part).symlink_to(ROOT / part)
    return tmp_path


Start = Callable[..., subprocess.Popen]


@pytest.fixture
def start(installation: Path) -> Start:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("FUEL_")}

    def run(command: list[str] = COMMAND, **settings: str) -> subprocess.Popen:
        return subprocess.Popen(
            command,
            cwd=installation,
            env=clean | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    return run


def outcome(process: subprocess.Popen, typed: str) -> tuple[int, str]:
    said, _ = process.communicate(typed.encode(), timeout=60)
    return process.returncode, said.decode()


def stored(installation: Path) -> str:
    file = installation / "data" / "staff-password"
    return file.read_text().strip() if file.exists() else ""


def test_a_line_of_standard_input_becomes_the_password(installation, start):
    code, said = outcome(start(), f"{NEW}\n")
    assert (code, said.splitlines()[-1]) == (
        0,
        "The staff's password is changed. Signed-in browsers that are out now: 0.",
    )
    assert NEW not in said + stored(installation)
    assert PasswordHasher().verify(stored(installation), NEW)
    assert (installation / "data" / "staff-password").stat().st_mode & 0o777 == 0o600


def typed_at_a_terminal(terminal: subprocess.Popen, *answers: str) -> tuple[int, str]:
    """Each answer is typed when it is asked for; what is on the screen in the end."""
    assert terminal.stdin
    assert terminal.stdout
    screen = b""
    for question, answer in zip(("New staff password: ", "The same again: "), answers, strict=True):
        while not screen.endswith(question.encode()):
            letter = terminal.stdout.read(1)
            assert letter, screen
            screen += letter
        terminal.stdin.write(f"{answer}\n".encode())
        terminal.stdin.flush()
    rest, _ = terminal.communicate(timeout=60)
    return terminal.returncode, (screen + rest).decode()


def test_at_a_terminal_it_is_asked_for_twice_and_never_shown(installation, start):
    code, screen = typed_at_a_terminal(start(TERMINAL), NEW, NEW)
    assert code == 0, screen
    assert NEW not in screen
    assert PasswordHasher().verify(stored(installation), NEW)


def test_two_that_differ_change_nothing(installation, start):
    code, screen = typed_at_a_terminal(start(TERMINAL), NEW, "another")
    assert (code, stored(installation)) == (1, "")
    assert "These two differ: nothing is changed." in screen
