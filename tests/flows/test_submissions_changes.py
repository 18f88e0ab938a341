"""The staff's list of leads: changing, deleting and undoing."""

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible
from tests.flows.lead_list import status, undo
from tests.flows.staff import row
from tests.flows.visitor import modal


def test_a_status_is_set_logged_and_taken_back(open_list, names):
    name = names(1)
    page = open_list(f"?q={name}")
    control = status(page, f"{name} 001")
    control.select_option("Contacted")
    expect(undo(page)).to_be_visible()
    page.get_by_role("button", name=f"{name} 001").first.click()
    expect(modal(page).get_by_text("Status: Not Contacted → Contacted")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    undo(page).click()
    expect(control).to_have_value("Not Contacted")
    expect(undo(page)).to_be_hidden()


def test_deleting_asks_first_and_can_be_taken_back(open_list, names):
    name = names(2)
    page = open_list(f"?q={name}")
    delete = page.get_by_role("button", name=f"Delete {name} 002")
    delete.click()
    dialog = modal(page)
    expect(dialog.get_by_role("heading", name="Confirm Delete")).to_be_visible()
    expect(dialog.get_by_text("This action cannot be undone.")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(delete).to_be_focused()
    delete.click()
    dialog.get_by_role("button", name="Delete").click()
    expect(row(page, f"{name} 002")).to_have_count(0)
    undo(page).click()
    expect(row(page, f"{name} 002")).to_have_count(1)


def test_many_are_changed_and_taken_back_together(open_list, names):
    name = names(3)
    page = open_list(f"?q={name}")
    page.get_by_role("checkbox", name="Select all rows on this page").click()
    expect(page.get_by_text("3 selected")).to_be_visible()
    page.get_by_role("checkbox", name=f"Select {name} 002").click()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.get_by_role("combobox", name="Set the status of the selected leads").select_option(
        "Closed Won"
    )
    expect(status(page, f"{name} 001")).to_have_value("Closed Won")
    expect(status(page, f"{name} 002")).to_have_value("Not Contacted")
    undo(page).click()
    expect(status(page, f"{name} 001")).to_have_value("Not Contacted")


def test_what_another_person_changes_shows_without_a_reload(open_list, names):
    name = names(1)
    first, second = open_list(f"?q={name}"), open_list(f"?q={name}")
    expect(status(second, f"{name} 001")).to_have_value("Not Contacted")
    status(first, f"{name} 001").select_option("Contacted")
    expect(status(second, f"{name} 001")).to_have_value("Contacted")
