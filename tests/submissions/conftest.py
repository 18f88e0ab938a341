"""What the tests of several use cases share."""

import pytest

from fuel_app.submissions.service import importing as running
from fuel_app.submissions.service import importing as storing


@pytest.fixture
def few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a few rows takes several steps, which do not wait."""
    monkeypatch.setattr(storing, "MANY", 3)
    monkeypatch.setattr(storing, "AT_ONCE", 1)
    monkeypatch.setattr(running, "PAUSE_S", 0)
    monkeypatch.setattr(running, "_TOLD_EVERY_S", 0)
