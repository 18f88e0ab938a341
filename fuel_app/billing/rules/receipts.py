"""Receipts: an invoice as its customer reads it, on the screen, on paper and as a PDF."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from fuel_app.areas.rules.prices import DIESEL, GRADE_LABELS
from fuel_app.billing.rules import invoices as rules
from fuel_app.billing.rules.invoices import Invoice, Line
from fuel_app.kit.clock import date_and_time, day_of, long_date, short_date
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.words import and_list
from fuel_app.settings import settings

TAXES = "Taxes on motor fuel are included in the price per gallon."
# The words of s. 206.8741(3) of the Florida Statutes, for invoices and tickets of undyed diesel.
UNDYED = "THIS DIESEL FUEL DOES NOT CONTAIN VISIBLE EVIDENCE OF DYE."
_WAYS = {"waived": "Waived", "card": "Refunded to your card", "credit": "Credited to your account"}


@dataclass(frozen=True, slots=True)
class FillDetails:
    """The `details` of a fill's invoice, for the fuel ticket; gallons and price are its line's."""

    filled_at: str  # when the technician was done, in ISO 8601 with its zone
    place: str  # '100 Main St, Sarasota, FL 34236'
    grade: str
    vehicle: str
    plate: str  # 'ABC123 (FL)'
    ticket: str
    meter_start: int  # thousandths of a gallon; both are 0 where gallons were entered
    meter_end: int
    sold_to: str = ""  # the name of a guest
    # The further cars of a visit, each with its own grade, vehicle, plate, ticket and readings.
    others: list[dict[str, Any]] = field(default_factory=list)

    @property
    def cars(self) -> "tuple[FillDetails, ...]":
        """Return the details of each car, in the order of their lines."""
        return (self, *(replace(self, **each, others=[]) for each in self.others))


PERSONAL = ("place", "vehicle", "plate", "sold_to")  # emptied with an account


def emptied(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return an invoice's details without what is personal."""
    kept = dict(details) | {name: "" for name in PERSONAL if name in details}
    if "others" in details:
        kept["others"] = [emptied(each) for each in details["others"]]
    return kept


@dataclass(frozen=True, slots=True)
class PaidPart:
    """A payment's part of an invoice."""

    amount: Money
    at: datetime
    card_brand: str = ""  # unknown where it was entered on the provider's page
    card_last4: str = ""


@dataclass(frozen=True, slots=True)
class NotePart:
    """A credit note as a receipt shows it; its reason is the staff's."""

    number: int
    way: str
    amount: Money
    at: datetime


@dataclass(frozen=True, slots=True)
class ReceiptLine:
    """One line: 'Regular', '11.382 gallons at $3.459 a gallon', '$39.37'."""

    text: str
    detail: str
    amount: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """An invoice that was opened, as texts; empty until it is loaded."""

    invoice_id: str = ""
    person_id: str = ""  # of a customer; a guest has none
    title: str = ""  # 'Receipt'; 'Invoice' while something is due
    name: str = ""
    status: str = ""
    company: tuple[str, ...] = ()  # name, address, phone and e-mail
    facts: tuple[tuple[str, str], ...] = ()  # number, date, sold to; of a fill, its ticket's
    lines: tuple[ReceiptLine, ...] = ()
    sums: tuple[tuple[str, str], ...] = ()  # the total, payments, credit notes, what is due
    notes: tuple[str, ...] = ()  # sentences below

    @property
    def file_name(self) -> str:
        return f"{self.name}.pdf"


def receipt_of(
    invoice: Invoice, *, sold_to: str, paid: Sequence[PaidPart], notes: Sequence[NotePart]
) -> Receipt:
    """Return the receipt of an invoice that was opened."""
    opened_at = invoice.opened_at or invoice.created_at
    is_due = invoice.due.cents > 0
    fill = FillDetails(**invoice.details) if invoice.kind == rules.FILL else None
    facts = [
        ("Number", invoice.name),
        ("Date", long_date(day_of(opened_at))),
        ("Sold to", sold_to),
        *(_ticket(fill) if fill else ()),
    ]
    company = (settings.brand_name, settings.company_address)
    company += (settings.support_phone, settings.support_email)
    return Receipt(
        invoice_id=invoice.id,
        person_id=invoice.person_id,
        title="Invoice" if is_due else "Receipt",
        name=invoice.name,
        status=status_of(invoice),
        company=tuple(filter(None, company)),
        facts=tuple(fact for fact in facts if fact[1]),
        lines=tuple(_lines(invoice.lines, fill)),
        sums=(
            ("Total", str(invoice.total)),
            *((_payment(each), str(each.amount)) for each in paid),
            *((_correction(each), str(-each.amount)) for each in notes),
            ("Amount due", str(invoice.due)),
        ),
        notes=tuple(filter(None, (TAXES, dye_notice(invoice.details)))) if fill else (),
    )


def vehicles_of(details: Mapping[str, Any]) -> list[str]:
    """Return the names of the cars of a fill's invoice, in the order of their fuel."""
    cars = (details, *details.get("others", ()))
    return [each["vehicle"] for each in cars if each.get("vehicle")]


def dye_notice(details: Mapping[str, Any]) -> str:
    """Return what has to stand on each receipt with diesel; empty if nothing has to."""
    cars = (details, *details.get("others", ()))
    return UNDYED if any(each.get("grade") == DIESEL for each in cars) else ""


def _lines(lines: Sequence[Line], fill: FillDetails | None) -> Iterator[ReceiptLine]:
    """Return the lines; of several cars with the vehicle, whose first line is its fuel."""
    vehicles = [each.vehicle for each in fill.cars] if fill and fill.others else []
    number = -1
    for line in lines:
        number += line.kind == "fuel"
        of_car = 0 <= number < len(vehicles)
        text = f"{vehicles[number]}: {line.text}" if of_car else line.text
        yield ReceiptLine(text, fuel_text(line), str(line.amount))


def status_of(invoice: Invoice) -> str:
    """Return the state of an invoice as people read it."""
    if invoice.state != rules.PAID:
        return "Not paid" if invoice.state == rules.UNCOLLECTIBLE else invoice.state.title()
    if invoice.refunded.cents:
        return "Refunded" if invoice.refunded == invoice.paid else "Partly refunded"
    return "Waived" if invoice.waived.cents and not invoice.paid.cents else "Paid"


def description_of(invoice: Invoice) -> str:
    """Return an invoice in a word or two: 'Fill-up, 2020 Toyota Camry', 'Family plan'."""
    if invoice.kind == rules.FILL:
        names = and_list(vehicles_of(invoice.details))
        return ", ".join(filter(None, ("Fill-up", names)))
    return "Late fee" if invoice.kind == rules.LATE_FEE else invoice.lines[0].text


def gallons_text(milligallons: int) -> str:
    """'11.382'."""
    return f"{milligallons // 1000:,}.{milligallons % 1000:03}"


def _ticket(fill: FillDetails) -> list[tuple[str, str]]:
    facts = [
        ("Fueled", date_and_time(datetime.fromisoformat(fill.filled_at))),
        ("Place", fill.place),
    ]
    for each in fill.cars:
        facts += _car(each)
    return facts


def _car(fill: FillDetails) -> tuple[tuple[str, str], ...]:
    return (
        ("Vehicle", fill.vehicle),
        ("License plate", fill.plate),
        ("Grade", GRADE_LABELS[fill.grade]),
        ("Meter ticket", fill.ticket),
        ("Meter, gallons", _readings(fill)),
    )


def _readings(fill: FillDetails) -> str:
    """Return both readings of the meter; empty where gallons alone were entered."""
    both = f"{gallons_text(fill.meter_start)} to {gallons_text(fill.meter_end)}"
    return both if fill.meter_end else ""


def fuel_text(line: Line) -> str:
    """'11.382 gallons at $3.459 a gallon'; empty for other lines."""
    if line.milligallons is None or line.price_mills is None:
        return ""
    return (
        f"{gallons_text(line.milligallons)} gallons at {FuelPrice(line.price_mills).exact} a gallon"
    )


def _payment(paid: PaidPart) -> str:
    card = f"{paid.card_brand.title()} •••• {paid.card_last4}" if paid.card_last4 else "card"
    return f"Paid by {card}, {short_date(day_of(paid.at))}"


def _correction(note: NotePart) -> str:
    return f"{_WAYS[note.way]}, CN-{note.number:06}, {short_date(day_of(note.at))}"
