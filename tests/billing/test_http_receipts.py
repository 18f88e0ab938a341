"""Receipts: who may read them, on the screen, as PDF and by mail."""

from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from fuel_app import routes
from fuel_app.accounts.rules import SYSTEM, Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.accounts.tables import Person
from fuel_app.billing.rules.invoices import OPEN, InvoiceGone
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.state.receipts import OwnReceiptState
from fuel_app.billing.tables import Refund, StoredInvoice, StoredPayment
from fuel_app.kit import outbox, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.messages.rules.kinds import MANAGED
from fuel_app.scheduling.state.booking import GuestBookingState, GuestReceiptState, OwnBookingState
from tests.billing.receipts import PLAN, an_invoice
from tests.helpers.customers import cookie_of
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, cookie_for, session_of
from tests.helpers.stored_bookings import a_booking
from tests.helpers.tabs import answer, redirected, run, tab_at
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database", "password")


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)


async def headers_of(person_id: str) -> dict[str, str]:
    return {"cookie": f"{COOKIE}={await cookie_for(person_id)}"}


async def shown_to(invoice_id: str, cookie: str) -> tuple[OwnReceiptState, Any]:
    """Return the screen of a receipt, and the last answer to its arrival."""
    tab = tab_at(routes.receipt(invoice_id), cookie=cookie)
    state = await tab.get_state(OwnReceiptState)
    return state, await answer(state.arrive())


async def guest_at(address: str, screen: Any) -> Any:
    state = await tab_at(address).get_state(screen)
    await run(state.arrive())
    return state


async def test_owner_and_staff_download_the_pdf_and_no_cache_keeps_it(browser):
    person_id = await a_person()
    invoice_id = await an_invoice(person_id)
    staff = {"cookie": f"{COOKIE}={await a_token()}"}
    for headers in (await headers_of(person_id), staff):
        answered = await browser.get(routes.receipt_file(invoice_id), headers=headers)
        assert answered.status_code == 200
        assert answered.headers["content-type"] == "application/pdf"
        assert answered.headers["cache-control"] == "no-store"
        assert answered.headers["content-disposition"].endswith('filename="GF-000001.pdf"')
        text = text_of(answered.content)
        assert "Ada Lovelace" in text
        assert "11.382 gallons at $3.459 a gallon" in text
        assert "Paid by Visa •••• 4242" in text


async def test_another_customers_receipt_is_as_missing_as_none(browser):
    theirs = await an_invoice(await a_person())
    person_id = await a_person()
    draft, headers = await an_invoice(person_id, state="draft"), await headers_of(person_id)
    for asked in (theirs, draft, "x", "019ab000-0000-7000-8000-000000000000"):
        answered = await browser.get(routes.receipt_file(asked), headers=headers)
        assert (answered.status_code, answered.text) == (404, InvoiceGone.message)
    technician = await headers_of(await a_person(Role.TECHNICIAN))
    for stranger, status in ((None, 401), (technician, 403)):
        answered = await browser.get(routes.receipt_file(theirs), headers=stranger)
        assert answered.status_code == status


async def test_guest_gets_the_pdf_by_link_alone(browser):
    area_id = await open_area()
    booking, other = await a_booking(area_id), await a_booking(area_id, days=4)
    await an_invoice(booking_id=booking.id, sold_to="Gus Guest")
    link = secrets.token(MANAGED, booking.id)
    answered = await browser.get(routes.manage_receipt_file(link))
    assert "Gus Guest" in text_of(answered.content)
    assert answered.headers["referrer-policy"] == "no-referrer"
    for forged in (link[:-1], secrets.token(MANAGED, other.id), booking.id):
        assert (await browser.get(routes.manage_receipt_file(forged))).status_code == 404


async def test_screen_shows_a_customers_own_receipt_alone():
    person_id = await a_person()
    own, other = await an_invoice(person_id, lines=PLAN), await an_invoice(await a_person())
    cookie = (await headers_of(person_id))["cookie"]
    state, _ = await shown_to(own, cookie)
    assert (state.missing, state.receipt.name, state.receipt.status) == (False, "GF-000001", "Paid")
    assert "receipts" in str((await answer(state.download())).args)
    state, _ = await shown_to(other, cookie)
    assert (state.missing, state.receipt.name) == (True, "")
    assert await answer(state.download()) is None


async def test_staff_see_any_receipt_and_a_visitor_signs_in_first():
    invoice_id = await an_invoice(await a_person(), state=OPEN)
    state, _ = await shown_to(invoice_id, f"{COOKIE}={await a_token()}")
    assert (state.receipt.title, state.receipt.sums[-1]) == ("Invoice", ("Amount due", "$54.37"))
    state, answered = await shown_to(invoice_id, "")
    assert redirected(answered) == routes.asking(
        routes.SIGN_IN, {"next": routes.receipt(invoice_id)}
    )
    assert not state.receipt.name


async def test_guest_reads_the_receipt_of_their_booking_by_its_link():
    booking = await a_booking(await open_area(), state="completed")
    link = secrets.token(MANAGED, booking.id)
    manage = await guest_at(routes.manage(link), GuestBookingState)
    assert await answer(manage.see_receipt()) is None
    assert (await guest_at(routes.manage_receipt(link), GuestReceiptState)).missing
    await an_invoice(booking_id=booking.id)
    manage = await guest_at(routes.manage(link), GuestBookingState)
    assert redirected(await answer(manage.see_receipt())) == routes.manage_receipt(link)
    state = await guest_at(routes.manage_receipt(link), GuestReceiptState)
    assert (state.missing, state.receipt.name) == (False, "GF-000001")
    assert link in str((await answer(state.download())).args)
    forged = await guest_at(routes.manage_receipt(link[:-1]), GuestReceiptState)
    assert (forged.missing, forged.receipt.name) == (True, "")
    assert await forged._find() is None


async def test_booking_page_leads_to_its_receipt():
    area_id, cookie = await open_area(), await cookie_of()
    (person,) = await rows(Person)
    booking = await a_booking(area_id, person.id, state="completed")
    invoice_id = await an_invoice(person.id, booking_id=booking.id)
    state = await tab_at(routes.booking(booking.id), cookie=cookie).get_state(OwnBookingState)
    await run(state.arrive())
    assert state.has_receipt
    here = routes.receipt_from(routes.booking(booking.id), invoice_id)
    assert redirected(await answer(state.see_receipt())) == here


async def test_receipt_shows_refunds_and_what_was_paid_above_the_amount_due_is_not_counted():
    person_id = await a_person()
    invoice_id = await an_invoice(person_id)
    (payment,) = await rows(StoredPayment)
    async with transaction() as session:
        row = await session.get(StoredInvoice, invoice_id)
        assert row
        note = {"reason": "Spilled", "actor": SYSTEM, "key": "note"}
        await payments.add_credit_note(session, row, Money(500), payments.TO_CREDIT, **note)
        stored = await session.get(StoredPayment, payment.id)
        assert stored
        stored.amount_cents = stored.captured_cents = stored.captured_cents + 300
        session.add(Refund(payment_id=payment.id, amount_cents=300))
        hosted = {"key": "h", "kind": "hosted", "state": "succeeded", "invoice_id": invoice_id}
        more = {"amount_cents": 100, "captured_cents": 100, "payer_id": payment.payer_id}
        session.add(StoredPayment(**hosted, **more))
    found = await invoices.find_receipt((await session_of(person_id)).actor, invoice_id)
    assert found
    assert found.status == "Partly refunded"
    labels = [label.partition(",")[0] for label, _ in found.sums]
    assert labels == [
        *("Total", "Paid by Visa •••• 4242", "Paid by card"),
        *("Credited to your account", "Amount due"),
    ]
    assert [amount for _, amount in found.sums] == ["$54.37", "$54.37", "$1.00", "-$5.00", "$0.00"]
    assert "Spilled" not in str(found)


async def test_mail_about_an_invoice_brings_its_pdf_along():
    invoice_id = await an_invoice(await a_person())
    (file,) = await outbox.of({"invoice": invoice_id, "what": "Family plan"})
    assert file.name == "GF-000001.pdf"
    assert "$54.37" in text_of(file.data)
    assert await outbox.of({"invoice": "gone"}) == []
    assert await outbox.of({"booking": invoice_id}) == []


@pytest.mark.parametrize(
    ("asked", "text", "to"),
    [
        ("", "Back to Billing & Plans", routes.BILLING),
        ("?from=/dashboard", "Back to Dashboard", routes.DASHBOARD),
        ("?from=/bookings/1", "Back to your fill-up", "/bookings/1"),
        ("?from=//elsewhere.example/bookings", "Back to Billing & Plans", routes.BILLING),
        ("?from=/schedule", "Back to Billing & Plans", routes.BILLING),
    ],
)
async def test_receipt_leads_back_to_the_page_that_showed_it(asked, text, to):
    person_id = await a_person()
    address = f"{routes.receipt(await an_invoice(person_id))}{asked}"
    cookie = f"{COOKIE}={await cookie_for(person_id)}"
    state = await tab_at(address, cookie=cookie).get_state(OwnReceiptState)
    await run(state.arrive())
    assert (state.back, state.back_to, state.missing) == (text, to, False)
