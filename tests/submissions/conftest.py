"""Fixtures that the tests of several use cases share."""

import pytest

from fuel_app.submissions import jobs


@pytest.fixture
def few_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a few rows takes several transactions."""
    monkeypatch.setattr(jobs, "CHUNK", 3)
