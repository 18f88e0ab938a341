"""Staff with a customer on the phone: find them, see who they are, and go through the tabs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from fuel_app.accounts.state.session import COOKIE
from tests.flows.checks import assert_accessible, every_size
from tests.flows.conftest import DESKTOP, alive
from tests.site import ROOT, Site, served

TABS = ["Dashboard", "Vehicles", "Bookings", "Ledger", "Invoices", "Messages", "Notes", "Audit"]


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("office")
    with served(folder, FUEL_RATE_LIMITS="off", FUEL_TILE_URL="") as site:
        command = [sys.executable, "-m", "tests.seed_day", "3", "published"]
        environment = os.environ | {"FUEL_DATABASE_URL": site.database_url}
        said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        site.write(
            "INSERT INTO subscriptions"
            " (person_id, plan_id, state, wording, cancel_at_period_end, created_at)"
            " SELECT person_id, 'solo', 'incomplete', '', 0, created_at FROM customers"
        )
        yield site, json.loads(said.stdout.splitlines()[-1])


@pytest.fixture
def dispatcher(
    office: tuple[Site, dict[str, Any]], browser: Browser
) -> Iterator[Callable[..., Page]]:
    """Return a function that opens an address as a dispatcher."""
    site, known = office
    contexts = []

    def open_page(address: str, viewport: dict[str, int] = DESKTOP) -> Page:
        contexts.append(
            browser.new_context(
                viewport=viewport,  # type: ignore[arg-type]
                base_url=site.url,
                reduced_motion="reduce",
            )
        )
        cookie = {"name": COOKIE, "value": known["dispatcher"], "url": site.url}
        contexts[-1].add_cookies([cookie])  # type: ignore[list-item]
        page = contexts[-1].new_page()
        page.goto(address)
        alive(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


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


def test_filters_narrow_the_list_and_survive_a_reload(dispatcher):
    page = dispatcher("/customer-dashboard")
    main = page.get_by_role("main")
    main.get_by_label("Plan state").select_option(label="Past due")
    expect(main.get_by_text("No customers found")).to_be_visible()
    page.reload()
    expect(main.get_by_label("Plan state")).to_have_value("past_due")
    main.get_by_role("button", name="Show all").click()
    expect(main.get_by_text("3 customers")).to_be_visible()
    main.get_by_label("Debt").select_option(label="Owes money")
    expect(main.get_by_text("No customers found")).to_be_visible()


def test_next_booking_leads_to_the_bookings(dispatcher):
    page = dispatcher("/customer-dashboard?q=Ada1")
    main = page.get_by_role("main")
    main.get_by_role("button", name="Ada1 Lovelace").click()
    main.get_by_role("definition").filter(has=page.get_by_role("button")).click()
    expect(main.get_by_role("tab", name="Bookings")).to_have_attribute("aria-selected", "true")
    expect(main.get_by_role("table", name="Bookings")).to_contain_text("GUL 1")


@every_size
def test_dispatcher_is_told_who_changes_the_settings(dispatcher, viewport):
    page = dispatcher("/settings/prices", viewport)
    main = page.get_by_role("main")
    expect(main.get_by_text("are for admins. Ask one of them for a change.")).to_be_visible()
    assert_accessible(page)
    main.get_by_role("link", name="Dispatch").click()
    expect(page.get_by_role("heading", name="Dispatch", level=1)).to_be_visible()
