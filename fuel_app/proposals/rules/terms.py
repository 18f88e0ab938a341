"""The terms of a proposal: one form for its draft, whose parsed value is what is agreed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo

from fuel_app.areas.rules.prices import DIESEL, SOURCE_MAX, clean_price
from fuel_app.companies.rules.companies import (
    COMPANY_MAX,
    CYCLES,
    STREET_MAX,
    TERMS,
)
from fuel_app.companies.rules.founding import FoundingSite
from fuel_app.companies.rules.price_rules import BASES, FIXED, RACK, PriceRule
from fuel_app.companies.rules.sites import SITE_MAX
from fuel_app.kit import contact
from fuel_app.kit.contact import one_of
from fuel_app.kit.forms import Email, Form, line
from fuel_app.kit.money import Money, parse
from fuel_app.quotes.rules import FILL_FREQUENCIES

PRODUCTS = ("regular", "premium", DIESEL)
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
TICKED = ("products", "weekdays")  # the fields with several values
CONTACTS_MOST, SITES_MOST = 10, 50
NOTES_MAX = 3000
VEHICLES_MOST, GALLONS_MOST = 5_000, 5_000
FEE_MOST = Money(1_000_00)
_CONTACT = re.compile(r"(.+?)\s*<([^<>]+)>")
_SITE = re.compile(
    r"([^:]+):\s*(.+?),\s*((?!\s|FL\b)[^,]+?),?\s+(?:FL\s+)?([0-9]{5})(?:,\s*USA)?", re.IGNORECASE
)
_OFFSET = re.compile(r"([+-]?)\s*\$?\s*([0-9]{0,2})\.([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody to whom a proposal is addressed."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


def _rows(value: object) -> list[str]:
    typed = value[: contact.TYPED_MAX] if isinstance(value, str) else ""
    return [each for each in map(contact.text, typed.splitlines()) if each]


def _contacts(value: object) -> tuple[Contact, ...]:
    """Return the contacts of a text with one a line, such as 'Ada Lovelace <ada@example.com>'."""
    found: dict[str, Contact] = {}
    for row in _rows(value):
        match = _CONTACT.fullmatch(row)
        if match is None or contact.problem(contact.email, match[2]):
            raise ValueError(f"Write '{row[:60]}' as 'Ada Lovelace <ada@example.com>'")
        email = contact.email(match[2])
        found.setdefault(email, Contact(contact.name("Name")(match[1]), email))
    if not found:
        raise ValueError("At least one contact is required")
    if len(found) > CONTACTS_MOST:
        raise ValueError(f"Enter {CONTACTS_MOST} contacts or fewer")
    return tuple(found.values())


def _sites(value: object) -> tuple[FoundingSite, ...]:
    """Return the sites of a text with one a line: 'Main yard: 1 Main St, Sarasota 34236'."""
    found: dict[str, FoundingSite] = {}
    for row in _rows(value):
        match = _SITE.fullmatch(row)
        if match is None:
            raise ValueError(f"Write '{row[:60]}' as 'Main yard: 100 Main St, Sarasota 34236'")
        site = FoundingSite(
            contact.name("Name of a site", SITE_MAX)(match[1]),
            contact.name("Street", STREET_MAX)(match[2]),
            contact.name("City")(match[3]),
            match[4],
        )
        if site.name.casefold() in found:
            raise ValueError(f"Two sites are called '{site.name}'")
        found[site.name.casefold()] = site
    if not found:
        raise ValueError("At least one site is required")
    if len(found) > SITES_MOST:
        raise ValueError(f"Enter {SITES_MOST} sites or fewer")
    return tuple(found.values())


def _ticks(label: str, options: tuple[str, ...]) -> PlainValidator:
    def clean(value: object) -> tuple[str, ...]:
        ticked = value if isinstance(value, list | tuple) else ()
        if chosen := tuple(each for each in options if each in ticked):
            return chosen
        raise ValueError(f"Choose at least one {label}")

    return PlainValidator(clean)


def _number(label: str, most: int, places: int = 0) -> PlainValidator:
    """Return the rule of a number above zero."""
    typed_as = re.compile(r"[0-9]{1,6}" + (rf"(?:\.[0-9]{{1,{places}}})?" if places else ""))

    def clean(value: object) -> Decimal:
        text = contact.text(value).replace(",", "")
        if not typed_as.fullmatch(text) or not 0 < Decimal(text) <= most:
            raise ValueError(f"{label} is a number up to {most:,}")
        return Decimal(text)

    return PlainValidator(clean)


def _minimum(value: object) -> int:
    text = contact.text(value).replace(",", "") or "0"
    if not re.fullmatch("[0-9]{1,6}", text):
        raise ValueError("Enter whole gallons, or nothing")
    return int(text)


def _time(value: object) -> time:
    try:
        return time.fromisoformat(contact.text(value))
    except ValueError:
        raise ValueError("Enter a time of day") from None


def _day(value: object) -> date:
    try:
        return date.fromisoformat(contact.text(value))
    except ValueError:
        raise ValueError("Enter a day") from None


def _fee(value: object) -> Money:
    """Return a fee as it is typed; an empty field is none."""
    fee = parse(value) if contact.text(value) else Money(0)
    if fee is None or fee > FEE_MOST:
        raise ValueError(f"Enter an amount up to {FEE_MOST.short}, or nothing")
    return fee


def _offset(value: object) -> int:
    """Return the mills of a signed offset, such as '0.24' or '-0.05'; an empty field is zero."""
    text = contact.text(value)
    match = _OFFSET.fullmatch(text)
    if text and match is None:
        raise ValueError("Enter dollars per gallon, such as 0.24 or -0.05")
    if match is None:
        return 0
    mills = 1000 * int(match[2] or 0) + int(match[3].ljust(3, "0"))
    return -mills if match[1] == "-" else mills


def _bound(value: object) -> int | None:
    """Return the mills of a price; an empty field is none."""
    return clean_price(value) if contact.text(value) else None


def _cap(value: object, info: ValidationInfo) -> int | None:
    cap, floor = _bound(value), info.data.get("floor")
    if cap is not None and floor is not None and cap < floor:
        raise ValueError("The cap is below the floor")
    return cap


def _fixed(value: object, info: ValidationInfo) -> int | None:
    """Return the price of a fixed rule, which alone has one."""
    return clean_price(value) if info.data.get("basis") == FIXED else None


def _source(value: object, info: ValidationInfo) -> str:
    """Return where a rack price is read, which alone needs it."""
    if info.data.get("basis") != RACK:
        return ""
    return contact.name("Source", SOURCE_MAX)(value)


def _choice(label: str, options: tuple[str, ...]) -> PlainValidator:
    return PlainValidator(one_of(label, options))


def _ticked(value: object) -> bool:
    return value not in (None, False, "", "false")


def _legal_name(value: object) -> str:
    return contact.name("Legal name", COMPANY_MAX)(value) if contact.text(value) else ""


class ProposalTerms(Form):
    """All that a proposal offers, in the order of its editor."""

    company_name: Annotated[str, line("Company", COMPANY_MAX)]
    legal_name: Annotated[str, PlainValidator(_legal_name)]
    contacts: Annotated[tuple[Contact, ...], PlainValidator(_contacts)]
    billing_email: Email
    sites: Annotated[tuple[FoundingSite, ...], PlainValidator(_sites)]
    products: Annotated[tuple[str, ...], _ticks("product", PRODUCTS)]
    vehicle_count: Annotated[Decimal, _number("Vehicles", VEHICLES_MOST)]
    gallons: Annotated[Decimal, _number("Gallons", GALLONS_MOST, places=1)]  # a vehicle and fill
    frequency: Annotated[str, _choice("Frequency", FILL_FREQUENCIES)]
    weekdays: Annotated[tuple[str, ...], _ticks("weekday", WEEKDAYS)]
    opens: Annotated[time, PlainValidator(_time)]
    closes: Annotated[time, PlainValidator(_time)]  # on the next day, if not after `opens`
    basis: Annotated[str, _choice("Price", BASES)]
    offset: Annotated[int, PlainValidator(_offset)]  # mills a gallon, as all prices here
    floor: Annotated[int | None, PlainValidator(_bound)]
    cap: Annotated[int | None, PlainValidator(_cap)]
    fixed: Annotated[int | None, PlainValidator(_fixed)]
    source: Annotated[str, PlainValidator(_source)]
    visit_fee: Annotated[Money, PlainValidator(_fee)]
    vehicle_fee: Annotated[Money, PlainValidator(_fee)]
    minimum_gallons: Annotated[int, PlainValidator(_minimum)]  # a visit
    payment: Annotated[str, _choice("Terms", TERMS)]
    invoice_cycle: Annotated[str, _choice("Invoices", CYCLES)]
    po_required: Annotated[bool, PlainValidator(_ticked)]
    valid_until: Annotated[date, PlainValidator(_day)]
    notes: Annotated[str, PlainValidator(contact.lines("Notes", NOTES_MAX))]

    @property
    def price_rule(self) -> PriceRule:
        return PriceRule(
            basis=self.basis,
            offset_mills=0 if self.basis == FIXED else self.offset,
            floor_mills=self.floor,
            cap_mills=self.cap,
            fixed_mills=self.fixed,
            source=self.source,
        )


def typed_terms(sent: object) -> dict[str, Any]:
    """Return what is kept of a draft's fields as they are typed, right or wrong."""
    fields = sent if isinstance(sent, Mapping) else {}
    kept: dict[str, Any] = {}
    for name in ProposalTerms.names():
        value = fields.get(name)
        if name in TICKED:
            options = PRODUCTS if name == "products" else WEEKDAYS
            ticked = value if isinstance(value, list | tuple) else ()
            kept[name] = [each for each in options if each in ticked]
        else:
            kept[name] = value[: contact.TYPED_MAX] if isinstance(value, str) else ""
    return kept


def terms_of_quote(quote: Mapping[str, Any], valid_until: date) -> dict[str, Any]:
    """Return the draft that a fleet quote begins with, as if it were typed."""
    per_vehicle = Decimal(str(quote["estimated_fuel_amount"])) / quote["vehicle_count"]
    fuels = {"gasoline": "regular"}
    return typed_terms(
        {
            "company_name": quote["company_name"],
            "contacts": f"{quote['contact_name']} <{quote['email']}>",
            "billing_email": quote["email"],
            "sites": f"Main site: {quote['service_location']}",
            "products": [fuels.get(each, each) for each in quote["fuel_types"]],
            "vehicle_count": str(quote["vehicle_count"]),
            "gallons": f"{max(per_vehicle, Decimal('0.1')):.1f}".removesuffix(".0"),
            "frequency": quote["fill_frequency"],
            "weekdays": WEEKDAYS[:5],
            "opens": "20:00",
            "closes": "05:00",
            "basis": BASES[0],
            "payment": TERMS[0],
            "invoice_cycle": CYCLES[1],
            "valid_until": valid_until.isoformat(),
            "notes": quote["notes"],
        }
    )
