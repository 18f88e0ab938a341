"""A company's people in their browsers: invited by mail, each with what the role shows, removed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fuel_app.kit.db.session import transaction
from tests import seed_day
from tests.flows.checks import assert_accessible
from tests.flows.company import arrive, company_site, message, modal
from tests.flows.conftest import DESKTOP, PHONE
from tests.flows.test_opening import link_in
from tests.helpers.companies import found_company, founding
from tests.helpers.members import STRONG
from tests.site import Site, seeded

OWNER, ACCOUNTANT = "owner@palm.example", "books@palm.example"


async def seed() -> dict[str, Any]:
    known = await seed_day.seed(0)
    async with transaction() as session:
        await found_company(session, founding())
    return known


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A site with a company whose owner is invited."""
    with company_site(tmp_path_factory.mktemp("companies")) as site:
        yield site, seeded(site.database_url, seed())


def accept(page: Page, office: Page, name: str) -> None:
    """Accept the newest invitation as a new person."""
    arrive(page, link_in(message(office, "Company invitation"), "/company-invitation"))
    expect(page.get_by_text("is invited to Palm Plumbing")).to_be_visible()
    assert_accessible(page)
    page.get_by_label("First name").fill(name)
    page.get_by_label("Last name").fill("Palm")
    page.get_by_label("Password").fill(STRONG)
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(re.compile("/company$"))
    expect(page.get_by_role("heading", name="Palm Plumbing")).to_be_visible()


def test_an_owner_invites_an_accountant_who_sees_the_books_until_removed(company, browse):
    site, known = company
    office = browse(site, DESKTOP, known["admin"])
    owner, accountant = browse(site, PHONE), browse(site, DESKTOP)
    accept(owner, office, "Olive")
    expect(owner.get_by_text("You are here as: Owner")).to_be_visible()
    expect(owner.get_by_text("Set the pin of Main yard")).to_be_visible()
    assert_accessible(owner)
    owner.get_by_role("button", name="Go to people").click()
    expect(owner.get_by_text("Olive Palm").first).to_be_visible()
    owner.get_by_role("button", name="Invite").click()
    modal(owner).get_by_label("E-mail").fill(ACCOUNTANT)
    modal(owner).get_by_label("Role").select_option("accountant")
    modal(owner).get_by_role("button", name="Invite").click()
    expect(owner.get_by_text(ACCOUNTANT).first).to_be_visible()

    accept(accountant, office, "Ben")
    expect(accountant.get_by_role("tab")).to_have_text(["Overview", "Books", "Tax"])
    accountant.get_by_role("tab", name="Books").click()
    accountant.get_by_role("button", name="Add cost center").click()
    modal(accountant).get_by_label("Name").fill("North")
    modal(accountant).get_by_role("button", name="Save cost center").click()
    expect(accountant.get_by_role("cell", name="North", exact=True)).to_be_visible()
    assert_accessible(accountant)
    arrive(accountant, "/dashboard")  # which is a private customer's
    expect(accountant).to_have_url(re.compile("/company$"))

    owner.get_by_role("button", name="Remove Ben Palm").click()
    modal(owner).get_by_role("button", name="Remove").click()
    expect(accountant.get_by_role("heading", name="No company here")).to_be_visible()
    expect(accountant.get_by_text("Palm Plumbing")).to_have_count(0)
    assert_accessible(accountant)
