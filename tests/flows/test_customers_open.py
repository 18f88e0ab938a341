"""Staff with a customer on the phone: find them, see who they are, and go through the tabs."""

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible, every_size
from tests.flows.company import arrive

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
        expect(main.get_by_role("heading", name="Ada2 Lovelace", level=2)).to_be_visible()
        expect(call).to_have_attribute("href", "tel:9415550002")
        assert_accessible(page)
    assert [each.inner_text() for each in main.get_by_role("tab").all()] == TABS
    page.reload()
    expect(main.get_by_role("tab", name="Audit")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(main.get_by_role("tab", name="Notes")).to_have_attribute("aria-selected", "true")


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
