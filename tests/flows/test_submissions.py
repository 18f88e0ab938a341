"""The staff's list of leads: finding, paging and looking at them."""

import pytest
from playwright.sync_api import expect

from tests.flows.checks import assert_accessible, assert_accessible_at_every_size
from tests.flows.conftest import DESKTOP, PHONE, until
from tests.flows.lead_list import PAGE, query, search_for, status, undo
from tests.flows.staff import rows, sign_in
from tests.flows.visitor import escape, modal


def test_search_sort_and_pages_stay_in_the_address(open_list, ada):
    page = open_list()
    search_for(page, "adaline")
    expect(page.get_by_text(f"{PAGE + 10} matches")).to_be_visible()
    expect(rows(page)).to_have_count(PAGE)
    expect(rows(page).first).to_contain_text("Adaline 060")  # the newest
    page.get_by_role("button", name="Name", exact=True).click()
    expect(rows(page).first).to_contain_text("Adaline 001")
    expect(page.get_by_role("columnheader", name="Name")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.get_by_role("button", name="Next page").click()
    expect(rows(page)).to_have_count(10)
    expect(rows(page).first).to_contain_text("Adaline 051")
    assert query(page) == {"q": "adaline", "sort": "name", "page": "2"}
    page.reload()
    expect(rows(page).first).to_contain_text("Adaline 051")
    page.get_by_label("Page", exact=True).fill("1")
    page.keyboard.press("Enter")
    expect(rows(page).first).to_contain_text("Adaline 001")


def test_a_pause_in_typing_is_one_message(open_list, ada):
    page, sent = open_list(), []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(text)))
    page.reload()
    expect(rows(page)).to_have_count(PAGE)
    before = page.evaluate("history.length")
    sent.clear()
    box = page.get_by_role("searchbox", name="Search submissions")
    box.press_sequentially("adal")
    until(page, "location.search === '?q=adal'")
    box.press_sequentially("ine")
    until(page, "location.search === '?q=adaline'")
    expect(page.get_by_text(f"{PAGE + 10} matches")).to_be_visible()
    events = [text for text in sent if '"event"' in text]
    assert len(events) == 2
    assert all("look_for" in text for text in events)
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    expect(box).to_have_value("")
    page.go_forward()
    expect(box).to_have_value("adaline")


def test_back_into_and_out_of_the_list_works(open_list, ada):
    page = open_list("?q=adaline")
    page.get_by_role("button", name="Name", exact=True).click()
    page.get_by_role("button", name="Next page").click()
    expect(rows(page)).to_have_count(10)
    page.get_by_role("link", name="Neighborhoods").click()
    expect(page.get_by_role("heading", name="Neighborhoods", exact=True)).to_be_visible()
    page.go_back()
    expect(rows(page).first).to_contain_text("Adaline 051")
    assert query(page) == {"q": "adaline", "sort": "name", "page": "2"}
    for first, expected in (
        ("Adaline 001", {"q": "adaline", "sort": "name"}),
        ("Adaline 060", {"q": "adaline"}),
    ):
        expect(page.get_by_role("table").first).to_have_attribute("aria-busy", "false")
        page.go_back()
        expect(rows(page).first).to_contain_text(first)
        assert query(page) == expected
    page.go_forward()
    expect(rows(page).first).to_contain_text("Adaline 001")


@pytest.mark.parametrize(
    ("button", "heading"), [("Delete Adaline", "Confirm Delete"), ("Upload CSV", "Upload CSV")]
)
def test_a_dialog_that_is_left_by_back_is_closed_on_return(open_list, ada, button, heading):
    page = open_list("?q=adaline")
    page.get_by_role("link", name="Neighborhoods").click()
    expect(page.get_by_role("heading", name="Neighborhoods", exact=True)).to_be_visible()
    page.go_back()
    page.get_by_role("button", name=button).first.click()
    expect(modal(page).get_by_role("heading", name=heading)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Neighborhoods", exact=True)).to_be_visible()
    page.go_back()
    expect(rows(page).first).to_be_visible()
    expect(modal(page)).to_be_hidden()


@pytest.mark.parametrize("width", [360, 1023])
def test_cards_are_sorted_and_selected_below_a_desktops_width(open_list, names, width):
    name = names(3)
    page = open_list(f"?q={name}", PHONE | {"width": width})
    page.get_by_role("combobox", name="Sort by").select_option("Name, A to Z")
    expect(rows(page).first).to_contain_text(f"{name} 001")
    page.get_by_role("checkbox", name="Select all rows on this page").click()
    expect(page.get_by_text("3 selected")).to_be_visible()
    expect(page.get_by_role("button", name="Name", exact=True)).to_be_hidden()


def test_a_box_ticks_before_the_server_has_answered(open_list, names):
    page = open_list(f"?q={names(1)}")
    box = rows(page).first.get_by_role("checkbox")
    page.context.set_offline(True)
    box.click()
    assert box.is_checked()
    page.context.set_offline(False)


def test_the_list_is_worked_by_keyboard_alone(open_list, names):
    name = names(2)
    page = open_list()
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type(name)
    until(page, f"location.search === '?q={name}'")
    expect(page.get_by_text("2 matches", exact=True)).to_be_visible()
    sort = page.get_by_role("button", name="Name", exact=True)
    sort.focus()
    page.keyboard.press("Enter")
    expect(rows(page).first).to_contain_text(f"{name} 001")
    status(page, f"{name} 001").focus()
    page.keyboard.press("ArrowDown")
    expect(status(page, f"{name} 001")).to_have_value("Contacted")
    expect(undo(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(undo(page)).to_be_hidden()
    lead = page.get_by_role("button", name=f"{name} 001").first
    lead.focus()
    page.keyboard.press("Enter")
    escape(page)
    expect(lead).to_be_focused()
    until(page, f"location.search === '?q={name}&sort=name'")


def test_the_list_is_accessible_and_fits(open_list, ada):
    page = open_list("?q=adaline")
    expect(rows(page)).to_have_count(PAGE)
    assert_accessible_at_every_size(page)


def test_a_database_that_does_not_answer_is_said_calmly_and_nothing_changes(
    open_list, names, site, witness
):
    name = names(1)
    page = open_list(f"?q={name}")
    with site.stuck_database():
        status(page, f"{name} 001").select_option("Contacted")
        expect(
            page.get_by_text("This could not be saved just now. Please try again.").first
        ).to_be_visible(timeout=30_000)
    expect(status(page, f"{name} 001")).to_have_value("Not Contacted")


def test_who_is_not_signed_in_gets_the_modal_and_then_the_screen_they_asked_for(visit, ada):
    page = visit("/submissions?q=adaline&sort=name")
    expect(modal(page).get_by_role("heading", name="Staff Login")).to_be_visible()
    expect(page.get_by_text("Adaline")).to_have_count(0)
    sign_in(page)
    expect(rows(page).first).to_contain_text("Adaline 001")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_filters_narrow_the_list_and_are_in_the_address(open_list, ada, viewport):
    page = open_list("?q=adaline", viewport)
    if viewport == PHONE:
        page.get_by_role("button", name="Filters").click()
    page.get_by_label("ZIP code").fill("00501")
    expect(page.get_by_text("No submissions match this search and its filters.")).to_be_visible()
    assert query(page) == {"q": "adaline", "zip": "00501"}
    assert_accessible(page)
    page.get_by_role("button", name="Clear filters").click()
    expect(page.get_by_text(f"{PAGE + 10} matches")).to_be_visible()
    page.get_by_label("Type", exact=True).select_option("Fleet Quotes")
    until(page, "location.search.includes('type=fleet')")
    page.go_back()
    until(page, "!location.search.includes('type=fleet')")
    expect(page.get_by_label("Type", exact=True)).to_have_value("")
