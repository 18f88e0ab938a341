"""The pages that visitors read: plans, fleet, business, privacy, terms."""

import re
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible, assert_accessible_at_every_size
from tests.flows.conftest import PHONE
from tests.flows.visitor import modal

PAGES = {
    "/": "Families",
    "/home": "Plans",
    "/fleet": "Fleet",
    "/business": "Business",
    "/privacy": "Privacy",
    "/terms": "Terms",
}


META = re.compile(r'<meta content="([^"]*)" (?:name|property)="([^"]*)"')
CANONICAL = re.compile(r'<link [^>]*href="([^"]*)" rel="canonical"')


def part(page: Page, heading: str):
    """Return the section under a heading."""
    return page.locator("section").filter(has=page.get_by_role("heading", name=heading, level=2))


def test_each_page_has_a_title_a_description_and_an_address_of_its_own(site):
    titles, descriptions = set(), set()
    for address in PAGES:
        page = httpx.get(site.url + address).text  # before any script runs
        meta = {name: text for text, name in META.findall(page)}
        (canonical,) = CANONICAL.findall(page)
        assert urlsplit(canonical).path == address
        assert f"<title>{meta['og:title']}</title>" in page
        picture = httpx.get(site.url + urlsplit(meta["og:image"]).path)
        assert picture.headers["content-type"] == "image/png"
        assert ("application/ld+json" in page) is (address not in {"/privacy", "/terms"})
        titles.add(meta["og:title"])
        descriptions.add(meta["description"])
    assert len(titles) == len(descriptions) == len(PAGES)


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_accessible_and_fits(visit, address):
    page = visit(address)
    assert_accessible_at_every_size(page)
    assert page.get_by_role("heading", level=1).count() == 1
    here = page.get_by_role("contentinfo").locator("[aria-current=page]")
    expect(here).to_have_text(PAGES[address])


def test_three_plans_with_all_that_they_hold(visit):
    plans = visit("/home").get_by_role("article")
    expect(plans).to_have_count(3)
    expect(plans.nth(0)).to_contain_text("$25/month")
    expect(plans.nth(1)).to_contain_text("Most Popular")
    expect(plans.nth(2)).to_contain_text("Free quarterly guest fill")


def test_sign_in_says_that_accounts_open_later(visit):
    page = visit("/home", PHONE)
    button = page.get_by_role("banner").get_by_role("button", name="Sign In")
    button.click()
    expect(
        modal(page).get_by_role("heading", name="Sign In opens with our service")
    ).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    button.click()
    modal(page).get_by_role("button", name="Join Waitlist").click()
    expect(modal(page).get_by_role("heading", name="Join the Waitlist")).to_be_visible()
    expect(modal(page).get_by_label("First name")).to_be_focused()

    page.keyboard.press("Escape")
    expect(modal(page)).to_be_hidden()
    button.click()
    modal(page).get_by_role("link", name="See a preview").click()
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "name", "title"),
    [
        ("/home", "Start Your Free Trial", "Contact Information"),
        ("/home", "Book a One-Time Fill", "Book a One-Time Fill"),
        ("/", "Book a One-Time Fill", "Book a One-Time Fill"),
    ],
)
def test_the_trial_and_the_one_time_fill_lead_to_their_wizards(visit, address, name, title):
    page = visit(address)
    expect(page.get_by_role("main")).to_contain_text("a $15 convenience fee")
    page.get_by_role("link", name=name).first.click()
    expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()


FLEET_PARTS = {
    "What a fuel stop costs besides fuel": 4,
    "Fleets we fill": 3,
    "Made for more than one vehicle": 6,
    "How It Works": 3,
}
BUSINESS_PARTS = {"Why offer fuel at work?": 4, "What the program includes": 8, "How It Works": 3}


@pytest.mark.parametrize(
    ("address", "parts"), [("/fleet", FLEET_PARTS), ("/business", BUSINESS_PARTS)]
)
def test_the_fleet_and_business_pages_have_all_their_parts(visit, address, parts):
    page = visit(address)
    for heading, count in parts.items():
        expect(part(page, heading).get_by_role("listitem")).to_have_count(count)


def test_the_privacy_policy_leads_to_its_parts(visit):
    page = visit("/privacy")
    expect(page.get_by_text("Last updated 5/3/2025")).to_be_visible()
    contents = page.get_by_role("navigation", name="On this page")
    links = contents.get_by_role("link")
    expect(links).to_have_count(8)
    contents.get_by_role("link", name="Who we share it with").click()
    heading = page.get_by_role("heading", name="Who we share it with")
    expect(heading).to_be_in_viewport()
    expect(page).to_have_url(re.compile("/privacy#sharing$"))


def test_the_terms_name_their_version_and_the_fees(visit):
    page = visit("/terms")
    expect(page.get_by_text("Last updated 11/22/2026, version 2026-11-22")).to_be_visible()
    main = page.get_by_role("main")
    expect(main.get_by_text("a late fee of $15.00")).to_be_visible()
    expect(main.get_by_text("fuel up to $50.00")).to_be_visible()
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="Cancel").click()
    expect(page.get_by_role("heading", name="Cancel or move")).to_be_in_viewport()


def test_the_phone_menu_by_keyboard(visit):
    page = visit("/", PHONE)
    button = page.get_by_role("banner").get_by_role("button", name="Menu")
    menu = page.get_by_role("navigation", name="Main")
    expect(menu).to_be_hidden()
    button.focus()
    page.keyboard.press("Enter")
    expect(menu).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(menu.get_by_role("link", name="Families")).to_be_focused()
    page.keyboard.press("Enter")  # the page that one is on
    expect(menu).to_be_hidden()
    button.click()
    menu.get_by_role("link", name="Fleet").click()
    expect(page.get_by_role("heading", name="Your fleet starts the day full")).to_be_visible()
    expect(menu).to_be_hidden()
