"""The launch of an area: its ZIPs ticked, opened, its waitlist invited, and what becomes of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import seed_launch
from tests.flows.checks import assert_accessible_at_every_size
from tests.flows.company import ADMIN, arrive, company_site, set_a_price, verify_email
from tests.flows.conftest import PHONE, loaded
from tests.flows.visitor import modal
from tests.site import Site, seeded
from tests.tiles import tile_server

INVITED, PASSWORD = "ida@example.com", "engine-1843-loom"


@pytest.fixture
def closed_site(tmp_path: Path) -> Iterator[Site]:
    with tile_server() as tiles, company_site(tmp_path, FUEL_TILE_URL=tiles) as site:
        yield site


def test_an_area_is_made_from_zips_opened_and_its_waitlist_invited(open_browser, closed_site):
    office = open_browser(token=seeded(closed_site.database_url, seed_launch.fill_waitlist(ADMIN)))
    tick_zips(office)
    open_the_area(office)
    start_the_waves(office)
    seeded(closed_site.database_url, seed_launch.send_wave())
    guest = open_browser(PHONE)
    sign_up_by_the_invitation(guest, office)
    seeded(closed_site.database_url, seed_launch.complete_fill())
    see_the_funnel(office)


def tick_zips(page: Page) -> None:
    arrive(page, "/settings/areas")
    page.get_by_role("link", name="Launch").click()
    expect(page.get_by_text("48 people are waiting, 4 without a ZIP.")).to_be_visible()
    page.get_by_label("34236", exact=True).click()
    assert_accessible_at_every_size(page)
    page.get_by_role("button", name=re.compile("^34231: ")).click()
    expect(page.get_by_label("34231", exact=True)).to_be_checked()
    expect(page.get_by_text("2 ZIP codes, 27 people waiting")).to_be_visible()
    page.get_by_label("Show").select_option("Neighborhoods")
    expect(page.get_by_role("row").filter(has_text="Palm Court")).to_contain_text("8")


def open_the_area(page: Page) -> None:
    page.get_by_role("button", name="Make an area").click()
    expect(modal(page).get_by_label("ZIP codes")).to_have_value("34231, 34236")
    modal(page).get_by_label("Area name").fill("Sarasota")
    modal(page).get_by_role("button", name="Save area").click()
    expect(page.get_by_text("27 waiting, about 1 day at 100 a day")).to_be_visible()
    page.get_by_role("button", name="Open area").click()
    modal(page).get_by_role("button", name="Open without them").click()
    expect(modal(page)).to_be_hidden()


def start_the_waves(page: Page) -> None:
    page.get_by_role("button", name="Start inviting").click()
    expect(modal(page)).to_contain_text("No grade has a current price there")
    modal(page).get_by_role("button", name="Cancel").click()
    set_a_price(page)
    arrive(page, "/launch")
    loaded(page)
    page.get_by_role("button", name="Start inviting").click()
    expect(modal(page)).to_contain_text("27 waiting")
    mail = modal(page).get_by_role("region", name="Mail")
    expect(mail).to_contain_text("We now deliver fuel in Sarasota")
    modal(page).get_by_role("button", name="Send me a test").click()
    expect(mail).to_contain_text(f"A test is on its way to {ADMIN}.")
    assert_accessible_at_every_size(page)
    modal(page).get_by_role("button", name="Start inviting").click()
    expect(page.get_by_text("Inviting the waitlist of Sarasota", exact=True)).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Start inviting").click()
    modal(page).get_by_role("button", name="Start inviting").click()
    page.get_by_role("button", name="Pause invitations").click()
    expect(page.get_by_text("Invitations are paused.")).to_be_visible()
    page.get_by_role("button", name="Resume invitations").click()
    expect(page.get_by_role("button", name="Pause invitations")).to_be_visible()


def sign_up_by_the_invitation(page: Page, office: Page) -> None:
    arrive(office, "/settings/messages?q=ida")
    office.get_by_role("button", name="Area open").first.click()
    expect(modal(office)).to_contain_text("fuel up to $50")
    link = re.search(r"http://\S+(/onboarding\?invited=\S+)", modal(office).inner_text())
    assert link
    arrive(page, link.group(1))
    expect(page.get_by_label("Email")).to_have_value(INVITED)
    expect(page.get_by_label("ZIP")).to_have_value("34236")
    page.get_by_label("Phone").fill("(941) 555-0123")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Next Step").click()
    verify_email(page, office)
    arrive(page, "/account")
    expect(page.get_by_text("Palm Court").first).to_be_visible()


def see_the_funnel(page: Page) -> None:
    arrive(page, "/launch")
    line = page.get_by_role("table", name="By neighborhood").get_by_role("row")
    expect(line.filter(has_text="Palm Court")).to_contain_text("1 (13 %)")
    area = page.get_by_role("table", name="By area").get_by_role("row").filter(has_text="Sarasota")
    expect(area).to_have_text(re.compile("Sarasota.*27.*1 \\(4 %\\).*1 \\(4 %\\)"))
    assert_accessible_at_every_size(page)
