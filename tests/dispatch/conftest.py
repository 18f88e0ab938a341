"""The clock of the tests that book, and a screen's waiting for changes."""

import asyncio

import pytest

from fuel_app.kit.signals import Changes
from tests.helpers.bookings import NOW, at


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return what is set whenever a screen waits for changes."""
    now, wait = asyncio.Event(), Changes.next

    async def noted(self: Changes, seconds: float | None = None) -> frozenset[str]:
        now.set()
        return await wait(self, seconds)

    monkeypatch.setattr(Changes, "next", noted)
    return now
