"""Words of receipts, and the PDF read back."""

from dataclasses import asdict, replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from fuel_app.billing.providers import pdf
from fuel_app.billing.rules import receipts
from fuel_app.billing.rules.invoices import Invoice, Line
from fuel_app.billing.rules.receipts import (
    TAXES,
    NotePart,
    PaidPart,
    description_of,
    receipt_of,
    status_of,
)
from fuel_app.kit.money import Money
from tests.billing.receipts import DETAILS, FUEL

AT = datetime(2026, 11, 24, 15, tzinfo=UTC)
LINES = (*FUEL, Line("credit", "Credit", Money(-200)))
PAID = PaidPart(Money(5237), AT, "visa", "4242")
NASTY = "<b>O'Brien</b> & <para>Söhne\r\n\x00 <img src='file:///etc/passwd'/>"


def an_invoice(**differs: Any) -> Invoice:
    known: dict[str, Any] = {
        "id": "x",
        "number": 42,
        "kind": "fill",
        "state": "paid",
        "person_id": "p",
        "booking_id": "b",
        "total": Money(5237),
        "paid": Money(5237),
        "waived": Money(0),
        "refunded": Money(0),
        "created_at": AT,
        "opened_at": AT,
        "details": asdict(DETAILS),
        "lines": LINES,
    }
    return Invoice(**known | differs)


def a_receipt(invoice: Invoice | None = None, **differs: Any) -> receipts.Receipt:
    known = {"sold_to": "Ada Lovelace", "paid": [PAID], "notes": []} | differs
    return receipt_of(invoice or an_invoice(), **known)


def text_of(receipt: receipts.Receipt) -> str:
    reader = PdfReader(BytesIO(pdf.render(receipt)))
    return "\n".join(page.extract_text() for page in reader.pages)


def test_receipt_of_a_fill_has_what_the_law_asks_for(configure):
    configure(receipts, company_address="1 Bay St, Sarasota, FL 34236")
    receipt = a_receipt()
    assert (receipt.title, receipt.file_name, receipt.status) == (
        "Receipt",
        "GF-000042.pdf",
        "Paid",
    )
    assert receipt.company[:2] == ("Gulfside Fuel", "1 Bay St, Sarasota, FL 34236")
    assert dict(receipt.facts) == {
        "Number": "GF-000042",
        "Date": "November 24, 2026",
        "Sold to": "Ada Lovelace",
        "Fueled": "Nov 24, 2026, 9:05 AM",
        "Place": "100 Main St, Sarasota, FL 34236",
        "Vehicle": "2020 Toyota Camry",
        "License plate": "ABC123 (FL)",
        "Grade": "Regular",
        "Meter ticket": "004211",
        "Meter, gallons": "1,204.118 to 1,215.500",
    }
    fuel, fee, credit = receipt.lines
    assert fuel.detail == "11.382 gallons at $3.459 a gallon"
    assert [each.amount for each in (fuel, fee, credit)] == ["$39.37", "$15.00", "-$2.00"]
    assert receipt.sums == (
        ("Total", "$52.37"),
        ("Paid by Visa •••• 4242, Nov 24, 2026", "$52.37"),
        ("Amount due", "$0.00"),
    )
    assert receipt.notes == (TAXES,)


def test_pdf_says_every_amount_and_every_field():
    notes = [NotePart(3, "card", Money(500), AT)]
    receipt = a_receipt(an_invoice(refunded=Money(500)), notes=notes)
    text = text_of(receipt)
    parts = [*receipt.company, receipt.title, receipt.status, *receipt.notes]
    parts += [word for pair in (*receipt.facts, *receipt.sums) for word in pair]
    parts += [word for line in receipt.lines for word in (line.text, line.detail, line.amount)]
    assert [part for part in parts if part not in text] == []


def test_receipt_of_diesel_says_that_it_is_not_dyed():
    receipt = a_receipt(an_invoice(details=asdict(replace(DETAILS, grade="diesel"))))
    assert receipt.notes == (
        TAXES,
        "THIS DIESEL FUEL DOES NOT CONTAIN VISIBLE EVIDENCE OF DYE.",
    )
    assert receipt.notes[1] in text_of(receipt)


def test_same_receipt_is_the_same_pdf():
    assert pdf.render(a_receipt()) == pdf.render(a_receipt())
    assert pdf.render(a_receipt()) != pdf.render(a_receipt(sold_to="Grace Hopper"))


def test_pdf_shows_typed_texts_as_texts():
    details = asdict(replace(DETAILS, place=NASTY))
    text = text_of(a_receipt(an_invoice(details=details), sold_to="<b>&amp;</b>"))
    assert "<b>&amp;</b>" in text
    assert "<img src='file:///etc/passwd'/>" in text


@pytest.mark.parametrize(
    "name", ["Łukasz O'Neil 林", "Čapek Ťažký", "Nguyễn Đặng", "Γιώργος", "Иван", "たなか 한"]
)
def test_pdf_has_the_letters_of_a_name_in_embedded_fonts(name):
    reader = PdfReader(BytesIO(pdf.render(a_receipt(sold_to=name))))
    page = reader.pages[0]
    assert name in page.extract_text()
    resources: Any = page["/Resources"]
    fonts = [font.get_object() for font in resources["/Font"].get_object().values()]
    drawn = [font for font in fonts if font["/BaseFont"] != "/Helvetica"]  # declared, not used
    assert all("/FontFile2" in font["/FontDescriptor"].get_object() for font in drawn)


def test_pdf_of_letters_that_no_font_has_is_still_made():
    assert "GF-000042" in text_of(a_receipt(sold_to="\U0001f600 \ue000 שלום"))


def test_long_pdf_continues_on_a_second_page():
    lines = (Line("fuel", f"Regular {NASTY}", Money(3937), 11_382, 3459),) * 40
    receipt = a_receipt(an_invoice(lines=lines))
    assert len(PdfReader(BytesIO(pdf.render(receipt))).pages) > 1


def test_open_invoice_says_what_is_due():
    receipt = a_receipt(an_invoice(state="open", paid=Money(5000)), paid=[])
    assert (receipt.title, receipt.status) == ("Invoice", "Open")
    assert receipt.sums[-1] == ("Amount due", "$2.37")


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("waived", "Waived"),
        ("card", "Refunded to your card"),
        ("credit", "Credited to your account"),
    ],
)
def test_credit_notes_say_where_the_amount_went(way, words):
    receipt = a_receipt(notes=[NotePart(3, way, Money(500), AT)])
    assert receipt.sums[2] == (f"{words}, CN-000003, Nov 24, 2026", "-$5.00")


def test_payment_on_the_providers_page_names_no_card():
    receipt = a_receipt(paid=[PaidPart(Money(5237), AT)])
    assert receipt.sums[1][0] == "Paid by card, Nov 24, 2026"


def test_receipt_of_a_plan_has_no_fuel_ticket():
    plan = an_invoice(kind="renewal", details={}, lines=(Line("plan", "Family plan", Money(4400)),))
    receipt = a_receipt(plan)
    assert [label for label, _ in receipt.facts] == ["Number", "Date", "Sold to"]
    assert (receipt.lines[0].detail, receipt.notes) == ("", ())


def test_emptied_details_are_left_out():
    details = asdict(DETAILS) | dict.fromkeys(receipts.PERSONAL, "")
    labels = {label for label, _ in a_receipt(an_invoice(details=details), sold_to="").facts}
    assert labels.isdisjoint({"Sold to", "Place", "Vehicle", "License plate"})
    assert {"Fueled", "Meter ticket", "Grade"} <= labels


@pytest.mark.parametrize(
    ("differs", "status"),
    [
        ({}, "Paid"),
        ({"state": "draft"}, "Draft"),
        ({"state": "open"}, "Open"),
        ({"state": "void"}, "Void"),
        ({"state": "uncollectible"}, "Not paid"),
        ({"refunded": Money(5237)}, "Refunded"),
        ({"refunded": Money(500)}, "Partly refunded"),
        ({"paid": Money(0), "waived": Money(5237)}, "Waived"),
        ({"paid": Money(0), "total": Money(0)}, "Paid"),
    ],
)
def test_status_is_worded_for_its_reader(differs, status):
    assert status_of(an_invoice(**differs)) == status


@pytest.mark.parametrize(
    ("differs", "words"),
    [
        ({}, "Fill-up, 2020 Toyota Camry"),
        ({"details": asdict(DETAILS) | dict.fromkeys(receipts.PERSONAL, "")}, "Fill-up"),
        ({"kind": "late_fee"}, "Late fee"),
        ({"kind": "start", "lines": (Line("plan", "Family plan", Money(4400)),)}, "Family plan"),
    ],
)
def test_description_is_short(differs, words):
    assert description_of(an_invoice(**differs)) == words
