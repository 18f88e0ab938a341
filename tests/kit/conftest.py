"""Fixtures of the tests of jobs."""

from typing import Any

import pytest

from fuel_app.kit import jobs
from fuel_app.kit.jobs import queue, registry
from fuel_app.kit.jobs import worker as workers
from tests.helpers.jobs import handles


@pytest.fixture
def registered(monkeypatch) -> None:
    """A registry of the test's own."""
    own = registry.Registry()
    for module in (registry, queue, workers):
        monkeypatch.setattr(module, "REGISTRY", own)


@pytest.fixture
def ran() -> list[Any]:
    """What the handler of 'note' was given."""
    notes: list[Any] = []

    async def note(job: jobs.Job) -> None:
        notes.append(job.payload.get("n"))

    handles("note", note)
    return notes
