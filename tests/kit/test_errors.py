"""Words of a change that failed."""

import importlib
import pkgutil

import pytest
from structlog.testing import capture_logs

import fuel_app
from fuel_app.kit.errors import FAILED, Failure, InvalidForm, Refusal, problem_of
from fuel_app.kit.http import refused


async def _change(problem: Exception | None = None) -> None:
    if problem:
        raise problem


async def test_a_failed_change_is_said_and_an_unexpected_one_logged_too():
    with capture_logs() as logged:
        assert await problem_of(_change(), "test.failed") == ""
        assert await problem_of(_change(Refusal("Not today.")), "test.failed") == "Not today."
        same = await problem_of(_change(Refusal(FAILED)), "test.failed")
        assert (same, isinstance(same, Failure), logged) == (FAILED, False, [])
        failed = await problem_of(_change(OSError("away")), "test.failed")
        assert (failed, isinstance(failed, Failure)) == (FAILED, True)
    assert [line["event"] for line in logged] == ["test.failed"]


async def test_an_invalid_form_keeps_its_messages():
    with pytest.raises(InvalidForm) as refused:
        await problem_of(_change(InvalidForm({"name": "Name is required"})), "test.failed")
    assert refused.value.messages == {"name": "Name is required"}


def _below(kind: type[Refusal]) -> set[type[Refusal]]:
    return {kind}.union(*map(_below, kind.__subclasses__()))


@pytest.fixture(scope="module")
def refusals() -> list[type[Refusal]]:
    """Return every class of the app's refusals."""
    for module in pkgutil.walk_packages(fuel_app.__path__, "fuel_app."):
        if module.name not in {"fuel_app.__main__", "fuel_app.fuel_app"}:
            importlib.import_module(module.name)
    return [each for each in _below(Refusal) if each.__module__.startswith("fuel_app.")]


def test_every_refusal_is_an_answer_over_http(refusals):
    assert len(refusals) > 100
    for kind in refusals:
        refusal = kind.__new__(kind)
        Exception.__init__(refusal, "Said.")
        if isinstance(refusal, InvalidForm):
            refusal.messages = {"name": "Said."}
        answer = refused(refusal)
        assert (answer.status_code, answer.body) == (kind.http_status, b"Said."), kind
        assert 400 <= answer.status_code < 500, kind
