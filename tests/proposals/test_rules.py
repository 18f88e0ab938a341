"""Proposals: states, terms as they are typed, the calculator, the document, the acceptance."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from fuel_app.companies.rules.founding import FoundingSite
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money
from fuel_app.proposals.rules import calculator
from fuel_app.proposals.rules.calculator import Calculation, Known, calculate
from fuel_app.proposals.rules.documents import document_of
from fuel_app.proposals.rules.listing import ProposalLine
from fuel_app.proposals.rules.states import (
    ACCEPTED,
    DRAFT,
    EXPIRED,
    LEADS_TO,
    SENT,
    STATE_NAMES,
    STATES,
    SUPERSEDED,
    VIEWED,
    ProposalQuery,
    may,
    over_text,
    state_of,
)
from fuel_app.proposals.rules.terms import (
    Contact,
    ProposalTerms,
    terms_of_quote,
    typed_terms,
)
from tests.proposals.drafts import acceptance, terms

TODAY = date(2026, 3, 5)


def test_every_state_has_a_name_and_what_follows():
    assert LEADS_TO.keys() == STATE_NAMES.keys() == {*STATES, EXPIRED}
    assert all(after <= LEADS_TO.keys() for after in LEADS_TO.values())
    assert not LEADS_TO[ACCEPTED]
    assert not LEADS_TO[SUPERSEDED]
    assert may(DRAFT, SENT)
    assert not may(EXPIRED, ACCEPTED)


@pytest.mark.parametrize(
    ("stored", "day", "state"),
    [
        (SENT, 5, SENT),
        (SENT, 4, EXPIRED),
        (VIEWED, 4, EXPIRED),
        (ACCEPTED, 4, ACCEPTED),
        (DRAFT, 4, DRAFT),
    ],
)
def test_what_waits_for_an_answer_expires_after_its_last_day(stored: str, day: int, state: str):
    assert state_of(stored, date(2026, 3, day), TODAY) == state


def test_each_end_has_words_for_the_contact():
    said = {state: over_text(state, TODAY) for state in STATE_NAMES}
    assert {state for state, text in said.items() if not text} == {DRAFT, SENT, VIEWED}
    assert "March 5, 2026" in said[EXPIRED]
    assert "newest e-mail" in said[SUPERSEDED]


def test_an_unknown_state_filters_nothing():
    assert ProposalQuery(state="lost").of_state == ""
    assert ProposalQuery(state=EXPIRED, q="Ann's Fleet").words == ("anns", "fleet")


def test_a_draft_without_a_name_says_so():
    line = ProposalLine.of("id", "P-1, version 1", "", DRAFT, TODAY, None, TODAY)
    assert (line.company, line.state, line.valid, line.sent) == ("No company yet", "Draft", "", "")


def parsed(**differs: Any) -> ProposalTerms:
    return ProposalTerms.parse(terms(**differs))


def problem(field: str, value: object, **differs: Any) -> str:
    return ProposalTerms.problems(terms(**{field: value}, **differs))[field]


def test_terms_are_read_as_they_are_typed():
    read = parsed(minimum_gallons="1,200", floor="2.50", cap="4.999", vehicle_fee="$3.50")
    assert read.contacts[1] == Contact("Grace Hopper", "grace@plumbers.example")
    assert read.sites[1] == FoundingSite("North lot", "2 Oak", "Bradenton", "34205")
    assert (read.vehicle_count, read.gallons) == (9, Decimal("14.5"))
    assert (read.minimum_gallons, read.vehicle_fee, read.po_required) == (1200, Money(350), True)
    rule = read.price_rule
    assert (rule.offset_mills, rule.floor_mills, rule.cap_mills) == (240, 2500, 4999)
    assert not parsed(po_required="").po_required


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("contacts", "", "At least one contact"),
        ("contacts", "ada@plumbers.example", "as 'Ada Lovelace <ada@example.com>'"),
        ("contacts", "Ada <nobody>", "Write 'Ada <nobody>'"),
        ("contacts", None, "At least one contact"),
        ("contacts", "\n".join(f"A <a{n}@example.com>" for n in range(11)), "10 contacts or fewer"),
        ("contacts", f"{'W' * 200} <ada@example.com>", "100 characters or fewer"),
        ("sites", "", "At least one site"),
        ("sites", "100 Main St, Sarasota 34236", "Write '100 Main St, Sarasota 34236' as"),
        ("sites", "A: 1 Main St, Sarasota 34236\na: 2 Main St, Sarasota 34236", "Two sites"),
        ("sites", "\n".join(f"S{n}: 1 Oak, Venice 34285" for n in range(51)), "50 sites or fewer"),
        ("products", [], "Choose at least one product"),
        ("products", "diesel", "Choose at least one product"),
        ("vehicle_count", "0", "a number up to 5,000"),
        ("vehicle_count", "9.5", "a number up to"),
        ("gallons", "5001", "a number up to"),
        ("opens", "25:00", "Enter a time of day"),
        ("valid_until", "soon", "Enter a day"),
        ("offset", "cheap", "such as 0.24 or -0.05"),
        ("floor", "3", "such as 3.459"),
        ("visit_fee", "1,001", "up to $1,000"),
        ("visit_fee", "free", "Enter an amount"),
        ("minimum_gallons", "few", "whole gallons"),
        ("legal_name", "W" * 200, "120 characters or fewer"),
    ],
)
def test_a_wrong_field_has_its_message(field: str, value: object, words: str):
    assert words in problem(field, value)


def test_fields_of_the_price_depend_on_its_basis():
    assert "below the floor" in problem("cap", "2.00", floor="3.00")
    assert problem("fixed", "", basis="fixed") == "Price is required"
    assert problem("source", "", basis="rack") == "Source is required"
    fixed = parsed(basis="fixed", fixed="3.20", source="OPIS", offset="-0.05").price_rule
    assert (fixed.offset_mills, fixed.fixed_mills, fixed.source) == (0, 3200, "")
    rack = parsed(basis="rack", fixed="3.20", source="OPIS Tampa", offset="-.05").price_rule
    assert (rack.offset_mills, rack.fixed_mills, rack.source) == (-50, None, "OPIS Tampa")
    assert parsed(offset="").price_rule.offset_mills == 0


def test_a_draft_keeps_what_is_typed_and_nothing_else():
    kept = typed_terms(
        {"sites": "half", "products": ["diesel", "kerosene"], "admin": "1", "gallons": 7}
    )
    assert (kept["sites"], kept["products"], kept["gallons"]) == ("half", ["diesel"], "")
    assert kept.keys() == set(ProposalTerms.names())
    assert typed_terms(None)["weekdays"] == []


def test_a_draft_begins_with_the_quotes_fields():
    quote = {
        "company_name": "Analytical Plumbers",
        "contact_name": "Ada Lovelace",
        "email": "ada@plumbers.example",
        "service_location": "100 Main St, Sarasota, FL 34236",
        "fuel_types": ["gasoline", "diesel"],
        "vehicle_count": 9,
        "estimated_fuel_amount": 130.5,
        "fill_frequency": "daily",
        "notes": "",
    }
    draft = terms_of_quote(quote, TODAY)
    read = ProposalTerms.parse(draft)
    assert (read.products, read.gallons, read.frequency) == (
        ("regular", "diesel"),
        Decimal("14.5"),
        "daily",
    )
    assert read.sites[0].zip_code == "34236"
    assert draft["valid_until"] == "2026-03-05"
    few = terms_of_quote(quote | {"estimated_fuel_amount": 0.1}, TODAY)
    assert few["gallons"] == "0.1"


KNOWN = Known(
    area={"regular": 3_300, "diesel": 3_700},
    published={"regular": 3_000, "diesel": 3_400},
    costs={"regular": 2_900, "diesel": 3_300},
    setup_minutes=8,
    vehicle_minutes=3,
    floor=Money(25),
)


def test_a_month_is_calculated():
    assert calculate(terms(), KNOWN) == Calculation(
        gallons="566 gallons, 4.3 visits",
        minutes="3 h 6 min, 43 min a visit",
        price="$3.74 a gallon",
        cost="$3.10 a gallon",
        margin="$1.023 a gallon, $578.58 a month",
        missing="",
    )


@pytest.mark.parametrize(
    ("differs", "visits"),
    [
        ({"frequency": "daily", "weekdays": ["mon", "tue", "sat"]}, 156),
        ({"frequency": "bi-weekly"}, 26),
        ({"frequency": "monthly"}, 12),
        ({"frequency": "as-needed"}, 12),
    ],
)
def test_visits_follow_from_frequency_and_weekdays(differs: dict[str, Any], visits: int):
    assert calculator.visits_a_year(parsed(**differs)) == visits


@pytest.mark.parametrize(
    ("differs", "price"),
    [
        ({"basis": "eia"}, "$3.44"),
        ({"basis": "rack", "source": "OPIS"}, "$3.34"),
        ({"basis": "rack"}, "$3.34"),  # its source does not matter yet
        ({"basis": "fixed", "fixed": "3.219"}, "$3.219"),
        ({"cap": "3.10"}, "$3.10"),
        ({"company_name": "", "contacts": "", "valid_until": ""}, "$3.74"),
    ],
)
def test_the_price_follows_its_rule(differs: dict[str, Any], price: str):
    assert calculate(terms(**differs), KNOWN).price == f"{price} a gallon"


def test_a_margin_below_the_floor_takes_an_admin():
    low = calculate(terms(offset="-0.20", visit_fee=""), KNOWN)
    assert low.margin.startswith("$0.20 a gallon")
    assert low.approval == "The margin of $0.20 a gallon is below our floor of $0.25."
    lost = calculate(terms(offset="-0.50", visit_fee=""), KNOWN)
    assert lost.margin == "-$0.10 a gallon, -$56.55 a month"
    assert "-$0.10" in lost.approval


def test_an_unknown_price_or_cost_takes_an_admin():
    no_cost = calculate(terms(), replace(KNOWN, costs={"regular": 2_900}))
    assert (no_cost.cost, no_cost.margin) == ("Not known", "")
    assert no_cost.approval == "The margin is not known without what a gallon costs us there."
    no_price = calculate(terms(basis="fixed", fixed="x"), KNOWN)
    assert (no_price.price, no_price.approval) == (
        "Not known",
        "The margin is not known without the price.",
    )
    assert calculate(terms(), replace(KNOWN, area={})).price == "Not known"


def test_nothing_is_calculated_without_the_work():
    assert calculate(terms(gallons=""), KNOWN) == Calculation()


def test_short_work_is_said_in_minutes():
    short = calculate(terms(frequency="monthly", vehicle_count="1"), KNOWN)
    assert short.minutes == "19 min, 19 min a visit"


def facts_of(**differs: Any) -> dict[str, str]:
    document = document_of(parsed(**differs), 12, 2)
    return {label: text for section in document.sections for label, text in section.facts}


def test_a_document_says_what_is_offered():
    document = document_of(parsed(), 12, 2)
    assert (document.name, document.file_name) == ("P-12, version 2", "P-12-v2.pdf")
    assert "THIS DIESEL FUEL" in document.notes[-1]
    facts = facts_of()
    assert facts["Window"] == "8:00 PM to 5:00 AM the next morning"
    assert facts["Main yard"] == "100 Main St, Sarasota, FL 34236"
    assert facts["Each visit"] == "$25.00"
    assert facts["Each vehicle"] == "No fee"
    assert facts["Purchase order"] == "Needed on each invoice"
    assert "Read from" not in facts
    assert "Least a visit" not in facts


def test_a_document_words_what_differs():
    week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    facts = facts_of(
        products=["regular"],
        weekdays=week,
        opens="08:00",
        closes="12:30",
        basis="rack",
        source="OPIS Tampa",
        visit_fee="",
        vehicle_fee="2",
        minimum_gallons="100",
        po_required="",
    )
    assert facts["Days"] == "Every day"
    assert facts["Window"] == "8:00 AM to 12:30 PM"
    assert facts["Read from"] == "OPIS Tampa"
    assert (facts["Each visit"], facts["Each vehicle"]) == ("No fee", "$2.00")
    assert facts["Least a visit"] == "100 gallons"
    assert facts["Purchase order"] == "Not needed"
    assert facts_of(weekdays=week[:5])["Days"] == "Monday to Friday"
    assert facts_of(weekdays=["mon", "thu"])["Days"] == "Mon and Thu"
    assert not any(
        "DIESEL" in note for note in document_of(parsed(products=["regular"]), 1, 1).notes
    )


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "W" * 200, "Name must be 100 characters or fewer"),
        ("title", "", "Title is required"),
        ("binds", "", "may bind the company"),
        ("consents", None, "signature on paper"),
        ("signature", "Grace Hopper", "Type your name as it stands above"),
        ("signature", "", "Signature is required"),
    ],
)
def test_an_acceptance_needs_all_of_it(field: str, value: Any, words: str):
    with pytest.raises(InvalidForm) as refused:
        acceptance(**{field: value})
    assert words in refused.value.messages[field]
