"""The phone desk: a guest who calls, a caller's other e-mail, and what only an admin may give."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fuel_app.bookings.rules.guests import search_text
from tests.flows.checks import assert_accessible, every_size
from tests.flows.company import arrive, message
from tests.flows.conftest import DESKTOP
from tests.flows.visitor import modal
from tests.helpers.stored_bookings import GUEST

WHY = "said on the phone"


@pytest.fixture
def guest(office: tuple[Any, dict[str, Any]]) -> str:
    """Make the last booking a guest's. Return its id."""
    site, known = office
    booking_id = known["bookings"][-1]
    site.write(
        "UPDATE bookings SET person_id = NULL, guest_email = ?, contact = ?, guest_search = ?"
        " WHERE id = ?",
        GUEST["email"],
        json.dumps(GUEST),
        search_text(GUEST, ["GUL 123"], {"street": "1 Main Street"}),
        booking_id,
    )
    return booking_id


@every_size
def test_a_guest_is_found_and_sent_the_link_again(dispatcher, guest, viewport):
    page = dispatcher("/customer-dashboard", viewport)
    main = page.get_by_role("main")
    expect(main.get_by_text("3 customers")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("gul-123")
    found = main.get_by_role("list", name="Guests").get_by_role("button", name="Gus Guest")
    expect(found).to_be_visible()
    assert_accessible(page)
    found.press("Enter")
    expect(main.get_by_role("heading", name="Gus Guest", level=2)).to_be_visible()
    expect(page).to_have_url(re.compile(f"guest={guest}"))
    expect(main.get_by_role("link", name="(941) 555-0188")).to_be_visible()
    main.get_by_role("button", name="Send link").click()
    expect(page.get_by_text("The link is on its way to gus@example.com.").first).to_be_visible()
    assert_accessible(page)
    page.go_back()
    expect(found).to_be_visible()


def code_from(page: Page) -> str:
    """Return the newest code that was mailed for a caller."""
    found = re.search(r"\b\d{6}\b", message(page, "Code for a caller's new e-mail"))
    assert found
    return found[0]


@every_size
def test_a_callers_e_mail_is_changed_by_the_code_that_they_read_out(
    office, browse, dispatcher, viewport
):
    site, known = office
    page = dispatcher("/customer-dashboard?q=Ada1", viewport)
    main, dialog = page.get_by_role("main"), modal(page)
    main.get_by_role("button", name="Ada1 Lovelace").click()
    main.get_by_role("button", name="Change e-mail").click()
    email = f"ada.{viewport['width']}@example.com"
    dialog.get_by_label("New e-mail").fill(email)
    dialog.get_by_label("Reason").fill(WHY)
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(dialog.get_by_text(email)).to_be_visible()
    code = dialog.get_by_label("Code")
    code.fill("000000")
    dialog.get_by_role("button", name="Change e-mail").click()
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    admin = browse(site, DESKTOP, known["admin"])
    code.fill(code_from(admin))
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(main.get_by_role("link", name=email)).to_be_visible()


@every_size
def test_an_admin_is_asked_for_more_and_answers_once(office, browse, dispatcher, viewport):
    site, known = office
    amount = f"{viewport['width']}"
    page = dispatcher("/customer-dashboard?q=Ada2", viewport)
    main, dialog = page.get_by_role("main"), modal(page)
    main.get_by_role("button", name="Ada2 Lovelace").click()
    main.get_by_role("tab", name="Invoices").click()
    main.get_by_role("button", name="Give credit").click()
    dialog.get_by_label("Amount in dollars").fill(amount)
    dialog.get_by_label("Reason").fill("Waited twice")
    page.keyboard.press("Enter")
    ask = dialog.get_by_role("button", name="Ask an admin for $")
    expect(ask).to_be_visible()
    assert_accessible(page)
    ask.click()
    expect(dialog).to_have_count(0)
    expect(main.get_by_role("table", name="Requests to an admin")).to_contain_text("Waits")
    admin = browse(site, viewport, known["admin"])
    arrive(admin, "/dashboard")
    waiting = admin.get_by_role("list", name="Asked of an admin").get_by_role("listitem")
    mine = waiting.filter(has_text="Waited twice")
    answer = "Approve" if viewport == DESKTOP else "Decline"
    expect(mine.get_by_role("button", name="Approve")).to_be_visible()
    assert_accessible(admin)
    mine.get_by_role("button", name=answer).click()
    expect(mine).to_have_count(0)
    page.reload()
    expect(main.get_by_role("table", name="Requests to an admin")).to_contain_text(
        "Approved by" if answer == "Approve" else "Declined by"
    )
