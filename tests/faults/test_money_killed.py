"""A process is killed after each commit of a use case of money, and another one goes on."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, TEMPLATE

CASES = (
    *("start of a plan", "start confirmed", "switch up", "renewal", "renewal declined"),
    *("new card for a debt", "hold"),
    *("capture above the hold", "nothing pumped", "late fee", "refund"),
    *("phone's batch", "two cars of a visit"),
)
ON_POSTGRESQL = (  # in each run
    *("start of a plan", "start confirmed"),
    *("capture above the hold", "phone's batch", "two cars of a visit"),
)


@pytest.fixture
def place(engine_name: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return where the process keeps its databases."""
    if engine_name == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        folder = template.parent / f"kill-{tmp_path.name}"
        folder.mkdir()
        yield {"engine": engine_name, "template": str(template), "at": str(folder)}
    else:
        server = request.getfixturevalue("postgres_template")
        yield {"engine": engine_name, "template": TEMPLATE, "at": server}


def check(place: dict[str, str], *cases: str, every: bool) -> None:
    """Kill use cases and check that each was tried, with nothing wrong after any step."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.money_cases"],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": url(place)},
        input=json.dumps(place | {"cases": cases, "every": every}) + "\n",
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert {case for case, _, _ in steps} == set(cases)
    assert [each for each in steps if each[2]] == []


def url(place: dict[str, str]) -> str:
    if place["engine"] == "sqlite":
        return f"sqlite+aiosqlite:///{place['at']}/kill.db"
    return place["at"].rpartition("/")[0] + "/kill"


@pytest.mark.long
def test_a_kill_at_each_step_charges_nothing_twice_and_loses_nothing(place):
    check(place, *(CASES if place["engine"] == "sqlite" else ON_POSTGRESQL), every=False)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_a_kill_after_any_commit_of_a_job_changes_no_amount(place, case):
    check(place, case, every=True)
