"""From a fleet's quote to its company: proposal, mail, link, code, signature."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests import seed
from tests.flows.checks import assert_accessible_at_every_size
from tests.flows.company import Browse, arrive, company_site
from tests.flows.conftest import PHONE
from tests.flows.quoting import fill_fleet_quote, open_fleet_quote, submit
from tests.flows.visitor import modal
from tests.helpers.mail_server import Inbox, mail_server, text_of
from tests.site import Site, seeded
from tests.waiting import came_true

SITE_LINE = "Main yard: 100 Main St, Sarasota 34236"


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with mail_server() as receiving:
        yield receiving


@pytest.fixture
def fleet_site(tmp_path: Path, inbox: Inbox) -> Iterator[Site]:
    with company_site(tmp_path, FUEL_SMTP_URL=inbox.url) as site:
        yield site


def mailed(inbox: Inbox, subject: str) -> EmailMessage:
    """Return the newest mail with this in its subject, once it has come."""

    def found() -> list[EmailMessage]:
        return [mail for _, mail in inbox.mails if subject in str(mail["Subject"])]

    assert came_true(lambda: bool(found()), within=20)
    return found()[-1]


def test_a_quote_becomes_a_proposal_and_a_company(fleet_site: Site, inbox: Inbox, browse: Browse):
    known = seeded(fleet_site.database_url, seed.company())
    visitor = browse(fleet_site, PHONE)
    arrive(visitor, "/fleet")
    dialog = open_fleet_quote(visitor)
    fill_fleet_quote(dialog, "Analytical Plumbers")
    submit(dialog)
    expect(dialog.get_by_role("heading", name="Thank You!")).to_be_visible()
    ((lead, email),) = fleet_site.rows("SELECT id, email FROM fleet_quotes")

    staff = browse(fleet_site, token=known["admin"])
    arrive(staff, f"/submissions?lead={lead}")
    modal(staff).get_by_role("link", name="Make a proposal").click()
    expect(staff.get_by_role("heading", name="Analytical Plumbers")).to_be_visible()
    staff.get_by_label("Sites").fill(SITE_LINE)
    staff.get_by_label("Sites").blur()
    month = staff.get_by_role("complementary", name="Calculator")
    expect(month).to_contain_text("visits")
    expect(month).to_contain_text("Saved ")
    expect(month).to_contain_text("The margin is not known")
    assert_accessible_at_every_size(staff)
    staff.get_by_role("button", name="Preview").click()
    expect(modal(staff)).to_contain_text("100 Main St, Sarasota, FL 34236")
    modal(staff).get_by_role("button", name="Close").click()
    staff.get_by_role("button", name="Send...").click()
    asked = modal(staff)
    expect(asked).to_contain_text(email)
    asked.get_by_label("Why is it sent all the same?").fill("The cost follows tomorrow")
    asked.get_by_role("button", name="Send", exact=True).click()
    expect(staff.get_by_text("Not viewed")).to_be_visible()

    offered = mailed(inbox, "Our proposal for Analytical Plumbers")
    assert str(offered["To"]) == email
    (link,) = set(re.findall(r"/proposals/view/[\w.-]+", text_of(offered)))
    contact = browse(fleet_site, PHONE)
    arrive(contact, link)
    expect(contact.get_by_text("Analytical Plumbers").first).to_be_visible()
    assert_accessible_at_every_size(contact)
    expect(staff.get_by_text(re.compile("^Viewed "))).to_be_visible()
    contact.get_by_role("button", name="Accept").click()
    expect(contact.get_by_label("Code")).to_be_focused()
    (code,) = re.findall(r"\b\d{6}\b", text_of(mailed(inbox, "code to accept")))
    contact.get_by_role("button", name="Sign and accept").click()
    expect(contact.get_by_text("Code is required")).to_be_visible()
    assert_accessible_at_every_size(contact)
    contact.get_by_label("Code").fill(code)
    contact.get_by_label("Your name").fill("Ada Lovelace")
    contact.get_by_label("Your title").fill("Owner")
    contact.get_by_label("I may bind").check()
    contact.get_by_label("I agree to sign").check()
    contact.get_by_label("Signature", exact=True).fill("Ada Lovelace")
    contact.get_by_role("button", name="Sign and accept").click()
    expect(contact.get_by_text("This proposal is accepted. Thank you!")).to_be_visible()
    assert_accessible_at_every_size(contact)

    assert fleet_site.rows("SELECT name FROM companies") == [("Analytical Plumbers",)]
    assert fleet_site.rows("SELECT email, role FROM company_invitations") == [(email, "owner")]
    assert fleet_site.rows("SELECT status FROM leads WHERE id = ?", lead) == [("Closed Won",)]
    (signed,) = mailed(inbox, "has accepted proposal").iter_attachments()
    pages = PdfReader(BytesIO(signed.get_content())).pages
    assert "Ada Lovelace, Owner" in pages[-1].extract_text()
    expect(staff.get_by_text("Evidence of acceptance")).to_be_visible()
    assert_accessible_at_every_size(staff)
    staff.get_by_role("link", name="The company").click()
    expect(staff.get_by_role("heading", name="Analytical Plumbers")).to_be_visible()
    arrive(staff, "/proposals")
    expect(staff.get_by_role("link", name="Analytical Plumbers")).to_be_visible()
    assert_accessible_at_every_size(staff)
