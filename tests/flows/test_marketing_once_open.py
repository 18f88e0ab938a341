"""The public pages once the company is open: the ZIP decides, and nothing promises a free fill."""

import json
import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests import seed_day
from tests.flows.checks import assert_accessible, assert_accessible_at_every_size, every_size
from tests.flows.conftest import PHONE
from tests.flows.test_marketing_pages import PAGES
from tests.flows.visitor import escape, modal
from tests.helpers.open_area import ELSEWHERE_ZIP, ZIP
from tests.site import Site, seeded, served

FREE = re.compile("free (first )?fill|fill-up (is )?(free|on us)|free trial", re.IGNORECASE)
_DATA = re.compile(r'<script type="application/ld\+json">(.*?)</script>')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of its own, with one open area."""
    with served(tmp_path_factory.mktemp("open")) as running:
        seeded(running.database_url, seed_day.seed(0))
        yield running


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_accessible_and_promises_no_free_fill(visit, address):
    page = visit(address)
    assert_accessible_at_every_size(page)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_role("button", name="Join Waitlist")).to_have_count(0)
    if address != "/terms":  # which say whose fill is free
        assert not FREE.search(page.locator("body").inner_text())


@pytest.mark.parametrize("address", ["/", "/home", "/fleet"])
def test_the_first_paint_and_robots_have_it_without_scripts(site, browser, address):
    context = browser.new_context(java_script_enabled=False, base_url=site.url)
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("banner").get_by_role("link", name="Get started")).to_be_visible()
    assert not FREE.search(page.locator("body").inner_text())
    context.close()
    document = httpx.get(site.url + address).text
    assert "get your first fill-up" not in document
    [block] = _DATA.findall(document)
    assert ZIP in json.dumps(json.loads(block)["@graph"])


def check(page: Page, zip_code: str) -> None:
    modal(page).get_by_label("ZIP code").fill(zip_code)
    page.keyboard.press("Enter")


@every_size
def test_an_open_zip_leads_to_the_sign_up_with_the_friend(visit, viewport):
    page = visit("/?ref=somebody", viewport)
    expect(modal(page).get_by_role("heading", name="Do we come to you?")).to_be_visible()
    expect(modal(page).get_by_label("ZIP code")).to_be_focused()
    assert_accessible(page)
    check(page, "342")
    expect(modal(page).get_by_label("ZIP code")).to_have_accessible_description(
        "ZIP code must be 5 digits"
    )
    check(page, ZIP)
    expect(page.get_by_role("heading", name="Contact Information")).to_be_visible()
    expect(page.get_by_label("ZIP")).to_have_value(ZIP)
    assert parse_qs(urlsplit(page.url).query) == {"ref": ["somebody"]}


@every_size
def test_another_zip_leads_to_the_waitlist_which_promises_the_free_fill(visit, viewport):
    page = visit("/", viewport)
    page.get_by_role("main").get_by_role("button", name="Check my ZIP").first.click()
    check(page, ELSEWHERE_ZIP)
    expect(modal(page).get_by_role("heading", name="Join the Waitlist")).to_be_visible()
    expect(modal(page).get_by_text(f"We do not serve {ELSEWHERE_ZIP} yet.")).to_be_visible()
    expect(
        modal(page).get_by_text("Your first fill-up is free, up to $50 of fuel.")
    ).to_be_visible()
    expect(modal(page).get_by_label("First name")).to_be_focused()
    expect(modal(page).get_by_label("ZIP", exact=True)).to_have_value(ELSEWHERE_ZIP)
    assert_accessible(page)


def test_back_from_the_sign_up_leads_to_the_page_before_where_the_zip_is_asked_again(visit):
    page = visit("/", PHONE)
    for _ in range(2):
        page.get_by_role("main").get_by_role("button", name="Check my ZIP").first.click()
        check(page, ZIP)
        expect(page.get_by_role("heading", name="Contact Information")).to_be_visible()
        page.go_back()
        expect(page).to_have_url(re.compile("/$"))


def test_the_service_area_check_answers_from_the_open_areas(visit):
    page = visit("/home", PHONE)
    page.get_by_label("ZIP code").fill(ELSEWHERE_ZIP)
    page.get_by_role("button", name="Check my ZIP").click()
    not_yet = page.get_by_role("status").filter(has_text="Not yet: we do not deliver in 33101.")
    not_yet.get_by_role("button", name="Join Waitlist").click()
    expect(modal(page).get_by_label("ZIP", exact=True)).to_have_value(ELSEWHERE_ZIP)
    escape(page)
    page.get_by_label("ZIP code").fill(ZIP)
    page.get_by_role("button", name="Check my ZIP").click()
    here = page.get_by_role("status").filter(has_text=f"Yes: we deliver in {ZIP}.")
    assert_accessible(page)
    here.get_by_role("button", name="Get started").click()
    expect(page.get_by_label("ZIP")).to_have_value(ZIP)


def test_a_plan_that_was_pressed_is_chosen(visit):
    page = visit("/home")
    page.get_by_role("link", name="Get started with Solo Plan").click()
    for label, text in {
        **{"First Name": "Ada", "Last Name": "Lovelace", "Email": "ada@example.com"},
        **{"Phone": "(941) 555-0123", "ZIP": ZIP, "Password": "engine-1843-loom"},
    }.items():
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Next Step").click()
    expect(page.get_by_label("Choose Solo Plan")).to_be_checked()
