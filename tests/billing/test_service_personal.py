"""A person's money as the account is verified, closed, downloaded and emptied."""

import pytest

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.rules.invoices import OPEN, PAID, Debt
from fuel_app.billing.rules.receipts import description_of
from fuel_app.billing.service import cards, corrections, invoices, payments, reports
from fuel_app.billing.tables import CreditEntry, Payer, StoredInvoice
from fuel_app.bookings.service import changes
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading as reads
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.money import Money
from tests.billing.receipts import DETAILS, PLAN, an_invoice, invoice
from tests.helpers.bookings import STAFF
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.signed_in import a_person, session_of
from tests.helpers.stored_bookings import GUEST, a_booking

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.mark.parametrize(("state", "count"), [(PAID, 1), (OPEN, 0)])
async def test_verified_email_gets_the_paid_receipts_of_its_guest_bookings(state, count):
    person_id, booking = await a_person(), await a_booking(await open_area())
    invoice_id = await an_invoice(booking_id=booking.id, state=state)
    async with transaction() as session:
        row = await session.get_one(StoredInvoice, invoice_id)
        await corrections.log_invoice(session, STAFF, "refunded", row, "Gus's gate was shut")
        former = row.payer_id
    async with transaction() as session:
        await changes.attach_guest_bookings(session, person_id, GUEST["email"])
    found = await invoices.invoices_of((await session_of(person_id)).actor)
    assert [description_of(each) for each in found] == ["Fill-up, 2020 Toyota Camry"] * count
    [noted] = await rows(AuditEntry, kind="refunded")  # it is emptied with the account
    assert noted.subject_id == (person_id if count else former)


async def test_account_with_a_debt_is_not_closed():
    person_id = await a_person()
    await an_invoice(person_id)
    async with transaction() as session:
        await reports.check_closable(session, person_id)
    await an_invoice(person_id, state=OPEN)
    with pytest.raises(Debt):
        async with transaction() as session:
            await reports.check_closable(session, person_id)


async def test_download_has_invoices_payments_and_credit():
    person_id = await a_person()
    async with reads() as session:
        assert await reports.export_person(session, person_id) == {
            "card": None,
            "invoices": [],
            "credits": [],
        }
    await an_invoice(person_id)
    await an_invoice(await a_person())
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id, lock=True)
        given = {"text": "Sorry", "actor": SYSTEM, "key": "sorry"}
        await payments.add_credit(session, payer, Money(500), **given)
    async with reads() as session:
        data = await reports.export_person(session, person_id)
    (found,) = data["invoices"]
    assert (found["number"], found["details"]["plate"]) == (1, "ABC123 (FL)")
    assert [line["text"] for line in found["lines"]] == ["Regular", "Convenience fee"]
    assert found["payments"][0]["card_last4"] == "4242"
    assert [each["amount_cents"] for each in data["credits"]] == [500]


async def test_emptied_account_keeps_numbers_dates_and_amounts_alone():
    person_id, other, unpaid, cardless = [await a_person() for _ in range(4)]
    mine, theirs = await an_invoice(person_id), await an_invoice(other)
    plan = await an_invoice(person_id, lines=PLAN)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id)
        payer.card_id, payer.card_last4 = "pm_works", "4242"
        given = {"text": "Sorry, Ada", "actor": SYSTEM, "key": "sorry"}
        await payments.add_credit(session, payer, Money(500), **given)
        await invoices.payer_of_person(session, cardless)
        for each in (person_id, unpaid, cardless):
            await reports.erase_person(session, each)
    row = await invoice(mine)
    assert {row.details[name] for name in ("place", "vehicle", "plate", "sold_to")} == {""}
    assert (row.number, row.total_cents, row.details["ticket"]) == (1, 5437, "004211")
    assert (await invoice(plan)).details == {}
    assert (await invoice(theirs)).details["place"] == DETAILS.place
    assert {row.card_last4 for row in await rows(Payer)} == {""}
    assert [row.text for row in await rows(CreditEntry)] == [""]
    assert [job.payload for job in await rows(StoredJob) if job.kind == cards.DETACH] == [
        {"card_id": "pm_works"}
    ]
