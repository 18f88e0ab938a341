"""The staff look at a customer's dashboard."""

from playwright.sync_api import expect

from tests.flows.checks import assert_accessible, every_size


@every_size
def test_a_customer_is_found_chosen_and_only_looked_at(visit_as_staff, viewport):
    page = visit_as_staff("/customer-dashboard", viewport)
    main = page.get_by_role("main")
    expect(main.get_by_text("Choose a customer to see their dashboard.")).to_be_visible()
    page.keyboard.press("/")
    search = main.get_by_role("searchbox", name="Search customers")
    expect(search).to_be_focused()
    search.fill("nobody")
    expect(main.get_by_text("No customers found")).to_be_visible()
    search.fill("JOHN")
    customer = main.get_by_role("button", name="Sarah Johnson")
    customer.press("Enter")
    expect(main.get_by_role("heading", name="Sarah Johnson", level=2)).to_be_visible()
    expect(customer).to_have_attribute("aria-pressed", "true")
    expect(main.get_by_text("3 of 4 fills this month")).to_be_visible()
    expect(main.get_by_text("No service scheduled")).to_be_visible()
    expect(main.get_by_role("link", name="Book a Fill-Up")).to_have_count(0)
    page.reload()
    expect(main.get_by_role("heading", name="Sarah Johnson", level=2)).to_be_visible()
    expect(search).to_have_value("JOHN")
    assert_accessible(page)
