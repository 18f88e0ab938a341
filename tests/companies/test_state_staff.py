"""The staff's screens of companies, in a tab without a browser."""

from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import SessionState
from fuel_app.areas.rules.places import Located
from fuel_app.areas.service import places
from fuel_app.companies.rules.companies import StateChange
from fuel_app.companies.rules.documents import ExemptionForm
from fuel_app.companies.rules.people import CompanyRole
from fuel_app.companies.rules.price_rules import PriceRule
from fuel_app.companies.rules.sites import NEW_SITE
from fuel_app.companies.service import companies, documents, sites
from fuel_app.companies.state.company import CompaniesState, CompanyState
from fuel_app.companies.state.dialogs import (
    CompanyDetailsState,
    CompanyPressState,
    CompanyStepState,
    CompanyTermsState,
    CostCenterState,
    ExemptionDeclineState,
    MemberDialogState,
    PurchaseOrderState,
    SiteDialogState,
    SiteFilesState,
    SitePinState,
)
from fuel_app.companies.tables import Company
from fuel_app.kit.errors import FAILED
from fuel_app.kit.outbox import Message
from tests.companies.test_service_companies import details, terms
from tests.factories import UNKNOWN_ID
from tests.helpers.admins import AdminTab
from tests.helpers.companies import ADMIN, DISPATCHER, a_company, a_member, site_ids
from tests.helpers.people import rows
from tests.helpers.tabs import go_to, problems, unavailable

pytestmark = pytest.mark.usefixtures("sqlite_database")

DETAILS = {
    "name": "Palm Air",
    "legal_name": "",
    "billing_emails": "a@palm.example",
    "street": "",
    "city": "",
    "state": "",
    "zip_code": "",
}
TERMS = {"kinds": "fleet", "terms": "net_30", "invoice_cycle": "week", "credit_limit": "2,500"}
SITE = NEW_SITE | {
    "name": "North yard",
    "street": "9 Palm Ave",
    "city": "Sarasota",
    "zip_code": "34236",
}
WHY = {"reason": "Unpaid since May"}


async def at_company(
    tab: str = "", *roles: Role, **differs: Any
) -> tuple[AdminTab, CompanyState, str]:
    company_id = await a_company(**differs)
    staff = await AdminTab.at(routes.company_tab(company_id, tab), *roles)
    await staff.fire(CompanyState.load)
    return staff, await staff.screen(CompanyState), company_id


async def test_the_list_is_searched_and_says_how_many():
    await a_company()
    await a_company(name="Gulf Nursery", kind="employer")
    staff = await AdminTab.at(routes.COMPANIES, Role.DISPATCHER)
    listed = await staff.screen(CompaniesState)
    await staff.fire(CompaniesState.load)
    assert ([row.name for row in listed.rows], listed.summary) == (
        ["Gulf Nursery", "Palm Plumbing"],
        "2 companies",
    )
    await staff.fire(CompaniesState.narrow, {"q": "palm", "kind": "fleet", "state": ""})
    assert (listed.summary, listed.address) == ("1 match", "/companies?q=palm&kind=fleet")


async def test_a_company_is_shown_with_its_open_tab_alone():
    staff, page, company_id = await at_company("sites", price_rule=PriceRule("eia", 240))
    assert (page.profile.name, page.missing, len(page.sites), page.people) == (
        "Palm Plumbing",
        False,
        2,
        [],
    )
    await a_member(company_id)
    await staff.fire(CompanyState.open_tab, "people")
    assert [each.email for each in page.people] == ["owner@palm.example"] * 2
    assert page.address.endswith("?tab=people")
    for tab in ("books", "tax", "audit"):
        await staff.fire(CompanyState.open_tab, tab)
    assert page.people == []
    assert page.changes[-1].what == "Company made from a proposal"
    await staff.fire(CompanyState.open_tab, "no tab")
    assert (page.question.tab, page.changes) == ("overview", [])


async def test_another_company_starts_over_and_an_unknown_one_is_missing():
    staff, page, _ = await at_company("sites")
    other = await a_company(name="Gulf Nursery")
    cookie = staff.tab.router.headers.raw_headers["cookie"]
    go_to(staff.tab, routes.company(other), cookie=cookie)
    await staff.fire(CompanyState.load)
    assert (page.profile.name, page.sites) == ("Gulf Nursery", [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(companies, "read_company", unavailable)
        await page._refresh()
    assert (page.failed, page.missing, page.profile.name) == (True, False, "Gulf Nursery")
    go_to(staff.tab, routes.company(UNKNOWN_ID), cookie=cookie)
    await staff.fire(CompanyState.load)
    assert (page.missing, page.profile.id) == (True, "")


async def test_the_account_owner_is_chosen_with_undo(monkeypatch):
    staff, page, _ = await at_company()
    assert page.owners == {staff.actor.person_id: "Grace Hopper"}
    await staff.fire(CompanyState.set_owner, staff.actor.person_id)
    assert (page.profile.account_owner, await staff.offered()) == (
        "Grace Hopper",
        "Account owner changed",
    )
    await staff.undo()
    await page._refresh()
    assert page.profile.account_owner == ""
    monkeypatch.setattr(companies, "set_account_owner", unavailable)
    await staff.fire(CompanyState.set_owner, "")
    assert (await staff.said())[-1] == FAILED


async def test_details_are_changed_and_shown_anew_where_another_was_first():
    staff, page, company_id = await at_company()
    dialog = await staff.screen(CompanyDetailsState)
    await staff.fire(CompanyDetailsState.begin)
    assert dialog.values["billing_emails"] == "bills@palm.example"
    await companies.change_details(ADMIN, company_id, details(), page.profile.revision)
    await staff.fire(CompanyDetailsState.submit, DETAILS)
    assert dialog.error.startswith("Somebody else has changed this company")
    assert (dialog.values["legal_name"], dialog.edition) == ("Palm Air LLC", 1)
    await staff.fire(CompanyDetailsState.submit, DETAILS | {"billing_emails": "x"})
    assert problems(dialog.errors) == {"billing_emails": "Invalid email address"}
    await staff.fire(CompanyDetailsState.submit, DETAILS)
    assert (dialog.opened, page.profile.legal_name, await staff.said()) == (
        False,
        "",
        ["Details saved"],
    )
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    await page._refresh()
    await staff.fire(CompanyDetailsState.begin)
    await staff.fire(CompanyDetailsState.submit, DETAILS)
    assert (dialog.opened, dialog.edition) == (True, 0)  # what is typed stays


async def test_terms_are_an_admins_and_can_be_undone():
    staff, page, company_id = await at_company()
    dialog = await staff.screen(CompanyTermsState)
    await staff.fire(CompanyTermsState.begin)
    assert (dialog.kinds, dialog.values["terms"]) == (["fleet"], "net_15")
    await staff.fire(CompanyTermsState.submit, TERMS)
    assert (page.profile.terms, page.profile.credit_limit) == ("net_30", "2500.00")
    await staff.undo()
    await page._refresh()
    assert page.profile.terms == "net_15"
    await staff.fire(CompanyTermsState.begin)
    await staff.fire(CompanyTermsState.submit, TERMS)
    await companies.change_terms(ADMIN, company_id, terms(), page.profile.revision)
    assert "meanwhile" in (await staff.undo())[-1]
    other = await AdminTab.at(
        routes.company(company_id), Role.DISPATCHER, email="dispatcher@example.com"
    )
    await other.fire(CompanyState.load)
    await other.fire(CompanyTermsState.begin)
    assert not (await other.screen(CompanyTermsState)).opened


async def test_a_company_is_held_and_resumed_with_a_reason_and_closed_by_admins_alone():
    staff, page, company_id = await at_company("", Role.DISPATCHER)
    dialog = await staff.screen(CompanyStepState)
    for step in ("closed", "active", "no state"):
        await staff.fire(CompanyStepState.begin, step)
        assert not dialog.opened
    await staff.fire(CompanyStepState.begin, "on_hold")
    await staff.fire(CompanyStepState.submit, {"reason": " "})
    assert problems(dialog.errors) == {"reason": "Reason is required"}
    await staff.fire(CompanyStepState.submit, WHY)
    assert (page.profile.state, page.profile.state_reason) == ("on_hold", WHY["reason"])
    assert await staff.offered() == "The company is on hold"
    await staff.undo()
    await page._refresh()
    assert (page.profile.state, page.profile.state_reason) == ("active", "")
    await staff.fire(CompanyStepState.begin, "on_hold")
    await companies.set_state(ADMIN, company_id, "closed", StateChange(reason="Sold"))
    await staff.fire(CompanyStepState.submit, WHY)
    assert dialog.error.startswith("The company is not in a state")
    assert page.profile.state == "closed"


async def test_a_site_is_added_and_its_pin_set(monkeypatch):
    staff, page, _ = await at_company("sites")
    dialog, pin = await staff.screen(SiteDialogState), await staff.screen(SitePinState)
    await staff.fire(SiteDialogState.begin, "no site")
    await staff.fire(SitePinState.begin, "no site")
    await staff.fire(SitePinState.save)
    assert (dialog.opened, pin.opened) == (False, False)
    await staff.fire(SiteDialogState.begin, "")
    await staff.fire(SiteDialogState.submit, SITE | {"name": "Main yard"})
    assert problems(dialog.errors) == {"name": "The company has a site of this name."}
    await staff.fire(SiteDialogState.submit, SITE | {"zip_code": "00000"})
    assert problems(dialog.errors) == {"zip_code": "We cannot place this ZIP code on the map."}
    await staff.fire(SiteDialogState.submit, SITE | {"contact_phone": "(941) 555-0123"})
    assert (dialog.opened, pin.opened, pin.pin_of) == (
        False,
        True,
        "9 Palm Ave, Sarasota, FL 34236",
    )
    await staff.fire(SitePinState.move, "no", "position")
    await staff.fire(SitePinState.move, 20.0, -80.0)
    await staff.fire(SitePinState.save)
    assert pin.refusal.startswith("The pin is too far")
    await staff.fire(SitePinState.move, 27.34, -82.54)
    await staff.fire(SitePinState.save)
    (site,) = [each for each in page.sites if each.name == "North yard"]
    assert (site.is_approximate, site.lat, pin.opened) == (False, 27.34, False)
    await staff.fire(SitePinState.begin, site.id)
    assert pin.pin == [27.34, -82.54]
    await staff.fire(SiteDialogState.begin, site.id)
    assert dialog.values["contact_phone"] == "(941) 555-0123"
    found = Located(27.33, -82.53, is_approximate=False)

    async def locate(*_: object, **__: object) -> Located:
        return found

    monkeypatch.setattr(places, "locate", locate)
    await staff.fire(SitePinState.close, False)
    await staff.fire(SiteDialogState.submit, SITE | {"street": "7 Palm Ave"})
    assert (pin.opened, (await staff.said())[-1]) == (False, "North yard saved")


async def test_files_of_a_site_are_sent_to_its_address():
    staff, page, company_id = await at_company("sites")
    dialog = await staff.screen(SiteFilesState)
    await staff.fire(SiteFilesState.begin, "no site")
    assert not dialog.opened
    site = page.sites[0]
    await staff.fire(SiteFilesState.begin, site.id)
    asked = f"/api/company/documents?company={company_id}&site={site.id}&kind=permit"
    assert dialog.addresses["permit"] == asked
    file_id = await documents.add_document(
        ADMIN, company_id, "permit", "p.pdf", b"%PDF-1.7", site.id
    )
    await staff.fire(SiteFilesState.sent, file_id)
    assert (page.sites[0].permit_document_id, await staff.said()) == (file_id, ["File saved"])


async def test_people_are_invited_changed_and_removed():
    staff, page, company_id = await at_company("people")
    member = await a_member(company_id, CompanyRole.MANAGER)
    lot = (await site_ids(company_id))["Back lot"]
    await page._refresh()
    dialog = await staff.screen(MemberDialogState)
    invited = next(each for each in page.people if each.is_invitation)
    for person_id in ("nobody", invited.id):
        await staff.fire(MemberDialogState.begin, person_id)
        assert not dialog.opened
    await staff.fire(MemberDialogState.begin, "")
    await staff.fire(MemberDialogState.submit, {"email": "new@palm.example", "role": ""})
    assert problems(dialog.errors) == {"role": "Role is required"}
    form = {"email": "new@palm.example", "role": "viewer", "sites": [lot]}
    await staff.fire(MemberDialogState.submit, form)
    assert next(each for each in page.people if each.email == form["email"]).sites == "Back lot"
    await staff.fire(MemberDialogState.begin, member.person_id)
    assert (len(dialog.choices), dialog.ticked, dialog.values["role"]) == (2, [], "manager")
    await staff.fire(MemberDialogState.submit, {"role": "accountant", "sites": []})
    changed = next(each for each in page.people if each.id == member.person_id)
    assert (changed.role_name, (await staff.said())[-1]) == ("Accountant", "Ada Lovelace changed")
    await staff.fire(CompanyPressState.press, "remove", member.person_id)
    asked = await staff.screen(CompanyPressState)
    assert (asked.title, asked.opened) == ("Remove Ada Lovelace?", True)
    await staff.fire(CompanyPressState.submit, {})
    assert member.person_id not in [each.id for each in page.people]


async def test_an_invitation_is_sent_again_and_withdrawn():
    staff, page, _ = await at_company("people")
    (before,) = page.people
    await staff.fire(CompanyPressState.press, "send_again", before.id)
    (after,) = page.people
    assert (after.id != before.id, len(await rows(Message))) == (True, 2)
    await staff.fire(CompanyPressState.press, "send_again", before.id)  # a second press
    assert len(await rows(Message)) == 2
    await staff.fire(CompanyPressState.press, "withdraw", after.id)
    await staff.fire(CompanyPressState.submit, {})
    assert (page.people, (await staff.said())[-1]) == (
        [],
        "Invitation to owner@palm.example withdrawn",
    )


async def test_books_are_kept():
    staff, page, _ = await at_company("books")
    center, order = await staff.screen(CostCenterState), await staff.screen(PurchaseOrderState)
    for begin in (CostCenterState.begin, PurchaseOrderState.begin):
        await staff.fire(begin, "no line")
    assert (center.opened, order.opened) == (False, False)
    await staff.fire(CostCenterState.begin, "")
    await staff.fire(CostCenterState.submit, {"name": "North crew", "monthly_budget": "900"})
    await staff.fire(CostCenterState.begin, page.centers[0].id)
    assert center.values == {"name": "North crew", "monthly_budget": "900.00"}
    await staff.fire(CostCenterState.submit, {"name": "South crew", "monthly_budget": ""})
    await staff.fire(PurchaseOrderState.begin, "")
    typed = {"number": "PO-1", "amount": "50", "valid_to": "2030-01-31"}
    await staff.fire(PurchaseOrderState.submit, typed)
    await staff.fire(PurchaseOrderState.begin, page.orders[0].id)
    assert order.values == typed | {"amount": "50.00"}
    for noun, line in (("center", page.centers[0]), ("order", page.orders[0])):
        await staff.fire(CompanyPressState.press, f"close_{noun}", line.id)
    assert (page.centers[0].is_closed, page.orders[0].is_closed) == (True, True)
    for noun, line in (("center", page.centers[0]), ("order", page.orders[0])):
        await staff.fire(CompanyPressState.press, f"open_{noun}", line.id)
    assert (page.centers[0].is_closed, page.orders[0].is_closed) == (False, False)
    assert (page.centers[0].name, (await staff.said())[-1]) == (
        "South crew",
        "PO-1 is open again",
    )


async def test_a_site_closes_once_it_was_asked():
    staff, page, _ = await at_company("sites")
    site, asked = page.sites[0], await staff.screen(CompanyPressState)
    for kind, line_id in (("no kind", site.id), (7, site.id), ("close_site", "no site")):
        await staff.fire(CompanyPressState.press, kind, line_id)
    assert not asked.opened
    await staff.fire(CompanyPressState.press, "close_site", site.id)
    assert (asked.title, page.sites[0].is_closed) == (f"Close {site.name}?", False)
    await staff.fire(CompanyPressState.submit, {})
    closed = next(each for each in page.sites if each.id == site.id)
    assert (closed.is_closed, asked.opened) == (True, False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sites, "close_site", unavailable)
        await staff.fire(CompanyPressState.press, "open_site", site.id)
    assert (await staff.said())[-1] == FAILED
    await staff.fire(CompanyPressState.press, "open_site", site.id)
    assert (await staff.said())[-1] == f"{site.name} is open again"


async def asked_exemption(company_id: str) -> None:
    paper = await documents.add_document(
        DISPATCHER, company_id, "certificate", "c.pdf", b"%PDF-1.7"
    )
    form = {"kind": "nonprofit", "certificate": "85-1", "valid_to": "2030-12-31"}
    await documents.ask_exemption(DISPATCHER, company_id, ExemptionForm.parse(form), paper)


async def test_exemptions_are_decided_by_admins_alone():
    staff, page, company_id = await at_company("tax")
    await asked_exemption(company_id)
    await page._refresh()
    (line,) = page.exemptions
    await staff.fire(CompanyPressState.press, "approve", line.id)
    await staff.fire(CompanyPressState.submit, {})
    assert page.exemptions[0].state_text == "Approved, valid to Dec 31, 2030"
    dialog = await staff.screen(ExemptionDeclineState)
    await staff.fire(ExemptionDeclineState.begin, "none")
    assert not dialog.opened
    await staff.fire(ExemptionDeclineState.begin, line.id)
    assert dialog.ends
    await staff.fire(ExemptionDeclineState.submit, {"reason": "Sold"})
    assert page.exemptions[0].state_text == "Ended by us: Sold"
    await asked_exemption(company_id)
    await page._refresh()
    await staff.fire(ExemptionDeclineState.begin, page.exemptions[0].id)
    await staff.fire(ExemptionDeclineState.submit, {"reason": "Not legible"})
    assert (await staff.said())[-1] == "Exemption declined"
    await asked_exemption(company_id)
    other = await AdminTab.at(
        routes.company_tab(company_id, "tax"), Role.DISPATCHER, email="dispatcher@example.com"
    )
    await other.fire(CompanyState.load)
    theirs = (await other.screen(CompanyState)).exemptions[0]
    await other.fire(ExemptionDeclineState.begin, theirs.id)
    assert not (await other.screen(ExemptionDeclineState)).opened
    await other.fire(CompanyPressState.press, "approve", theirs.id)
    await other.fire(CompanyPressState.submit, {})
    assert (await other.screen(CompanyPressState)).error == "You are not allowed to do this."


async def test_customers_strangers_and_technicians_get_nothing():
    company_id = await a_company()
    for number, role in enumerate((Role.CUSTOMER, Role.TECHNICIAN)):
        address = routes.company_tab(company_id, "people")
        other = await AdminTab.at(address, role, email=f"other{number}@example.com")
        for event in (CompanyState.load, CompaniesState.load, SiteDialogState.begin):
            await other.fire(event, *([""] if event is SiteDialogState.begin else []))
        assert (await other.screen(CompanyState)).profile.id == ""
        assert (await other.screen(CompaniesState)).rows == []
        assert not (await other.screen(SiteDialogState)).opened
    assert [each.state for each in await rows(Company)] == ["active"]


async def test_what_staff_saw_is_sent_to_nobody_who_signs_in_after_them():
    staff, page, _ = await at_company("people")
    assert page.people
    customer = await AdminTab.at("/account", Role.CUSTOMER, email="eve@example.com")
    cookie = customer.tab.router.headers.raw_headers["cookie"]
    go_to(staff.tab, "/account", cookie=cookie)
    await (await staff.screen(SessionState))._look()
    assert (page.people, page.profile.id) == ([], "")
