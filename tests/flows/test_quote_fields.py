"""Filling in a quote: tabs, messages, the phone number, places; readable for everybody."""

import pytest
from playwright.sync_api import WebSocket, expect

from tests.flows.checks import assert_accessible_at_every_size
from tests.flows.conftest import DESKTOP, PHONE, alive
from tests.flows.quoting import (
    fill_fleet_quote,
    open_business_quote,
    open_fleet_quote,
    place,
    press_next,
    submit,
    suggestions,
)


def test_the_phone_number_formats_itself_around_the_caret(visit):
    page = visit("/fleet", PHONE)
    phone = open_fleet_quote(page).get_by_label("Phone")
    for typed, shown in (
        ("941", "(941"),
        ("5", "(941) 5"),
        ("550", "(941) 555-0"),
        ("123", "(941) 555-0123"),
        ("9", "(941) 555-01239"),  # too long: nothing is cut
        ("x", "(941) 555-01239x"),
    ):
        phone.press_sequentially(typed)
        expect(phone).to_have_value(shown)
    longer = ("(941) 555-01239", "(941) 555-0123")
    for shown in (*longer, "(941) 555-012", "(941) 555-01", "(941) 555-0", "(941) 555"):
        page.keyboard.press("Backspace")
        expect(phone).to_have_value(shown)
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.type("7")  # between 4 and 1
    expect(phone).to_have_value("(947) 155-5")
    page.keyboard.type("8")  # the caret went along
    expect(phone).to_have_value("(947) 815-55")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    expect(phone).to_have_value("(941) 555")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("+1 (941) 555-0123")
    expect(phone).to_have_value("(941) 555-0123")
    for as_pasted in ("19415550123", "+44 20 7946 0958", "(941) 555-0123 ext. 7"):
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(as_pasted)
        expect(phone).to_have_value(as_pasted)


def test_places_are_suggested_and_chosen_by_keyboard(visit):
    page = visit("/business")
    dialog = open_business_quote(page)
    field = place(dialog)
    field.press_sequentially("bradenton")
    expect(suggestions(dialog).first).to_have_text("Bradenton, FL")
    expect(field).to_have_attribute("aria-expanded", "true")
    number = suggestions(dialog).count()
    expect(dialog.get_by_role("status")).to_have_text(f"{number} suggestions")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    second = dialog.get_by_role("option", selected=True).and_(suggestions(dialog))
    expect(second).to_have_text(suggestions(dialog).nth(1).inner_text())
    expect(field).to_have_attribute("aria-activedescendant", second.get_attribute("id") or "none")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(field).to_have_value("Bradenton, FL")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(dialog.get_by_role("status")).to_have_text("")
    expect(dialog.get_by_text("Industry is required")).to_be_hidden()  # Enter sent nothing


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP])
def test_suggestions_leave_the_button_free_and_end_with_the_field(visit, company, viewport):
    page = visit("/fleet", viewport)
    dialog = open_fleet_quote(page)
    fill_fleet_quote(dialog, company)
    place(dialog).fill("bradenton")
    expect(suggestions(dialog).nth(3)).to_be_attached()
    listed = dialog.get_by_role("listbox", name="Suggestions").bounding_box()
    button = dialog.get_by_role("button", name="Submit Request").bounding_box()
    assert listed is not None
    assert button is not None
    assert listed["height"] > 88  # two of them
    assert listed["y"] + listed["height"] <= button["y"]
    dialog.get_by_label("Notes").focus()
    expect(suggestions(dialog)).to_have_count(0)


def test_suggestions_that_come_late_stay_shut(visit):
    page = visit("/business")
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    page.reload()
    alive(page)
    dialog = open_business_quote(page)
    with sockets[-1].expect_event("framereceived", lambda frame: "Bradenton, FL" in str(frame)):
        place(dialog).press_sequentially("bradenton")
        dialog.get_by_label("Notes").focus()
    expect(suggestions(dialog)).to_have_count(0)
    with sockets[-1].expect_event("framereceived", lambda frame: "Sarasota, FL" in str(frame)):
        place(dialog).evaluate(  # as a browser fills a form in
            """it => {
              const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
              own.set.call(it, "sarasota");
              it.dispatchEvent(new Event("input", {bubbles: true}));
            }"""
        )
    expect(suggestions(dialog)).to_have_count(0)


def test_enter_and_escape_close_the_suggestions_first(visit):
    page = visit("/business", PHONE)
    dialog = open_business_quote(page)
    place(dialog).press_sequentially("34236")
    expect(suggestions(dialog)).to_have_count(1)
    expect(dialog.get_by_role("status")).to_have_text("1 suggestion")
    for key in ("Enter", "Escape"):
        page.keyboard.press(key)
        expect(suggestions(dialog)).to_have_count(0)
        expect(place(dialog)).to_have_value("34236")
        expect(dialog.get_by_text("Industry is required")).to_be_hidden()
        page.keyboard.press("ArrowDown")
        expect(suggestions(dialog)).to_have_count(1)
    suggestions(dialog).first.click()
    expect(place(dialog)).to_have_value("Sarasota, FL 34236")
    expect(place(dialog)).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Industry is required")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_axe_finds_nothing_in_any_state_of_the_fleet_quote(visit, company):
    page = visit("/fleet")
    dialog = open_fleet_quote(page)
    assert_accessible_at_every_size(page)
    press_next(dialog)
    expect(dialog.get_by_text("Company name is required")).to_be_visible()
    assert_accessible_at_every_size(page)
    fill_fleet_quote(dialog, company)
    assert_accessible_at_every_size(page)
    place(dialog).press_sequentially(", sara")
    expect(suggestions(dialog).first).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert_accessible_at_every_size(page)
    page.keyboard.press("Enter")
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    assert_accessible_at_every_size(page)


def test_axe_finds_nothing_in_the_business_quote(visit):
    page = visit("/business")
    dialog = open_business_quote(page)
    assert_accessible_at_every_size(page)
    submit(dialog)
    expect(dialog.get_by_text("Company name is required")).to_be_visible()
    assert_accessible_at_every_size(page)
