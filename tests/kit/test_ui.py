"""Shared components: their accessible names and states, toasts, charts and wizards."""

import pytest
import reflex as rx

from fuel_app.kit.ui.button import button, icon_button, link_button, submit_button
from fuel_app.kit.ui.cards import alert, badge, card, progress_bar
from fuel_app.kit.ui.charts import bars
from fuel_app.kit.ui.fields import checkbox, field, select_field, textarea_field
from fuel_app.kit.ui.tabs import tabs
from fuel_app.kit.ui.toast import MOST, ToastState
from fuel_app.kit.ui.wizard import start_at
from tests.helpers.tabs import tab_at

PARTS = {
    "button": button("Save"),
    "danger button": button("Delete", kind="danger"),
    "submit button": submit_button("Save", busy=rx.Var.create(True), busy_text="Saving..."),
    "link button": link_button("Plans", href="/home"),
    "icon button": icon_button("x", "Close"),
    "card": card("Hello"),
    "badge": badge("5 neighbors", "yellow"),
    "progress bar": progress_bar(3, 5, "Members"),
    "alert": alert("No."),
    "field": field("Name", "name", form="f", error="Name is required", hint="As you like"),
    "text area": textarea_field("Notes", "notes", form="f", optional=True),
    "select": select_field("Fuel", "fuel", ["gasoline", "diesel"], form="f", placeholder="Choose"),
    "checkbox": checkbox("Save this address", "save", form="f"),
    "tabs": tabs(
        [("a", "First", rx.el.p("1")), ("b", "Second", rx.el.p("2"))],
        value=rx.Var.create("a"),
        on_change=rx.noop(),
        label="Steps",
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_component_has_no_inline_style(name):
    assert "css:" not in str(PARTS[name])


def test_field_references_its_label_hint_and_error():
    rendered = str(PARTS["field"])
    assert 'htmlFor:"f-name"' in rendered
    assert '"aria-describedby":"f-name-error f-name-hint"' in rendered
    assert 'id:"f-name-error"' in rendered
    assert 'id:"f-name-hint"' in rendered


def test_busy_button_is_disabled_and_shows_its_busy_text():
    rendered = str(PARTS["submit button"])
    assert "disabled:true" in rendered
    assert "Saving..." in rendered


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
        ("/a", (True, True), None),
        ("/b/", (True, False), None),
        ("/c", (True, True), None),
        ("/b", (False, False), "/a"),
        ("/c", (False, True), "/a"),
        ("/c", (True, False), "/b"),
        ("/elsewhere", (True, False), "/b"),
    ],
)
def test_wizard_step_opens_after_those_before_it(path, done, redirect):
    assert start_at(path, zip(("/a", "/b", "/c"), (*done, False), strict=True)) == redirect
