"""Planning and publishing a day on the dispatch board."""

import pytest

from fuel_app.accounts.state.screens import UndoState
from fuel_app.dispatch.service import day_plan
from fuel_app.dispatch.service.day_plan import Planned
from fuel_app.dispatch.state.board import ESTIMATED, BoardState
from fuel_app.kit.errors import FAILED, Refusal
from tests.dispatch.test_state_board import two_stops
from tests.helpers.board import BoardTab
from tests.helpers.bookings import NOW, at
from tests.helpers.dispatch import TOMORROW, change_stop

pytestmark = pytest.mark.usefixtures("sqlite_database", "_now")


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


def planned(monkeypatch, outcome, *, name="plan", module=day_plan):
    """Let planning or publishing end so. Return the arguments of its calls."""
    calls = []

    async def act(*given):
        calls.append(given)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr(module, name, act)
    return calls


async def test_a_plan_is_said_and_can_be_undone(monkeypatch):
    shift, _, (first, _) = await two_stops()
    await change_stop(first, leg_s=3 * 60 * 60 + 900)  # late, unlike the second one
    tab = await BoardTab.open()
    calls = planned(monkeypatch, Planned("action", 2, 1, True))
    await tab.fire(BoardState.plan)
    ((_, day, seen),) = calls
    assert (day, seen) == (TOMORROW.isoformat(), {shift.id: 1})
    assert await tab.offered() == "2 stops planned, 1 late, 1 fit on no truck"
    board = await tab.board
    assert (board.busy, ESTIMATED in board.warnings) == ("", True)
    planned(monkeypatch, Planned("", 2, 0, False))
    await tab.fire(BoardState.plan)
    assert await tab.said() == ["2 stops planned, 1 late. Nothing had to change"]
    assert ESTIMATED not in board.warnings


@pytest.mark.parametrize(
    ("problem", "said"), [(Refusal("No shift."), "No shift."), (OSError(), FAILED)]
)
async def test_a_plan_that_fails_says_why(monkeypatch, problem, said):
    await two_stops()
    tab = await BoardTab.open()
    planned(monkeypatch, problem)
    await tab.fire(BoardState.plan)
    board = await tab.board
    assert (await tab.said(), board.busy, len(board.columns)) == ([said], "", 1)


async def test_a_second_press_while_planning_does_nothing(monkeypatch):
    await two_stops()
    tab = await BoardTab.open()
    (await tab.board).busy = "plan"
    calls = planned(monkeypatch, Planned("action", 2, 1, True))
    await tab.fire(BoardState.plan)
    await tab.fire(BoardState.publish)
    assert calls == []


async def test_a_published_day_is_said(monkeypatch):
    await two_stops()
    tab = await BoardTab.open()
    calls = planned(monkeypatch, 1, name="publish", module=day_plan)
    await tab.fire(BoardState.publish)
    assert len(calls) == 1
    assert await tab.said() == ["Published: 1 stop sent to the technicians"]
    assert not (await tab.screen(UndoState)).action_id
