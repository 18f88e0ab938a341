"""The parts that pages are made of: tied together for readers, and without style props."""

import pytest
import reflex as rx

from fuel_app.kit.ui.button import button, icon_button, link_button, submit_button
from fuel_app.kit.ui.cards import alert, badge, card, progress_bar
from fuel_app.kit.ui.fields import checkbox, field, select_field, textarea_field
from fuel_app.kit.ui.tabs import tabs

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
def test_no_part_writes_styles_which_our_content_policy_forbids(name):
    assert "css:" not in str(PARTS[name])


def test_a_field_is_tied_to_its_label_hint_and_error():
    rendered = str(PARTS["field"])
    assert 'htmlFor:"f-name"' in rendered
    assert '"aria-describedby":"f-name-error f-name-hint"' in rendered
    assert 'id:"f-name-error"' in rendered
    assert 'id:"f-name-hint"' in rendered


def test_a_busy_button_says_so_and_cannot_be_pressed():
    rendered = str(PARTS["submit button"])
    assert "disabled:true" in rendered
    assert "Saving..." in rendered
