"""Short messages at the foot of the page."""

from fuel_app.kit.ui.toast import MOST, ToastState
from tests.helpers.tabs import tab_at


async def test_a_message_goes_when_it_is_dismissed():
    state = await tab_at().get_state(ToastState)
    state._show("Saved")
    state.dismiss(state.toasts[0].id)
    assert state.toasts == []


async def test_an_older_message_makes_room_for_a_newer_one():
    state = await tab_at().get_state(ToastState)
    for number in range(MOST + 1):
        state._show(str(number))
    assert [toast.text for toast in state.toasts] == ["1", "2", "3"]


async def test_a_message_of_the_page_before_is_not_shown_again():
    state = await tab_at().get_state(ToastState)
    state._show("old", seconds=-1)
    state._show("just now")
    state.drop_stale()
    assert [toast.text for toast in state.toasts] == ["just now"]
