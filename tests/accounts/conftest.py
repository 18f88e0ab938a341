"""A clock that a test moves."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from fuel_app.kit import clock


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that moves the clock by so much from now: `at(minutes=11)`."""
    start = clock.now()

    def move(**time: float) -> None:
        monkeypatch.setattr(clock, "now", lambda: start + timedelta(**time))

    return move
