"""Sending a link on: the phone's share sheet, else the clipboard."""

import pytest
from playwright.sync_api import expect

from tests.flows.conftest import PHONE, until
from tests.flows.visitor import found_neighborhood, join_waitlist, modal

SHEET = "navigator.share = async (shared) => { window.shared = shared; %s }; null"


def test_without_a_share_sheet_the_link_is_copied(visit, zip_code):
    page = visit("/", permissions=["clipboard-read", "clipboard-write"])
    page.evaluate("delete Navigator.prototype.share")
    join_waitlist(page, zip_code)
    link = found_neighborhood(page, "Palm Grove")
    modal(page).get_by_role("button", name="Share with neighbors").click()
    toast = page.get_by_role("status").filter(has_text="Link copied to clipboard!")
    expect(toast.first).to_be_attached()
    assert page.evaluate("navigator.clipboard.readText()").endswith(link)
    expect(page.get_by_text("Link copied to clipboard!")).to_have_count(0)


def test_on_a_phone_no_message_stands_on_what_can_be_pressed(visit, zip_code):
    page = visit("/", PHONE)
    join_waitlist(page, zip_code)
    found_neighborhood(page, "Palm Grove")
    message = page.get_by_text("Successfully joined neighborhood!", exact=True).first.bounding_box()
    assert message
    for button in modal(page).get_by_role("button").all():
        box = button.bounding_box()
        assert box
        apart = (
            message["y"] + message["height"] < box["y"] or box["y"] + box["height"] < message["y"]
        )
        assert apart, button.inner_text()


@pytest.mark.parametrize(
    "answer", ["", "throw new DOMException('', 'AbortError')"], ids=["sent", "cancelled"]
)
def test_a_share_sheet_gets_the_link_and_nothing_more_is_said(visit, zip_code, answer):
    page = visit("/")
    page.evaluate(SHEET % answer)
    join_waitlist(page, zip_code)
    found_neighborhood(page, "Palm Grove")
    referral = modal(page).get_by_label("Your referral link").input_value()
    modal(page).get_by_role("button", name="Share", exact=True).click()
    until(page, "window.shared")
    assert page.evaluate("window.shared.url") == referral
    expect(page.get_by_text("Link copied to clipboard!")).to_have_count(0)
