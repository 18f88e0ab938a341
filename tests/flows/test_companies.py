"""The staff's screens of companies: terms, a site with its pin and permit, people, a hold."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fuel_app.accounts.rules import Role
from fuel_app.companies.rules.price_rules import PriceRule
from tests.flows.checks import assert_accessible, every_size
from tests.flows.company import arrive, company_site
from tests.flows.visitor import modal
from tests.helpers.companies import a_company
from tests.helpers.signed_in import a_person, cookie_for
from tests.site import Site, seeded


async def _seed() -> dict[str, str]:
    dispatcher = await a_person(Role.DISPATCHER, first_name="Marcus", email="marcus@example.com")
    admin = await a_person(Role.ADMIN, first_name="Ann", email="ann@example.com")
    for name in ("Palm Plumbing 360", "Palm Plumbing 1280"):
        await a_company(name=name, price_rule=PriceRule("eia", 240), made_by=dispatcher)
    return {
        "dispatcher": await cookie_for(dispatcher),
        "admin": await cookie_for(admin, second_factor=True),
    }


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    with company_site(tmp_path_factory.mktemp("companies")) as site:
        yield site, seeded(site.database_url, _seed())


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()
    expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")


@every_size
def test_an_admin_changes_a_company_and_holds_it(known, browse, tmp_path, viewport):
    site, cookies = known
    name = f"Palm Plumbing {viewport['width']}"
    page = browse(site, viewport, cookies["admin"])
    arrive(page, "/companies")
    main, dialog = page.get_by_role("main"), modal(page)
    assert_accessible(page)
    page.keyboard.press("/")
    page.keyboard.type(name)
    expect(main.get_by_text("1 match")).to_be_visible()
    main.get_by_role("link", name=name).click()
    expect(main.get_by_role("heading", name=name)).to_be_visible()
    assert_accessible(page)

    main.get_by_role("button", name="Edit terms").click()
    dialog.get_by_label("Pays").select_option(label="Net 30 days")
    dialog.get_by_label("Credit limit").fill("2,500")
    assert_accessible(page)
    dialog.get_by_role("button", name="Save terms").click()
    expect(main.get_by_text("$2500.00").or_(main.get_by_text("$2,500"))).to_be_visible()

    open_tab(page, "Sites")
    expect(main.get_by_role("heading", name="Main yard")).to_be_visible()
    main.get_by_role("button", name="Add site").click()
    for label, typed in {
        "Name": "North yard",
        "Street": "9 Palm Ave",
        "City": "Sarasota",
        "ZIP": "34236",
        "Permit number": "F-7",
        "Permit valid to": "2020-01-31",
    }.items():
        dialog.get_by_label(label, exact=label == "Name").fill(typed)
    assert_accessible(page)
    dialog.get_by_role("button", name="Save site").click()
    expect(dialog.get_by_text("Put the pin where the vehicles stand")).to_be_visible()
    dialog.get_by_role("button", name="The pin").press("ArrowRight")
    assert_accessible(page)
    dialog.get_by_role("button", name="Save pin").click()
    yard = main.get_by_role("listitem").filter(has_text="North yard")
    expect(yard.get_by_text("Permit ended", exact=True)).to_be_visible()
    expect(yard.get_by_text("Pin not set")).to_have_count(0)

    file = tmp_path / "permit.pdf"
    file.write_bytes(b"%PDF-1.7 a permit")
    yard.get_by_role("button", name="Files").click()
    assert_accessible(page)
    dialog.get_by_label("Choose a permit").set_input_files(file)
    expect(page.get_by_text("File saved", exact=True).first).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    link = yard.get_by_role("link", name="Permit of North yard").get_attribute("href")
    answer = page.request.get(link or "")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/pdf")
    assert_accessible(page)

    open_tab(page, "People")
    main.get_by_role("button", name="Invite").click()
    dialog.get_by_label("E-mail").fill("manager@palm.example")
    dialog.get_by_label("Role").select_option("manager")
    dialog.get_by_label("North yard").check()
    assert_accessible(page)
    dialog.get_by_role("button", name="Invite").click()
    invited = main.get_by_role("row").filter(has_text="manager@palm.example")
    expect(invited.get_by_text("North yard")).to_be_visible()
    assert_accessible(page)

    main.get_by_role("button", name="Hold").click()
    dialog.get_by_label("Reason").fill("Two invoices are overdue")
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(main.get_by_text("On hold", exact=True)).to_be_visible()
    expect(main.get_by_text("Two invoices are overdue")).to_be_visible()
    for tab in ("Books", "Tax", "Audit"):
        open_tab(page, tab)
        assert_accessible(page)
    expect(main.get_by_text("On hold, before active: Two invoices are overdue")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(main.get_by_text("Active", exact=True)).to_be_visible()


def test_a_dispatcher_reads_the_terms_and_does_not_close(known, browse):
    site, cookies = known
    page = browse(site, token=cookies["dispatcher"])
    arrive(page, "/companies")
    main = page.get_by_role("main")
    main.get_by_role("link", name="Palm Plumbing 1280").click()
    expect(main.get_by_text("Only an admin changes these.")).to_be_visible()
    expect(main.get_by_role("button", name="Close")).to_have_count(0)
    expect(main.get_by_label("Account owner")).to_be_visible()
