"""Fixtures of the tests of jobs."""

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

from fuel_app.kit import jobs
from fuel_app.kit.jobs import registry
from tests.helpers.jobs import handles


@pytest.fixture
def registered() -> Iterator[None]:
    """Give the test an empty registry."""
    with patch.dict(registry.HANDLERS, clear=True), patch.dict(registry.SCHEDULES, clear=True):
        yield


@pytest.fixture
def ran(registered) -> list[Any]:
    """Return the payloads with which the handler of 'note' was called."""
    notes: list[Any] = []

    async def note(job: jobs.Job) -> None:
        notes.append(job.payload.get("n"))

    handles("note", note)
    return notes
