"""The clock of the bookings' tests."""

import pytest

from tests.helpers.bookings import NOW, at


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)
