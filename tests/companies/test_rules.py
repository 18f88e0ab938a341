"""Rules of companies: roles and actions, price rules, forms, permits, exemptions."""

from datetime import date, timedelta
from itertools import product

import pytest

from fuel_app.accounts.rules import NotAllowed, Role
from fuel_app.companies.rules.companies import (
    ACTIVE,
    CLOSED,
    ON_HOLD,
    CompanyDetails,
    CompanyQuery,
    CompanyTerms,
    CostCenter,
    PurchaseOrder,
    role_for,
)
from fuel_app.companies.rules.documents import (
    APPROVED,
    ASKED,
    DECLINED,
    ENDED,
    ExemptionForm,
    exemption_text,
    is_exempt,
    media_type_of,
)
from fuel_app.companies.rules.history import describe, people_in
from fuel_app.companies.rules.people import (
    Action,
    CompanyInvite,
    CompanyRole,
    Membership,
    SiteUnknown,
    limited_to,
)
from fuel_app.companies.rules.price_rules import PriceRule
from fuel_app.companies.rules.sites import Site, SiteForm, permit_of, permit_text, to_do
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money

TODAY = date(2026, 11, 28)
OWNER, MANAGER, ACCOUNTANT, VIEWER = CompanyRole
# What each role may do, written out: a change of the table is a decision, not a slip.
ALLOWED = {
    OWNER: set(Action),
    MANAGER: {
        Action.SEE_OVERVIEW,
        Action.SEE_SITES,
        Action.CHANGE_SITES,
        Action.SEE_INVOICES,
        Action.SEE_PEOPLE,
    },
    ACCOUNTANT: {
        Action.SEE_OVERVIEW,
        Action.SEE_INVOICES,
        Action.PAY_INVOICES,
        Action.CHANGE_BILLING,
    },
    VIEWER: {Action.SEE_OVERVIEW, Action.SEE_SITES, Action.SEE_INVOICES, Action.SEE_PEOPLE},
}


@pytest.mark.parametrize(
    ("role", "action"), list(product(CompanyRole, Action)), ids=lambda each: each.replace(" ", "-")
)
def test_each_role_may_do_what_the_table_says(role, action):
    person = Membership("c", "Palm", "p", role)
    assert person.may(action) is (action in ALLOWED[role])
    if action not in ALLOWED[role]:
        with pytest.raises(NotAllowed):
            person.require(action)


def test_people_of_a_closed_company_read_and_pay_invoices_and_change_nothing():
    owner = Membership("c", "Palm", "p", OWNER, is_closed=True)
    left = {action for action in Action if owner.may(action)}
    assert left == {Action.SEE_OVERVIEW, Action.SEE_INVOICES, Action.PAY_INVOICES}


def test_who_is_limited_to_sites_sees_only_those():
    person = Membership("c", "Palm", "p", MANAGER, frozenset({"yard"}))
    assert person.sees("yard")
    assert not person.sees("lot")
    with pytest.raises(NotAllowed):
        person.require_site("lot")
    Membership("c", "Palm", "p", MANAGER).require_site("lot")


@pytest.mark.parametrize(
    ("role", "ticked", "limited"),
    [
        ("manager", ("yard",), ["yard"]),
        ("manager", (), None),
        ("owner", ("yard",), None),
    ],
    ids=["own", "nothing", "owner"],
)
def test_a_limit_holds_own_sites_and_never_an_owner(role, ticked, limited):
    assert limited_to(role, ticked, frozenset({"yard", "lot"})) == limited


def test_an_unknown_site_limits_nobody_to_all():
    with pytest.raises(SiteUnknown):
        limited_to("manager", ("yard", "elsewhere"), frozenset({"yard"}))


def test_an_invitation_takes_ids_once_and_only_texts():
    sent = {"email": "Ann@Palm.example", "role": "viewer", "sites": ["a", "a", 7, ""]}
    assert CompanyInvite.parse(sent).sites == ("a",)
    assert CompanyInvite.parse(sent | {"sites": "a"}).sites == ("a",)
    assert CompanyInvite.problems({"email": "no", "role": "admin"})["role"] == "Role is required"


@pytest.mark.parametrize(
    ("rule", "basis", "mills"),
    [
        (PriceRule("eia", 240), 3012, 3252),
        (PriceRule("area", -100), 3459, 3359),
        (PriceRule("rack", 200, floor_mills=3000), 2500, 3000),
        (PriceRule("rack", 200, cap_mills=3000), 2900, 3000),
        (PriceRule("fixed", fixed_mills=2999), 9999, 2999),
        (PriceRule("area", -5000), 3000, 0),
    ],
    ids=["offset", "discount", "floor", "cap", "fixed", "never-below-nothing"],
)
def test_a_gallon_costs_what_the_rule_says(rule, basis, mills):
    assert rule.price(basis).mills == mills


@pytest.mark.parametrize(
    "wrong",
    [
        {"basis": "guess"},
        {"basis": "fixed"},
        {"basis": "area", "fixed_mills": 3000},
        {"basis": "area", "floor_mills": 3, "cap_mills": 2},
    ],
    ids=["basis", "fixed-without", "price-without-fixed", "floor-above-cap"],
)
def test_a_rule_that_makes_no_sense_does_not_exist(wrong):
    with pytest.raises(ValueError, match=r"basis|fixed|floor"):
        PriceRule(**wrong)


def test_rules_are_said_in_words():
    assert PriceRule("fixed", fixed_mills=3299).label == "Fixed price $3.299"
    assert PriceRule("area").label == "Our price of the area"
    bounded = PriceRule("eia", -240, floor_mills=2500, cap_mills=4000)
    assert bounded.label == "EIA weekly price, Florida - $0.24, at least $2.50, at most $4.00"


def test_details_take_several_billing_addresses_each_once():
    sent = {"name": "Palm", "billing_emails": "A@palm.example, b@palm.example\na@palm.example"}
    sent |= {"legal_name": "", "street": "", "city": "", "state": "", "zip_code": ""}
    assert CompanyDetails.parse(sent).billing_emails == ("a@palm.example", "b@palm.example")
    for wrong in ("", "nobody", ";".join(f"{n}@palm.example" for n in range(6))):
        assert CompanyDetails.problems(sent | {"billing_emails": wrong})["billing_emails"]
    assert CompanyDetails.parse(sent | {"zip_code": "34236"}).zip_code == "34236"
    assert CompanyDetails.problems(sent | {"name": "x" * 200})["name"]


def test_terms_are_among_those_that_there_are():
    sent = {"kinds": ["fleet"], "terms": "net_30", "invoice_cycle": "week", "po_required": "on"}
    parsed = CompanyTerms.parse(sent | {"credit_limit": "2,500"})
    assert (parsed.credit_limit, parsed.po_required) == (Money(250_000), True)
    parsed = CompanyTerms.parse(sent | {"credit_limit": "", "po_required": None})
    assert (parsed.credit_limit, parsed.po_required) == (None, False)
    for name, wrong in (("kinds", []), ("kinds", "x"), ("terms", "net_90"), ("credit_limit", "x")):
        assert CompanyTerms.problems(sent | {"credit_limit": ""} | {name: wrong})[name]
    assert CompanyTerms.problems(sent | {"credit_limit": "9,000,000"})["credit_limit"]


def test_lines_of_the_books_need_a_name_and_a_plausible_amount_and_day():
    assert CostCenter.parse({"name": "North", "monthly_budget": "100"}).monthly_budget
    order = {"number": "PO 7", "amount": "", "valid_to": "2027-03-31"}
    assert PurchaseOrder.parse(order).valid_to == date(2027, 3, 31)
    assert PurchaseOrder.parse(order | {"valid_to": ""}).valid_to is None
    assert PurchaseOrder.problems(order | {"valid_to": "31.3."})["valid_to"]


@pytest.mark.parametrize(
    ("before", "after", "role"),
    [
        (ACTIVE, ON_HOLD, Role.DISPATCHER),
        (ON_HOLD, CLOSED, Role.ADMIN),
        (CLOSED, ACTIVE, Role.ADMIN),
    ],
    ids=["hold", "close", "reopen"],
)
def test_closing_and_opening_again_take_an_admin(before, after, role):
    assert role_for(before, after) == role


def test_an_address_of_the_list_asks_for_known_states_and_kinds():
    assert CompanyQuery.parse({"state": "on_hold", "kind": "fleet"}).state == "on_hold"
    assert CompanyQuery.parse({"state": "x", "kind": "x"}) == CompanyQuery()


@pytest.mark.parametrize(
    ("number", "valid_to", "permit"),
    [
        ("", None, "none"),
        ("F-1", None, "valid"),
        ("F-1", TODAY + timedelta(days=31), "valid"),
        ("F-1", TODAY + timedelta(days=30), "ends_soon"),
        ("F-1", TODAY, "ends_soon"),
        ("F-1", TODAY - timedelta(days=1), "expired"),
    ],
    ids=["none", "endless", "valid", "soon", "today", "expired"],
)
def test_a_permit_warns_thirty_days_before_its_end(number, valid_to, permit):
    assert permit_of(number, valid_to, TODAY) == permit
    assert permit_text(permit, number, "Dec 1, 2026")


def test_what_sites_still_need_is_said():
    yard = Site(name="Yard", is_approximate=False, permit="expired", permit_text="Permit 7 ended")
    lot = Site(name="Lot", permit="valid")
    closed = Site(name="Old", permit="expired", is_closed=True)
    assert to_do([yard, lot, closed]) == ["Set the pin of Lot", "Yard: Permit 7 ended"]


def test_a_site_needs_an_address_and_takes_no_half_phone():
    sent = SiteForm.blank() | {"name": "Yard", "street": "1 Palm Ave", "city": "Sarasota"}
    sent |= {"zip_code": "34236"}
    assert SiteForm.parse(sent).postal == "1 Palm Ave, Sarasota, FL 34236"
    assert SiteForm.parse(sent | {"contact_phone": "941 555 0100"}).contact_phone == "9415550100"
    assert SiteForm.problems(sent | {"contact_phone": "555"})["contact_phone"]


def test_an_exemption_counts_once_approved_until_its_last_day():
    assert is_exempt(APPROVED, TODAY, TODAY)
    assert not is_exempt(APPROVED, TODAY, TODAY + timedelta(days=1))
    assert not is_exempt(ASKED, TODAY, TODAY)


def test_exemptions_are_said_in_words():
    said = {
        state: exemption_text(state, is_over=False, valid_to="Dec 1", reason="No seal")
        for state in (ASKED, APPROVED, DECLINED, ENDED)
    }
    assert said[APPROVED] == "Approved, valid to Dec 1"
    assert (said[DECLINED], said[ENDED]) == ("Declined: No seal", "Ended by us: No seal")
    assert exemption_text(APPROVED, is_over=True, valid_to="Dec 1", reason="") == "Ended on Dec 1"
    with pytest.raises(InvalidForm):
        ExemptionForm.parse({"kind": "resale", "certificate": "7", "valid_to": ""})


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"<svg onload=...>", None),
    ],
    ids=["pdf", "png", "jpeg", "svg"],
)
def test_files_are_told_by_their_first_bytes(file, kind):
    assert media_type_of(file) == kind


TERMS = {
    "is_fleet": True,
    "is_employer": False,
    "terms": "net_15",
    "invoice_cycle": "month",
    "po_required": False,
    "credit_limit_cents": None,
}


@pytest.mark.parametrize(
    ("kind", "before", "after", "said"),
    [
        ("founded", {}, {"name": "Palm"}, "Company made from a proposal"),
        ("details_changed", {}, {"fields": ["zip_code"]}, "Details changed: zip code"),
        ("invited", {}, {"role": "manager"}, "Invited as manager"),
        (
            *("role_changed", {}, {"person": "1", "role": "owner", "was": "viewer"}),
            "Ada Lovelace: owner, before viewer",
        ),
        ("removed", {}, {"person": "1"}, "Ada Lovelace removed"),
        ("left", {}, {}, "Left the company"),
        ("exemption_asked", {}, {"kind": "resale"}, "Tax exemption asked for: Resale"),
        ("owner_set", {}, {"account_owner_id": None}, "Account owner: nobody"),
        ("owner_set", {}, {"account_owner_id": "1"}, "Account owner: Ada Lovelace"),
        (
            "state_changed",
            {"state": "active"},
            {"state": "on_hold", "state_reason": "Unpaid"},
            "On hold, before active: Unpaid",
        ),
        ("terms_changed", TERMS, TERMS, "Terms saved as they were"),
        (
            "terms_changed",
            TERMS,
            TERMS | {"terms": "card", "po_required": True, "credit_limit_cents": 250_000},
            "Terms changed: terms Net 15 days → By card, PO required no → yes, "
            "credit limit none → $2,500",
        ),
        ("of_another_release", {}, {}, "Of another release"),
    ],
)
def test_the_audit_log_is_said_in_words(kind, before, after, said):
    assert describe(kind, before, after, {"1": "Ada Lovelace"}) == said


def test_the_people_of_an_entry_are_found():
    assert people_in(None, {"person": "1", "account_owner_id": None}) == {"1"}
