"""Shared components: toasts, charts and wizards."""

import pytest

from fuel_app.kit.ui.cards import bars
from fuel_app.kit.ui.toast import MOST, ToastState
from fuel_app.kit.ui.wizard import start_at
from tests.helpers.tabs import tab_at


def test_bars_of_a_chart_are_as_high_as_their_share_of_the_largest():
    shown = bars([("Mon", 5, "5"), ("Tue", 20, "20"), ("Wed", 10, "10")])
    assert [bar.top for bar in shown] == ["78.8%", "15.0%", "57.5%"]
    assert (shown[0].label, shown[0].value) == ("Mon", "5")
    assert [bar.top for bar in bars([("Mon", 0, "0")])] == ["100.0%"]


async def test_toasts_can_be_dismissed_and_the_oldest_makes_room():
    state = await tab_at().get_state(ToastState)
    for number in range(MOST + 1):
        state._show(str(number))
    assert [toast.text for toast in state.toasts] == ["1", "2", "3"]
    state.dismiss(state.toasts[0].id)
    assert [toast.text for toast in state.toasts] == ["2", "3"]


async def test_same_toast_is_on_screen_once():
    state = await tab_at().get_state(ToastState)
    for text in ("wrong", "done", "wrong"):
        state._show(text, "problem")
    assert [toast.text for toast in state.toasts] == ["done", "wrong"]


async def test_toast_of_an_earlier_page_is_not_shown_again():
    state = await tab_at().get_state(ToastState)
    state._show("old", seconds=-1)
    state._show("just now")
    state.drop_stale()
    assert [toast.text for toast in state.toasts] == ["just now"]


@pytest.mark.parametrize(
    ("path", "done", "redirect"),
    [
        ("/a", (False, False), None),
        ("/b/", (True, False), None),
        ("/c", (True, True), None),
        ("/b", (False, False), "/a"),
        ("/c", (True, False), "/b"),
        ("/elsewhere", (True, False), "/b"),
    ],
)
def test_wizard_step_opens_after_those_before_it(path, done, redirect):
    assert start_at(path, zip(("/a", "/b", "/c"), (*done, False), strict=True)) == redirect
