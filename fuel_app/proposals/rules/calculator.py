"""What a proposal would bring: gallons, work, cost and margin, and whether an admin is needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from fuel_app.companies.rules.price_rules import AREA, EIA, RACK
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.words import counted
from fuel_app.proposals.rules.terms import ProposalTerms, typed_terms

_WEEKS = 52
_VISITS_A_YEAR = {"weekly": 52, "bi-weekly": 26, "monthly": 12, "as-needed": 12}
_WORK = ("vehicle_count", "gallons", "frequency", "weekdays", "sites")
_PRICE = ("products", "basis", "offset", "floor", "cap", "fixed", "visit_fee", "vehicle_fee")
# What stands for a field that is wrong and not asked for.
_ANY = {
    "company_name": "-",
    "contacts": "- <a@example.com>",
    "billing_email": "a@example.com",
    "sites": "-: -, - 00000",
    "products": ["regular"],
    "opens": "00:00",
    "closes": "00:00",
    "basis": AREA,
    "source": "-",
    "payment": "card",
    "invoice_cycle": "month",
    "valid_until": "2026-01-01",
}


@dataclass(frozen=True, slots=True)
class Known:
    """What the company knows: prices and costs a gallon by product in mills, its policies.

    Args:
        area: Prices in the first site's area; empty where it has none.
        costs: What a gallon costs us there.
    """

    area: Mapping[str, int]
    published: Mapping[str, int]  # by the EIA
    costs: Mapping[str, int]
    setup_minutes: int
    vehicle_minutes: int
    floor: Money  # the least margin a gallon without an admin


@dataclass(frozen=True, slots=True)
class Calculation:
    """A month of what is proposed, in words; `approval` is why an admin has to send it."""

    gallons: str = ""
    minutes: str = ""
    price: str = ""
    cost: str = ""
    margin: str = ""
    approval: str = ""
    missing: str = "Enter vehicles, gallons, frequency, weekdays and sites."


def _lenient(typed: Mapping[str, Any]) -> tuple[ProposalTerms | None, frozenset[str]]:
    """Return a draft's terms and the fields that are wrong; no terms where work is unknown."""
    sent = typed_terms(typed)
    problems = ProposalTerms.problems(sent)
    wrong = frozenset(name for name, problem in problems.items() if problem)
    if wrong.intersection(_WORK):
        return None, wrong
    right = {name: _ANY.get(name, "") for name in wrong}
    if "fixed" in wrong:
        right["basis"] = AREA
    return ProposalTerms.parse(sent | right), wrong


def calculate(typed: Mapping[str, Any], known: Known) -> Calculation:
    """Return what a draft would bring, as far as its fields are right."""
    terms, wrong = _lenient(typed)
    if terms is None:
        return Calculation()
    visits = visits_a_year(terms)
    a_visit = terms.vehicle_count * terms.gallons
    gallons = a_visit * visits / 12
    minutes = known.setup_minutes * len(terms.sites) + known.vehicle_minutes * terms.vehicle_count
    work = {
        "gallons": f"{counted(round(gallons), 'gallon')}, {visits / 12:.1f} visits",
        "minutes": f"{_hours(minutes * visits / 12)}, {_hours(minutes)} a visit",
        "missing": "",
    }
    price = None if wrong.intersection(_PRICE) else _price(terms, known)
    cost = _mean(known.costs, terms)
    if price is None or cost is None:
        why = "the price" if price is None else "what a gallon costs us there"
        return Calculation(
            **work,
            price=_per_gallon(price),
            cost=_per_gallon(cost),
            approval=f"The margin is not known without {why}.",
        )
    fees = terms.visit_fee.cents * len(terms.sites) + terms.vehicle_fee.cents * terms.vehicle_count
    margin = price - cost + 10 * fees / a_visit  # mills a gallon, fees included
    is_low = margin < 10 * known.floor.cents
    return Calculation(
        **work,
        price=_per_gallon(price),
        cost=_per_gallon(cost),
        margin=f"{_signed(margin)} a gallon, {Money(int(margin * gallons / 10))} a month",
        approval=f"The margin of {_signed(margin)} a gallon is below our floor of {known.floor}."
        if is_low
        else "",
    )


def visits_a_year(terms: ProposalTerms) -> int:
    """Return how often a site is visited; 'as needed' is taken for once a month."""
    return _VISITS_A_YEAR.get(terms.frequency) or _WEEKS * len(terms.weekdays)


def _price(terms: ProposalTerms, known: Known) -> Decimal | None:
    """Return the price a gallon today; a rack price is taken for what a gallon costs us."""
    index = {AREA: known.area, EIA: known.published, RACK: known.costs}.get(terms.basis)
    basis = Decimal(0) if index is None else _mean(index, terms)
    return None if basis is None else Decimal(terms.price_rule.price(int(basis)).mills)


def _mean(values: Mapping[str, int], terms: ProposalTerms) -> Decimal | None:
    """Return the mean over the products, in equal parts; None if one of them is unknown."""
    if not all(each in values for each in terms.products):
        return None
    return Decimal(sum(values[each] for each in terms.products)) / len(terms.products)


def _per_gallon(mills: Decimal | None) -> str:
    return "Not known" if mills is None else f"{FuelPrice(int(mills)).exact} a gallon"


def _signed(mills: Decimal) -> str:
    return ("-" if mills < 0 else "") + FuelPrice(int(abs(mills))).exact


def _hours(minutes: Decimal) -> str:
    hours, rest = divmod(round(minutes), 60)
    return f"{hours:,} h {rest} min" if hours else f"{rest} min"
