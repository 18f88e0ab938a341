"""Companies as staff list and change them; their cost centers, orders, files and exemptions."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.companies.rules.companies import (
    BillingEmails,
    ChangedMeanwhile,
    CompanyDetails,
    CompanyGone,
    CompanyQuery,
    CompanyTerms,
    CostCenter,
    LineGone,
    NameTaken,
    NotFromHere,
    PurchaseOrder,
    StateChange,
    TooManyLines,
)
from fuel_app.companies.rules.documents import (
    FILE_MAX_BYTES,
    DocumentGone,
    DocumentTooLarge,
    ExemptionDecline,
    ExemptionForm,
    ExemptionGone,
    NoCertificate,
    NotADocument,
    TooManyDocuments,
)
from fuel_app.companies.rules.people import CompanyRole
from fuel_app.companies.rules.price_rules import PriceRule
from fuel_app.companies.rules.sites import SiteGone
from fuel_app.companies.service import books, companies, documents
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from tests.factories import UNKNOWN_ID
from tests.helpers.companies import ADMIN, DISPATCHER, a_company, a_member, site_ids
from tests.helpers.people import a_person

OWNER, MANAGER, ACCOUNTANT, VIEWER = CompanyRole
PDF = b"%PDF-1.7 a certificate"
STRANGER = Actor(frozenset({Role.CUSTOMER}), person_id=UNKNOWN_ID)


def details(**differs: str) -> CompanyDetails:
    given = {
        "name": "Palm Air",
        "legal_name": "Palm Air LLC",
        "billing_emails": "a@palm.example, b@palm.example",
        "street": "1 Palm Ave",
        "city": "Sarasota",
        "state": "FL",
        "zip_code": "34236",
    }
    return CompanyDetails.parse(given | differs)


def terms(**differs: object) -> CompanyTerms:
    given = {
        "kinds": ["fleet", "employer"],
        "terms": "net_30",
        "invoice_cycle": "week",
        "po_required": "on",
        "credit_limit": "2,500",
    }
    return CompanyTerms.parse(given | differs)


async def test_the_list_is_searched_filtered_sorted_and_paged(database):
    ids = [await a_company(name=f"Fleet {number:02}") for number in range(30)]
    await a_company(name="Łukasz Plumbing", kind="employer")
    await companies.set_state(DISPATCHER, ids[0], "on_hold", StateChange(reason="Unpaid"))
    page = await companies.list_companies(DISPATCHER, CompanyQuery(page=9))
    assert (page.page, page.pages, page.total, len(page.rows)) == (2, 2, 31, 6)
    [row] = (await companies.list_companies(DISPATCHER, CompanyQuery(q="lukasz"))).rows
    assert (row.name, row.kinds, row.sites, row.people) == ("Łukasz Plumbing", "Employer", 2, 0)
    [held] = (await companies.list_companies(DISPATCHER, CompanyQuery(state="on_hold"))).rows
    assert held.name == "Fleet 00"
    found = await companies.list_companies(DISPATCHER, CompanyQuery(kind="fleet", sort="-name"))
    assert found.rows[0].name == "Fleet 29"
    for sort in ("state", "-created_at"):
        assert (await companies.list_companies(DISPATCHER, CompanyQuery(sort=sort))).total == 31
    with pytest.raises(NotAllowed):
        await companies.list_companies(STRANGER, CompanyQuery())
    for refused in (companies.owner_choices(STRANGER), companies.list_changes(STRANGER, ids[0])):
        with pytest.raises(NotAllowed):
            await refused


async def test_details_change_for_owners_and_staff_who_saw_the_last_ones(sqlite_database):
    rule = PriceRule("eia", 240)
    company_id = await a_company(price_rule=rule, made_by=(await a_person(Role.DISPATCHER)).id)
    owner = await a_member(company_id)
    before = await companies.read_company(owner, company_id)
    assert (before.account_owner, before.price_rule) == ("Ada Lovelace", rule.label)
    await companies.change_details(owner, company_id, details(), before.revision)
    after = await companies.read_company(DISPATCHER, company_id)
    assert (after.name, after.state_code, after.billing_emails) == (
        "Palm Air",
        "FL",
        ("a@palm.example", "b@palm.example"),
    )
    with pytest.raises(ChangedMeanwhile):
        await companies.change_details(DISPATCHER, company_id, details(), before.revision)
    member = await a_member(company_id, ACCOUNTANT)
    with pytest.raises(NotAllowed):
        await companies.change_details(member, company_id, details(), after.revision)
    mails = BillingEmails.parse({"billing_emails": "c@palm.example"})
    await companies.change_billing_emails(member, company_id, mails, after.revision)
    changed = await companies.read_company(member, company_id)
    assert changed.billing_emails == ("c@palm.example",)
    with pytest.raises(CompanyGone):
        await companies.read_company(STRANGER, company_id)


async def test_terms_and_the_credit_limit_are_an_admins_alone(sqlite_database):
    company_id = await a_company()
    owner = await a_member(company_id)
    for other in (owner, DISPATCHER):
        with pytest.raises(NotAllowed):
            await companies.change_terms(other, company_id, terms(), 0)
    await companies.change_terms(ADMIN, company_id, terms(), 0)
    found = await companies.read_company(owner, company_id)
    assert (found.kinds, found.terms, found.credit_limit) == (
        ("fleet", "employer"),
        "net_30",
        "2500.00",
    )
    await companies.change_terms(ADMIN, company_id, terms(credit_limit=""), 1)
    assert (await companies.read_company(owner, company_id)).credit_limit == ""


async def test_the_account_owner_is_one_of_the_staff(sqlite_database):
    company_id = await a_company()
    staff = await a_person(Role.DISPATCHER, email="d@fuel.example")
    customer = await a_person(email="c@example.com")
    for person_id in (staff.id, ""):
        await companies.set_account_owner(DISPATCHER, company_id, person_id)
        found = await companies.read_company(DISPATCHER, company_id)
        assert found.account_owner_id == person_id
    for actor, person_id in ((STRANGER, staff.id), (DISPATCHER, customer.id)):
        with pytest.raises(NotAllowed):
            await companies.set_account_owner(actor, company_id, person_id)


async def test_states_follow_each_other_with_a_reason(sqlite_database):
    company_id = await a_company()
    reason = StateChange(reason="15 days overdue")
    await companies.set_state(DISPATCHER, company_id, "on_hold", reason)
    held = await companies.read_company(DISPATCHER, company_id)
    assert (held.state, held.state_reason) == ("on_hold", "15 days overdue")
    with pytest.raises(NotFromHere):
        await companies.set_state(DISPATCHER, company_id, "on_hold", reason)
    with pytest.raises(NotAllowed):
        await companies.set_state(DISPATCHER, company_id, "closed", reason)
    with pytest.raises(NotAllowed):
        await companies.set_state(await a_member(company_id), company_id, "active", reason)
    await companies.set_state(ADMIN, company_id, "closed", reason)
    with pytest.raises(NotAllowed):
        await companies.change_details(DISPATCHER, company_id, details(), 2)
    await companies.set_state(ADMIN, company_id, "active", StateChange(reason="Back"))


async def test_cost_centers_and_orders_are_added_changed_and_closed(sqlite_database, monkeypatch):
    company_id = await a_company()
    accountant = await a_member(company_id, ACCOUNTANT)
    center = CostCenter.parse({"name": "North", "monthly_budget": "1,000"})
    order = PurchaseOrder.parse({"number": "PO 7", "amount": "", "valid_to": "2027-03-31"})
    await books.save_cost_center(accountant, company_id, center)
    await books.save_purchase_order(accountant, company_id, order)
    for refused in (
        books.save_cost_center(accountant, company_id, center),
        books.save_purchase_order(accountant, company_id, order),
    ):
        with pytest.raises(NameTaken):
            await refused
    [line] = await books.list_cost_centers(accountant, company_id)
    [po] = await books.list_purchase_orders(accountant, company_id)
    assert (line.name, line.budget, line.budget_typed) == ("North", "$1,000.00", "1000.00")
    assert (po.number, po.amount, po.valid_to, po.valid_to_day) == (
        "PO 7",
        "",
        "Mar 31, 2027",
        "2027-03-31",
    )
    plain = PurchaseOrder.parse({"number": "PO 8", "amount": "9.50", "valid_to": ""})
    await books.save_purchase_order(accountant, company_id, plain, po.id)
    [po] = await books.list_purchase_orders(accountant, company_id)
    assert (po.number, po.amount, po.valid_to) == ("PO 8", "$9.50", "")
    endless = CostCenter.parse({"name": "North", "monthly_budget": ""})
    await books.save_cost_center(accountant, company_id, endless, line.id)
    await books.close_cost_center(accountant, company_id, line.id, closed=True)
    await books.close_purchase_order(accountant, company_id, po.id, closed=True)
    [line] = await books.list_cost_centers(accountant, company_id)
    assert (line.budget, line.is_closed) == ("", True)
    await books.close_cost_center(accountant, company_id, line.id, closed=False)
    await books.close_purchase_order(accountant, company_id, po.id, closed=False)
    with pytest.raises(LineGone):
        await books.close_cost_center(accountant, company_id, po.id, closed=True)
    viewer = await a_member(company_id, VIEWER)
    with pytest.raises(NotAllowed):
        await books.save_cost_center(viewer, company_id, endless, line.id)
    monkeypatch.setattr(books, "MOST_CENTERS", 1)
    new = CostCenter.parse({"name": "South", "monthly_budget": ""})
    with pytest.raises(TooManyLines):
        await books.save_cost_center(accountant, company_id, new)


async def test_files_belong_to_a_company_and_to_a_site(sqlite_database, monkeypatch):
    company_id, other = await a_company(), await a_company(name="Other")
    known = await site_ids(company_id)
    owner = await a_member(company_id)
    manager = await a_member(company_id, MANAGER, sites=[known["Main yard"]])
    yard, lot = known["Main yard"], known["Back lot"]
    permit = await documents.add_document(owner, company_id, "permit", "p.pdf", PDF, yard)
    picture = await documents.add_document(owner, company_id, "picture", 7, b"\xff\xd8\xff", lot)
    assert await documents.open_document(manager, permit) == ("p.pdf", "application/pdf", PDF)
    assert (await documents.open_document(owner, picture)).name == "file"
    stranger = await a_member(other, email="o@o.example")
    for actor, document in ((manager, picture), (owner, UNKNOWN_ID), (stranger, permit)):
        with pytest.raises(DocumentGone):
            await documents.open_document(actor, document)
    with pytest.raises(NotAllowed):
        await documents.add_document(manager, company_id, "permit", "p", PDF, lot)
    with pytest.raises(SiteGone):
        await documents.add_document(owner, company_id, "permit", "p", PDF, UNKNOWN_ID)
    for kind, file in (("permit", b"<svg/>"), ("poem", PDF)):
        with pytest.raises(NotADocument):
            await documents.add_document(owner, company_id, kind, "p", file, yard)
    large = b"%PDF-" + bytes(FILE_MAX_BYTES)
    with pytest.raises(DocumentTooLarge):
        await documents.add_document(owner, company_id, "permit", "p", large, yard)
    monkeypatch.setattr(documents, "MOST_DOCUMENTS", 2)
    with pytest.raises(TooManyDocuments):
        await documents.add_document(owner, company_id, "permit", "p", PDF, yard)


def exemption(days: int = 30) -> ExemptionForm:
    ends = clock.day_of(clock.now()) + timedelta(days=days)
    return ExemptionForm.parse(
        {"kind": "resale", "certificate": "85-1", "valid_to": ends.isoformat()}
    )


async def test_an_exemption_is_claimed_with_a_certificate_and_decided_by_an_admin(
    sqlite_database,
):
    company_id, other = await a_company(), await a_company(name="Other")
    owner = await a_member(company_id)
    yard = (await site_ids(company_id))["Main yard"]
    paper = await documents.add_document(owner, company_id, "certificate", "c.pdf", PDF)
    permit = await documents.add_document(owner, company_id, "permit", "p.pdf", PDF, yard)
    theirs = await documents.add_document(DISPATCHER, other, "certificate", "x.pdf", PDF)
    for document in (permit, theirs, UNKNOWN_ID):
        with pytest.raises(NoCertificate):
            await documents.ask_exemption(owner, company_id, exemption(), document)
    accountant = await a_member(company_id, ACCOUNTANT)
    with pytest.raises(NotAllowed):
        await documents.ask_exemption(accountant, company_id, exemption(), paper)
    await documents.ask_exemption(owner, company_id, exemption(), paper)
    await documents.ask_exemption(owner, company_id, exemption(), paper)
    async with reading() as session:
        assert await documents.count_asked(session) == 1
    newest, former = await documents.list_exemptions(accountant, company_id)
    assert (newest.state, former.state) == ("asked", "ended")
    for actor in (owner, DISPATCHER):
        with pytest.raises(NotAllowed):
            await documents.approve_exemption(actor, company_id, newest.id)
    with pytest.raises(ExemptionGone):
        await documents.approve_exemption(ADMIN, other, newest.id)
    await documents.approve_exemption(ADMIN, company_id, newest.id)
    await documents.ask_exemption(owner, company_id, exemption(60), paper)
    latest = (await documents.list_exemptions(owner, company_id))[0]
    await documents.approve_exemption(ADMIN, company_id, latest.id)
    states = [each.state for each in await documents.list_exemptions(owner, company_id)]
    assert states == ["approved", "ended", "ended"]
    no = ExemptionDecline(reason="Seal missing")
    await documents.decline_exemption(ADMIN, company_id, latest.id, no)
    await documents.ask_exemption(owner, company_id, exemption(), paper)
    waiting = (await documents.list_exemptions(owner, company_id))[0]
    await documents.decline_exemption(ADMIN, company_id, waiting.id, no)
    said = [each.state_text for each in await documents.list_exemptions(owner, company_id)][:2]
    assert said == ["Declined: Seal missing", "Ended by us: Seal missing"]
    with pytest.raises(ExemptionGone):
        await documents.decline_exemption(ADMIN, company_id, waiting.id, no)
    assert (await documents.open_document(accountant, paper)).file == PDF
