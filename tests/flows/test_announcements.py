"""An announcement from its first word to the mailbox, and the link there that ends it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import seed_announcements
from tests.flows.checks import assert_accessible_at_every_size
from tests.flows.company import ADMIN, arrive, company_site
from tests.flows.conftest import PHONE
from tests.flows.visitor import modal
from tests.helpers.mail_server import Inbox, mail_server, text_of
from tests.site import Site, seeded
from tests.waiting import came_true

RITA = "rita@example.com"
pytestmark = pytest.mark.usefixtures("midday")


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with mail_server() as received:
        yield received


@pytest.fixture
def site(tmp_path: Path, inbox: Inbox) -> Iterator[Site]:
    with company_site(tmp_path, FUEL_SMTP_URL=inbox.url) as running:
        yield running


def test_an_offer_is_agreed_to_written_sent_and_unsubscribed(site, inbox, browse):
    cookies = seeded(site.database_url, seed_announcements.seed(ADMIN, RITA))
    rita = browse(site, PHONE, cookies["customer"])
    agree_to_offers(rita)
    office = browse(site, token=cookies["admin"])
    write_an_offer(office)
    try_and_send_it(office, inbox)
    unsubscribe(rita, inbox)
    office.reload()
    expect(office.get_by_text("4 e-mails sent · 1 not sent · 1 unsubscribed since")).to_be_visible()


def agree_to_offers(page: Page) -> None:
    arrive(page, "/notifications")
    expect(page.get_by_role("button", name="Agree to offers by text")).to_be_hidden()
    page.get_by_role("switch", name="Special Offers").click()
    expect(page.get_by_text("Agreeing is not needed to buy anything.")).to_be_visible()
    assert_accessible_at_every_size(page)
    page.get_by_role("button", name="Agree to offers by text").click()
    expect(page.get_by_text("You get offers by text message, too.")).to_be_visible()
    page.get_by_role("switch", name="Newsletter").click()
    expect(page.get_by_role("switch", name="Newsletter")).to_be_checked()


def write_an_offer(page: Page) -> None:
    arrive(page, "/settings/announcements")
    page.get_by_role("button", name="New announcement").click()
    dialog = modal(page)
    dialog.get_by_label("Kind").select_option("Special offer")
    dialog.get_by_label("Subject").fill("$5 off in December")
    dialog.get_by_role("button", name="Save draft").click()
    expect(dialog.get_by_text("Text is required")).to_be_visible()
    dialog.get_by_label("Text", exact=True).fill(
        "Your next fill-up is $5 off.\n\nSee https://example.com/offer?a=1"
    )
    dialog.get_by_label("Text message of an offer").fill("$5 off your next fill-up.")
    assert_accessible_at_every_size(page)
    dialog.get_by_role("button", name="Save draft").click()
    expect(page.get_by_role("heading", name="$5 off in December")).to_be_visible()
    expect(page.get_by_text("Special offer · All areas · All plans")).to_be_visible()
    assert_accessible_at_every_size(page)


def try_and_send_it(page: Page, inbox: Inbox) -> None:
    page.get_by_role("button", name="Preview and send").click()
    dialog = modal(page)
    expect(dialog.get_by_text("4 customers get it: 4 e-mails and 1 text message.")).to_be_visible()
    expect(dialog.get_by_role("region", name="Text message")).to_contain_text("Reply STOP to end.")
    assert_accessible_at_every_size(page)
    with page.expect_popup() as opened:
        dialog.get_by_role("link", name="See it as a mail").click()
    mail = opened.value
    expect(mail.get_by_role("link", name="https://example.com/offer?a=1")).to_be_visible()
    mail.close()
    dialog.get_by_role("button", name="Send me a test").click()
    expect(dialog.get_by_text(f"A test is on its way to {ADMIN}.")).to_be_visible()
    assert came_true(lambda: len(inbox.mails) == 1, within=30)
    assert inbox.last()["Subject"] == "Test: $5 off in December"
    dialog.get_by_role("button", name="Send to 4 customers").click()
    expect(dialog).to_be_hidden()
    assert came_true(lambda: len(inbox.mails) == 5, within=60)
    expect(page.get_by_text("Sent", exact=True)).to_be_visible(timeout=30_000)


def unsubscribe(page: Page, inbox: Inbox) -> None:
    mail = next(mail for (to,), mail in inbox.mails if to == RITA)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = re.search(r"Unsubscribe: http://\S+?(/unsubscribe\?t=\S+)", text_of(mail))
    assert link
    page.goto(link.group(1))
    expect(page.get_by_text("no more messages of the kind 'Special offer'")).to_be_visible()
    arrive(page, "/notifications")
    expect(page.get_by_role("switch", name="Special Offers")).to_be_checked()
    page.goto(link.group(1))
    page.get_by_role("button", name="Unsubscribe").click()
    expect(page.get_by_role("heading", name="You are unsubscribed")).to_be_visible()
    arrive(page, "/notifications")
    expect(page.get_by_role("switch", name="Special Offers")).not_to_be_checked()
    expect(page.get_by_role("switch", name="Newsletter")).to_be_checked()
