"""From a neighborhood to its flyer, and from the paper back to its join page."""

import re
from io import BytesIO

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Page, expect

from tests.flows.checks import assert_accessible_at_every_size
from tests.flows.conftest import PHONE, until
from tests.flows.visitor import found_neighborhood, join_waitlist, modal

NAMES = ["The Residences at Lakewood Ranch Country Club Golf Village E", "W" * 60]


def flyer_of(page: Page, name: str, zip_code: str) -> str:
    """Create a neighborhood and open its flyer. Return the join link."""
    join_waitlist(page, zip_code)
    link = found_neighborhood(page, name)
    page.goto(f"{link}/flyer")
    return link


def scanned(page: Page) -> list[str]:
    """Return the QR codes on the screen."""
    with Image.open(BytesIO(page.screenshot(full_page=True))) as picture:
        return [code.text for code in zxingcpp.read_barcodes(picture)]


@pytest.mark.parametrize("name", NAMES)
def test_a_flyer_is_one_sheet_of_either_paper(visit, zip_code, name):
    page = visit("/")
    flyer_of(page, name, zip_code)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Join {name}")
    for paper in ("A4", "Letter"):
        document = page.pdf(format=paper, prefer_css_page_size=False)
        assert len(re.findall(rb"/Type\s*/Page\b", document)) == 1


def test_a_pioneer_prints_the_flyer_and_its_code_leads_back(visit, zip_code):
    page = visit("/", PHONE)
    join_waitlist(page, zip_code)
    link = found_neighborhood(page, "Palm Court")
    with page.expect_popup() as opened:
        modal(page).get_by_role("link", name="Print a flyer").click()
    flyer = opened.value
    expect(flyer.get_by_role("heading", name="Join Palm Court")).to_be_visible()
    assert flyer.url == f"{link}/flyer"
    flyer.evaluate("window.print = () => { window.printed = true; }; null")
    flyer.get_by_role("button", name="Print this flyer").click()
    until(flyer, "window.printed")
    for media in ("print", "screen"):
        flyer.emulate_media(media=media)
        assert scanned(flyer) == [link]
    flyer.goto(link)
    expect(modal(flyer).get_by_text("Palm Court")).to_be_visible()


def test_axe_finds_nothing_on_a_flyer_and_nothing_is_cut_off(visit, zip_code):
    page = visit("/")
    flyer_of(page, "W" * 60, zip_code)
    assert_accessible_at_every_size(page)
