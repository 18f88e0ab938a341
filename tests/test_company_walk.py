"""Random walks over the whole company: whatever happens, all that is written agrees."""

import asyncio
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random, randrange
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.kit import clock, throttle
from fuel_app.kit.db import session as database
from fuel_app.kit.signals import signals
from tests.conftest import TEMPLATE
from tests.faults.kills import Postgresql, Sqlite
from tests.walk import customers, staff, world
from tests.walk.checks import problems
from tests.walk.company import OFTEN, Company, done, refused, take

__all__ = ["customers", "staff", "world"]

STEPS = 1_000
CORE = (  # without these a walk would prove little
    *("sign_up_customer", "start_or_switch", "book", "book_as_guest", "move", "cancel"),
    *("prepare_tomorrow", "drive_on", "record_fill", "correct_invoice", "repeat_webhooks"),
)
SEEDS = st.randoms(use_true_random=True)


class Walk(RuleBasedStateMachine):
    """A company from its first day, in a database and an event loop of its own."""

    place: Sqlite | Postgresql
    company: Company

    def __init__(self) -> None:
        super().__init__()
        self.place.begin()
        self.runner = asyncio.Runner()
        for made_once in (faults, stripe.client, signals, database._write_lock):
            made_once.cache_clear()

    def run(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        return self.runner.run(work())

    @initialize()
    def found(self) -> None:
        self.company = self.run(Company.founded)

    @rule(name=st.sampled_from(OFTEN), chance=SEEDS)
    def step(self, name: str, chance: Random) -> None:
        self.step_by(name, chance)

    def step_by(self, name: str, chance: Random) -> None:
        self.run(lambda: take(self.company, name, chance))

    @invariant()
    def agrees(self) -> None:
        assert self.run(problems) == []

    def teardown(self) -> None:
        self.run(database.engine().dispose)
        self.runner.close()


@pytest.fixture
def place(
    engine_name: str, tmp_path: Path, request: pytest.FixtureRequest, configure: Any
) -> Sqlite | Postgresql:
    """Return where each walk begins with an empty database."""
    if engine_name == "sqlite":
        template = request.getfixturevalue("sqlite_template")
        folder = template.parent / f"walk-{tmp_path.name}"
        folder.mkdir()
        made = Sqlite(str(template), str(folder))
    else:
        made = Postgresql(TEMPLATE, request.getfixturevalue("postgres_template"))
    monkeypatch = request.getfixturevalue("monkeypatch")
    engine = database.make_engine(made.url)
    monkeypatch.setattr(database, "engine", lambda: engine)
    monkeypatch.setattr(clock, "datetime", clock.datetime)  # a walk sets it
    configure(throttle, rate_limits="off")
    throttle.throttle.cache_clear()
    done.clear()
    refused.clear()
    return made


def walk(place: Sqlite | Postgresql, **how: Any) -> None:
    class Here(Walk):
        pass

    Here.place = place
    known = {"deadline": None, "suppress_health_check": list(HealthCheck)}
    run_state_machine_as_test(Here, settings=settings(**known, **how))


@pytest.mark.database
@pytest.mark.parametrize("engine_name", ["sqlite"])
def test_books_agree_after_each_step_of_short_walks(place):
    walk(place, max_examples=2, stateful_step_count=25)


@pytest.mark.long
def test_books_agree_after_each_of_a_thousand_steps(place):
    """One walk, without Hypothesis' limit on the length of an example."""
    seed = int(os.environ.get("WALK_SEED") or randrange(2**32))
    chance = Random(seed)
    Walk.place = place
    walking = Walk()
    walking.found()
    try:
        for number in range(STEPS):
            name = chance.choice(OFTEN)
            try:
                walking.step_by(name, chance)
                walking.agrees()
            except BaseException as error:
                error.add_note(f"WALK_SEED={seed}, step {number}: {name}")
                raise
    finally:
        walking.teardown()
    assert {name for name in CORE if not done[name]} == set(), (seed, refused)
