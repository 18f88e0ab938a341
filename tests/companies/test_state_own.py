"""A company's own page, in tabs without a browser: nothing beyond the role, or after leaving."""

from itertools import product
from typing import Any

import pytest
import reflex as rx

from fuel_app.accounts.rules import Role
from fuel_app.companies.rules.companies import StateChange
from fuel_app.companies.rules.documents import CERTIFICATE
from fuel_app.companies.rules.people import CompanyRole, MemberChange
from fuel_app.companies.service import companies, documents, people
from fuel_app.companies.state import dialogs
from fuel_app.companies.state.company import CompanyScreen, CompanyState
from fuel_app.companies.tables import (
    Company,
    CompanyInvitation,
    CompanyPerson,
    StoredCostCenter,
    StoredPurchaseOrder,
    StoredSite,
    TaxExemption,
)
from fuel_app.kit.db.session import transaction
from tests.companies.test_service_companies import PDF
from tests.factories import UNKNOWN_ID
from tests.helpers.admins import AdminTab
from tests.helpers.companies import ADMIN, DISPATCHER, a_company, site_ids
from tests.helpers.people import rows
from tests.helpers.tabs import problems

pytestmark = pytest.mark.usefixtures("sqlite_database")
OWNER, MANAGER, ACCOUNTANT, VIEWER = CompanyRole
TABLES = (
    Company,
    CompanyInvitation,
    CompanyPerson,
    StoredCostCenter,
    StoredPurchaseOrder,
    StoredSite,
    TaxExemption,
)


async def at_own(
    company_id: str,
    role: CompanyRole = OWNER,
    *,
    sites: list[str] | None = None,
    roles: tuple[Role, ...] = (Role.COMPANY,),
    email: str = "",
) -> tuple[AdminTab, CompanyState]:
    """Open the page as a person of a company."""
    tab = await AdminTab.at("/company", *roles, email=email or f"{role}@palm.example")
    async with transaction() as session:
        session.add(
            CompanyPerson(
                company_id=company_id, person_id=tab.actor.person_id, role=role, sites=sites
            )
        )
    await tab.fire(CompanyState.load_own)
    return tab, await tab.screen(CompanyState)


async def everything() -> dict[str, list[dict[str, Any]]]:
    return {
        table.__tablename__: [each.model_dump() for each in await rows(table)] for table in TABLES
    }


async def test_each_role_sees_its_tabs_and_an_owner_what_to_do():
    company_id = await a_company()
    _, page = await at_own(company_id)
    assert (page.profile.name, page.role, page.is_own) == ("Palm Plumbing", "Owner", True)
    assert page.to_do == ["Set the pin of Back lot", "Set the pin of Main yard"]
    assert (page.address, page.owners, page.changes) == ("/company", {}, [])
    accountant, page = await at_own(company_id, ACCOUNTANT)
    assert page.to_do == []
    for tab in ("sites", "people", "audit"):
        await accountant.fire(CompanyState.open_tab, tab)
        assert (page.sites, page.people, page.changes) == ([], [], [])
        assert not page.failed


async def test_who_is_limited_to_a_site_sees_that_one_alone():
    company_id = await a_company()
    yard = (await site_ids(company_id))["Main yard"]
    tab, page = await at_own(company_id, MANAGER, sites=[yard])
    await tab.fire(CompanyState.open_tab, "sites")
    assert [site.name for site in page.sites] == ["Main yard"]


async def test_an_owner_changes_details_people_books_and_claims_an_exemption():
    company_id = await a_company()
    tab, page = await at_own(company_id)
    await tab.fire(dialogs.CompanyDetailsState.begin)
    sent = {"name": "Palm Air", "billing_emails": "a@palm.example"}
    await tab.fire(dialogs.CompanyDetailsState.submit, sent)
    assert page.profile.name == "Palm Air"
    await tab.fire(dialogs.MemberDialogState.begin, "")
    invite = {"email": "ann@palm.example", "role": "accountant", "sites": []}
    await tab.fire(dialogs.MemberDialogState.submit, invite)
    assert {each.email for each in await rows(CompanyInvitation)} >= {"ann@palm.example"}
    await tab.fire(CompanyState.open_tab, "tax")
    claim = await tab.screen(dialogs.ExemptionClaimState)
    await tab.fire(dialogs.ExemptionClaimState.begin)
    assert claim.address.endswith(f"?company={company_id}&kind=certificate")
    form = {"kind": "resale", "certificate": "85-1", "valid_to": "2030-01-01"}
    await tab.fire(dialogs.ExemptionClaimState.submit, form)
    assert claim.error == "Upload the certificate first."
    paper = await documents.add_document(tab.actor, company_id, CERTIFICATE, "c.pdf", PDF)
    await tab.fire(dialogs.ExemptionClaimState.sent, paper)
    assert claim.has_file
    await tab.fire(dialogs.ExemptionClaimState.submit, form | {"valid_to": ""})
    assert problems(claim.errors) == {"valid_to": "Valid to is required"}
    await tab.fire(dialogs.ExemptionClaimState.submit, form)
    assert [line.state for line in page.exemptions] == ["asked"]
    await tab.fire(dialogs.ExemptionClaimState.sent, paper)
    assert not claim.has_file  # the dialog is closed


async def test_an_accountant_changes_where_invoices_go_and_nothing_else_of_the_details():
    company_id = await a_company()
    tab, page = await at_own(company_id, ACCOUNTANT)
    await tab.fire(dialogs.BillingEmailsState.begin)
    await tab.fire(dialogs.BillingEmailsState.submit, {"billing_emails": "new@palm.example"})
    assert page.profile.billing_emails == ("new@palm.example",)
    await tab.fire(dialogs.CompanyDetailsState.begin)
    dialog = await tab.screen(dialogs.CompanyDetailsState)
    sent = {"name": "Mine", "billing_emails": "a@palm.example"}
    await tab.fire(dialogs.CompanyDetailsState.submit, sent)
    assert dialog.error == "You are not allowed to do this."


async def test_a_person_turns_to_another_of_their_companies_and_to_no_other():
    first, second = await a_company(name="A"), await a_company(name="B")
    foreign = await a_company(name="C")
    tab, page = await at_own(first)
    async with transaction() as session:
        session.add(CompanyPerson(company_id=second, person_id=tab.actor.person_id, role=VIEWER))
    await tab.fire(CompanyState.load_own)
    assert [each.name for each in page.choices] == ["A", "B"]
    await tab.fire(CompanyState.choose, second)
    assert (page.profile.name, page.role) == ("B", "Viewer")
    for other in (foreign, UNKNOWN_ID):
        await tab.fire(CompanyState.choose, other)
        assert page.profile.name == "B"


async def test_who_is_removed_while_the_page_is_open_sees_nothing_any_more():
    company_id = await a_company()
    await at_own(company_id, email="boss@palm.example")
    tab, page = await at_own(company_id, VIEWER)
    await tab.fire(CompanyState.open_tab, "sites")
    assert page.sites
    await people.remove_member(DISPATCHER, company_id, tab.actor.person_id)
    await page._refresh()
    assert (page.left, page.profile.id, page.sites) == (True, "", [])
    await tab.fire(CompanyState.open_tab, "people")
    assert (page.left, page.people) == (True, [])
    await tab.fire(CompanyState.load_own)
    assert page.left


async def test_a_changed_role_counts_at_once():
    company_id = await a_company()
    await at_own(company_id, email="boss@palm.example")
    tab, page = await at_own(company_id, MANAGER)
    form = MemberChange.parse({"role": VIEWER, "sites": []})
    await people.change_member(DISPATCHER, company_id, tab.actor.person_id, form)
    await page._refresh()
    assert page.role == "Viewer"
    await tab.fire(dialogs.SiteDialogState.begin, "")
    dialog = await tab.screen(dialogs.SiteDialogState)
    site = {"name": "New", "street": "1 A St", "city": "Sarasota", "zip_code": "34236"}
    await tab.fire(dialogs.SiteDialogState.submit, site)
    assert dialog.error == "You are not allowed to do this."


async def test_a_member_leaves_by_themselves():
    company_id = await a_company()
    await at_own(company_id, email="boss@palm.example")
    tab, page = await at_own(company_id, VIEWER)
    await tab.fire(CompanyState.open_tab, "people")
    await tab.fire(dialogs.CompanyPressState.press, "leave", tab.actor.person_id)
    await tab.fire(dialogs.CompanyPressState.submit, {})
    assert page.left
    assert VIEWER not in {each.role for each in await rows(CompanyPerson)}


async def test_people_of_a_closed_company_see_its_overview_and_nothing_changes():
    company_id = await a_company()
    tab, page = await at_own(company_id)
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    await tab.fire(CompanyState.load_own)
    assert (page.profile.state, page.sites) == ("closed", [])
    await tab.fire(CompanyState.open_tab, "people")
    assert page.people == []


EVENTS = sorted(
    {
        (screen.__name__, name)
        for screen in rx.State.get_substates()
        if issubclass(screen, CompanyScreen)
        for name, handler in screen.event_handlers.items()
        if handler.fn.__module__.startswith("fuel_app") and name != "follow"
    }
)
ARGUMENTS = ("", "sites", "close_site", "active", "{company}", "{site}", "{person}")


@pytest.mark.parametrize("who", ["customer", "member of another company", "technician"])
async def test_no_event_shows_or_changes_another_company(who):
    company_id = await a_company()
    await at_own(company_id, email="boss@palm.example")
    tab = await AdminTab.at(
        f"/companies/{company_id}",
        {"technician": Role.TECHNICIAN}.get(who, Role.CUSTOMER),
        email="eve@example.com",
    )
    if who == "member of another company":
        other = await a_company(name="Other")
        async with transaction() as session:
            session.add(CompanyPerson(company_id=other, person_id=tab.actor.person_id, role=OWNER))
        await tab.fire(CompanyState.load_own)
    page, before = await tab.screen(CompanyState), await everything()
    known = await site_ids(company_id)
    [boss] = [each for each in await rows(CompanyPerson) if each.company_id == company_id]
    names = {"company": company_id, "site": known["Main yard"], "person": boss.person_id}
    states = {each.__name__: each for each in rx.State.get_substates()}
    for (screen, name), typed in product(EVENTS, ARGUMENTS):
        state = states[screen]
        handler = state.event_handlers[name]
        count = handler.fn.__wrapped__.__code__.co_argcount - 1 if name != "follow_own" else -1
        given = {0: (), 1: (typed.format(**names),), 2: (typed.format(**names), names["site"])}
        if count not in given or (count == 0 and typed):
            continue
        await tab.fire(handler, *given[count])
        assert company_id != page.profile.id, (screen, name, typed)
    after = await everything()
    assert [each for each in after["company_sites"] if each["company_id"] == company_id] == [
        each for each in before["company_sites"] if each["company_id"] == company_id
    ]
    assert [each for each in after["companies"] if each["id"] == company_id] == [
        each for each in before["companies"] if each["id"] == company_id
    ]
    assert [each for each in after["company_people"] if each["company_id"] == company_id] == [
        each for each in before["company_people"] if each["company_id"] == company_id
    ]
    assert after["company_invitations"] == before["company_invitations"]
