"""The sales desk: a quote is worked from the list of what waits, on a desktop and a phone."""

import pytest
from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.staff import row


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_quote_is_worked_from_the_list_of_what_waits_to_why_it_is_lost(
    visit_as_staff, names, site, viewport
):
    name = names(1)
    page: Page = visit_as_staff(f"/submissions?q={name}", viewport)
    page.get_by_role("button", name=f"{name} 001").first.click()
    dialog = page.get_by_role("dialog", name="Analytical Engines")
    expect(dialog.get_by_text("Answer due in")).to_be_visible()
    expect(dialog.get_by_role("link", name="Call")).to_be_visible()
    assert_accessible(page)
    dialog.get_by_label("What", exact=True).fill("Call back about the price")
    dialog.get_by_label("On", exact=True).fill("2026-01-05")
    dialog.get_by_role("button", name="Set next step").click()
    expect(dialog.get_by_text("overdue since Jan 5, 2026")).to_be_visible()

    page.goto(f"{site.url}/dashboard")
    waits = page.get_by_role("list", name="Next steps with quotes")
    waits.get_by_role("link").first.click()
    expect(dialog.get_by_text("Call back about the price").first).to_be_visible()
    dialog.get_by_label("What to log").select_option("Call: left a message")
    dialog.get_by_label("Text").fill("Asked them to call before noon")
    dialog.get_by_role("button", name="Log it").click()
    expect(dialog.get_by_text("Asked them to call before noon")).to_be_visible()
    expect(dialog.get_by_text("Answer due in")).to_be_hidden()
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog.get_by_text("Asked them to call before noon")).to_be_hidden()
    expect(dialog.get_by_text("Answer due in")).to_be_visible()

    dialog.get_by_label("Status").select_option("Closed Lost")
    asked = page.get_by_role("dialog", name="Why is it lost?")
    expect(asked).to_be_visible()
    assert_accessible(page)
    asked.get_by_label("Reason").select_option("Price")
    asked.get_by_role("button", name="Close as lost").click()
    expect(asked).to_be_hidden()
    expect(dialog.get_by_text("Lost: Price")).to_be_visible()
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog.get_by_label("Status")).to_have_value("Not Contacted")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    expect(row(page, f"{name} 001").get_by_text("Answer due in")).to_be_visible()
