"""Staff with a customer on the phone: find them, see who they are, and go through the tabs."""

import re

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible, every_size
from tests.flows.company import arrive
from tests.flows.visitor import modal

TABS = ["Dashboard", "Vehicles", "Bookings", "Ledger", "Invoices", "Messages", "Notes", "Audit"]


@every_size
def test_customer_is_found_by_phone_and_stands_on_top_of_every_tab(dispatcher, viewport):
    page = dispatcher("/customer-dashboard", viewport)
    main = page.get_by_role("main")
    expect(main.get_by_text("3 customers")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("(941) 555-0002")
    expect(main.get_by_text("1 customer", exact=True)).to_be_visible()
    assert_accessible(page)
    main.get_by_role("button", name="Ada2 Lovelace").press("Enter")
    call = main.get_by_role("link", name="(941) 555-0002")
    for tab in TABS:
        main.get_by_role("tab", name=tab, exact=True).click()
        chosen = main.get_by_role("tab", name=tab, selected=True, exact=True)
        expect(chosen).to_be_visible()
        expect(main.get_by_role("heading", name="Ada2 Lovelace", level=2)).to_be_visible()
        expect(call).to_have_attribute("href", "tel:9415550002")
        assert_accessible(page)
    assert [each.inner_text() for each in main.get_by_role("tab").all()] == TABS
    expect(page).to_have_url(re.compile("tab=audit$"))
    page.reload()
    expect(main.get_by_role("tab", name="Audit")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(main.get_by_role("tab", name="Notes")).to_have_attribute("aria-selected", "true")


@every_size
def test_what_a_caller_says_is_changed_while_they_speak(dispatcher, viewport):
    page = dispatcher("/customer-dashboard?q=Ada3", viewport)
    main, dialog = page.get_by_role("main"), modal(page)
    main.get_by_role("button", name="Ada3 Lovelace").click()
    main.get_by_role("tab", name="Vehicles").click()
    main.get_by_role("button", name="Add address").click()
    dialog.get_by_label("Street").fill(f"{viewport['width']} Oak Street")
    dialog.get_by_label("City").fill("Sarasota")
    dialog.get_by_label("ZIP").fill("34236")
    dialog.get_by_label("Where the car is parked").select_option("Driveway")
    dialog.get_by_role("button", name="Save address").click()
    expect(dialog.get_by_label("Reason")).to_be_focused()
    page.keyboard.type("said on the phone")
    assert_accessible(page)
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Save pin").click()
    expect(dialog).to_have_count(0)
    edit = main.get_by_role("button", name=f"Edit {viewport['width']} Oak Street")
    edit.click()
    dialog.get_by_label("Gate code").fill("4455")
    dialog.get_by_label("Reason").fill("said on the phone")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(main.get_by_text("Gate code 4455").first).to_be_visible()
    expect(edit).to_be_focused()
    main.get_by_role("button", name="Change phone").click()
    dialog.get_by_label("New phone").fill("(941) 555-0177")
    dialog.get_by_label("Reason").fill("said on the phone")
    page.keyboard.press("Enter")
    expect(main.get_by_role("link", name="(941) 555-0177")).to_be_visible()


@every_size
def test_public_pages_know_who_is_signed_in(office, browse, viewport):
    site, known = office
    page = browse(site, viewport, known["customers"][0])
    arrive(page, "/fleet")
    header = page.get_by_role("banner")
    header.get_by_role("link", name="Dashboard").click()
    expect(page.get_by_role("heading", name="Welcome back, Ada1")).to_be_visible()


@every_size
def test_dispatcher_is_told_who_changes_the_settings(dispatcher, viewport):
    page = dispatcher("/settings/prices", viewport)
    main = page.get_by_role("main")
    expect(main.get_by_text("are for admins. Ask one of them for a change.")).to_be_visible()
    assert_accessible(page)
    main.get_by_role("link", name="Dispatch").click()
    expect(page.get_by_role("heading", name="Dispatch", level=1)).to_be_visible()
