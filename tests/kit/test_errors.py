"""Words of a change that failed."""

import pytest
from structlog.testing import capture_logs

from fuel_app.kit.errors import FAILED, InvalidForm, Refusal, problem_of


async def _change(problem: Exception | None = None) -> None:
    if problem:
        raise problem


async def test_a_change_that_succeeds_has_no_problem():
    assert await problem_of(_change(), "test.failed") == ""


async def test_a_refusal_is_said_in_its_own_words():
    assert await problem_of(_change(Refusal("Not today.")), "test.failed") == "Not today."


async def test_an_unexpected_failure_is_logged_and_asks_for_another_try():
    with capture_logs() as logged:
        assert await problem_of(_change(OSError("away")), "test.failed") == FAILED
    assert [line["event"] for line in logged] == ["test.failed"]


async def test_an_invalid_form_keeps_its_messages():
    with pytest.raises(InvalidForm) as refused:
        await problem_of(_change(InvalidForm({"name": "Name is required"})), "test.failed")
    assert refused.value.messages == {"name": "Name is required"}
