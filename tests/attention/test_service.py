"""List of what waits for staff, from each package, on both databases."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.prices import GRADES
from fuel_app.areas.service import prices
from fuel_app.areas.tables import StoredPrice
from fuel_app.attention.service import NothingToPress, press, read_attention
from fuel_app.billing.rules.corrections import RefundGone
from fuel_app.billing.rules.invoices import RENEWAL
from fuel_app.billing.rules.payments import HOLD
from fuel_app.billing.tables import Payer, Refund, StoredPayment
from fuel_app.bookings.service import attention as bookings
from fuel_app.bookings.tables import FillQuestion
from fuel_app.companies.rules.documents import ExemptionForm
from fuel_app.companies.rules.sites import SiteForm
from fuel_app.companies.service import attention as companies
from fuel_app.companies.service import documents, sites
from fuel_app.dispatch.service import attention as dispatch
from fuel_app.kit import clock, outbox
from fuel_app.kit.attention import MOST, Attention
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import TableModel
from fuel_app.kit.signals import AREAS, signals
from fuel_app.messages import service as messages
from fuel_app.messages.rules.kinds import MessageGone, SentAgain
from fuel_app.outcomes.service import attention as money
from tests.helpers.bank import a_payer, an_invoice, refunds
from tests.helpers.bookings import NOW, STAFF, TODAY, a_customer, an_area, at
from tests.helpers.companies import a_company, site_ids
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck, on_route
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, change

pytestmark = pytest.mark.usefixtures("database")

ADMIN = Actor(frozenset({Role.ADMIN}), session_id="a" * 36)


@pytest.fixture(autouse=True)
def _clock(monkeypatch) -> None:
    at(monkeypatch, NOW)


async def found(source: Any) -> Attention:
    async with reading() as session:
        return await source(session, clock.now())


async def told(source: Any) -> list[tuple[str, str]]:
    return [(each.text, each.detail) for each in (await found(source)).lines]


async def store(*new: TableModel) -> None:
    async with transaction() as session:
        session.add_all(new)


async def payment(payer: Payer, state: str = "failed", **differs: Any) -> StoredPayment:
    values = {"kind": "charge", "amount_cents": 5000, "code": "expired_card", "created_at": NOW}
    values |= differs
    row = StoredPayment(
        key=f"key:{len(await rows(StoredPayment))}",
        state=state,
        payer_id=payer.id,
        captured_cents=values["amount_cents"] if state == "succeeded" else 0,
        **values,
    )
    await store(row)
    return row


async def test_card_declined_waits_until_another_hold_or_the_bookings_end():
    area, customer = await an_area(), await a_customer()
    (payer,) = await rows(Payer)
    first, last, replaced, ended = [
        await a_booking(area, customer.id, days=1, opens=opens) for opens in (8, 10, 12, 14)
    ]
    guest = await a_booking(area, days=1, opens=16)
    await change(ended, state="cancelled")
    await change(first, card_due_at=NOW + timedelta(hours=2))
    await change(last, card_due_at=NOW - timedelta(hours=1))
    for each in (first, last, replaced, ended, guest):
        await payment(payer, kind=HOLD, booking_id=each.id)
    await payment(payer, "authorized", kind=HOLD, booking_id=replaced.id)
    await payment(payer, kind=HOLD, booking_id=guest.id, created_at=NOW - timedelta(days=4))
    waiting = await found(bookings.cards_declined)
    assert [each.id for each in waiting.lines] == [last.id, first.id]
    assert [each.detail for each in waiting.lines] == [
        "$50, Expired card. Another card by now, or it is cancelled.",
        "$50, Expired card. Another card by 12:00 PM on Monday, November 23, or it is cancelled.",
    ]
    assert waiting.lines[0].href == routes.customer_tab(customer.id, "bookings")
    assert waiting.lines[0].text.startswith("Ada Lovelace: Tue, Nov 24, 10")


async def test_guests_declined_card_leads_to_the_guest():
    booking = await a_booking(await an_area(), days=1)
    payer = await a_payer()
    await payment(payer, kind=HOLD, booking_id=booking.id)
    (line,) = (await found(bookings.cards_declined)).lines
    assert (line.href, line.text[:9]) == (routes.guest(booking.id), "Gus Guest")


async def test_dispute_waits_while_its_answer_is_ours():
    payer = await a_payer()
    for dispute in ("needs_response", "under_review", "won", "lost"):
        await payment(payer, "succeeded", dispute=dispute)
    assert [text.partition(", ")[2] for text, _ in await told(money.disputes)] == ["$50.00"]
    assert (await found(money.disputes)).lines[0].detail == "Answer by: See Stripe"


async def test_refund_that_failed_is_tried_again_by_one_press_once():
    payer = await a_payer()
    paid = await payment(payer, "succeeded", provider_id="pi_1")
    refund = {"payment_id": paid.id, "amount_cents": 700, "created_at": NOW}
    await store(Refund(**refund, state="failed"))
    (line,) = (await found(money.refunds)).lines
    assert (line.act, line.detail) == ("Try again", "Begun Nov 23, 2026, 10:00 AM")
    assert [each.kind for each in await read_attention(STAFF)] == []  # not open yet
    await an_area()
    await signals().publish(AREAS)
    assert [each.kind for each in await read_attention(STAFF)] == ["refunds"]
    assert await press(STAFF, "refunds", line.id) == "Refund on its way"
    assert [each.state for each in await refunds()] == ["retried", "new"]
    assert await read_attention(STAFF) == ()
    with pytest.raises(RefundGone):
        await press(STAFF, "refunds", line.id)


async def test_renewal_waits_once_its_charge_has_failed_and_none_is_under_way():
    payer, guest = await a_payer(), Payer(key="guest:x")
    await store(guest)
    failed, charged, _fresh = [
        await an_invoice(payer, 2900, kind=RENEWAL, period=TODAY, key=f"renewal:{n}")
        for n in range(3)
    ]
    fill = await an_invoice(payer)
    of_guest = await an_invoice(guest, 100, kind=RENEWAL, period=TOMORROW, key="renewal:guest")
    for each in (failed, charged, fill, of_guest):
        await payment(payer, invoice_id=each.id)
    await payment(payer, "new", invoice_id=charged.id)
    waiting = await found(money.renewals)
    assert [each.id for each in waiting.lines] == [failed.id, of_guest.id]
    assert [each.text.rpartition(", ")[0] for each in waiting.lines][1] == "A guest"
    assert waiting.lines[0].detail == "Expired card. Of the period from Nov 23, 2026."
    assert waiting.lines[1].href == routes.SETTINGS_MONEY


async def test_message_that_failed_is_sent_again_once_by_an_admin_alone():
    await an_area()
    known: dict[str, Any] = {"kind": "booked", "channel": "mail", "payload": {}, "send_at": NOW}
    failed = outbox.Message(**known, recipient="a@example.com", state="failed", error="550 No")
    old = outbox.Message(
        **known, recipient="b@example.com", state="failed", created_at=NOW - timedelta(days=4)
    )
    retried = outbox.Message(**known, recipient="c@example.com", error="Connection refused")
    person = await a_customer()
    of_person = outbox.Message(**known, person_id=person.id, state="failed", error="Gone")
    await store(failed, old, retried, of_person)
    waiting = await found(messages.messages_failed)
    assert waiting.total == 3
    assert waiting.lines[0].text.startswith("1 e-mail waits since")
    assert {each.id for each in waiting.lines[1:]} == {failed.id, of_person.id}
    assert await read_attention(STAFF) == ()
    assert "messages" in [each.kind for each in await read_attention(ADMIN)]
    with pytest.raises(MessageGone):  # dispatchers send a customer's own again
        await press(STAFF, "messages", failed.id)
    assert await press(ADMIN, "messages", failed.id) == "Message on its way"
    with pytest.raises(SentAgain):
        await press(ADMIN, "messages", failed.id)
    assert failed.id not in [each.id for each in (await found(messages.messages_failed)).lines]


async def test_price_waits_where_there_is_none_then_where_it_is_a_week_old():
    area = await an_area()
    async with transaction() as session:
        await session.execute(StoredPrice.__table__.delete())  # type: ignore[attr-defined]
    price = {"area_id": area, "mills": 3000, "source": "Us", "set_by": "system"}
    days = dict(zip(GRADES, (8, 9, 6, None), strict=True))
    await store(
        *(
            StoredPrice(**price, grade=grade, effective_at=NOW - timedelta(days=ago))
            for grade, ago in days.items()
            if ago
        )
    )
    assert await told(prices.prices_old) == [
        ("Diesel, Sarasota", "No price: cannot be booked"),
        ("Plus, Sarasota", "Set 9 days ago"),
        ("Regular, Sarasota", "Set 8 days ago"),
    ]


async def test_seal_waits_a_month_before_it_ends_while_the_truck_is_in_use():
    for name, ago, is_active in (("Heron", 336, True), ("Ibis", 300, True), ("Egret", 400, False)):
        sealed = TODAY - timedelta(days=ago)
        await a_truck(name=name, meter_number="M", meter_sealed_on=sealed, is_active=is_active)
    await a_truck(name="Osprey", meter_number="M", meter_sealed_on=TODAY - timedelta(days=366))
    assert await told(dispatch.seals_ending) == [
        ("Osprey, meter M", "The seal ended on Nov 22, 2026."),
        ("Heron, meter M", "The seal ends on Dec 22, 2026."),
    ]


async def test_late_and_unserved_stops_of_today_and_the_next_published_day():
    area = await an_area()
    missed, late, waits, held, fine = [
        await a_booking(area, days=0, opens=opens) for opens in (6, 8, 12, 14, 16)
    ]
    await change(held, state="weather_hold", reason="A storm")
    technician = await a_technician()
    heron = await a_shift(await a_truck(name="Heron"), technician, day=TODAY)
    short = await a_shift(await a_truck(name="Ibis"), None, day=TODAY, ends=11)
    await on_route(heron, missed, late, fine)
    after = await a_booking(area, days=0, opens=18)
    await on_route(short, after)
    next_day = await a_booking(area, days=1, opens=8)
    assert next_day.id not in [each.id for each in (await found(dispatch.stops_at_risk)).lines]
    other = await a_booking(area, days=1, opens=10)
    shift = await a_shift(await a_truck(name="Egret"), technician, day=TOMORROW)
    await on_route(shift, other, published=True)
    at_risk = await found(dispatch.stops_at_risk)
    assert [(each.id, each.detail) for each in at_risk.lines] == [
        (short.id, "1 stop, and its technician is no longer active."),
        (missed.id, "Heron, expected at 10:10 AM, late by 2 hours 10 mins"),
        (late.id, "Heron, expected at 10:31 AM, late by 31 mins"),
        (waits.id, "On no route: not planned yet"),
        (held.id, "On hold: A storm"),
        (after.id, "Ibis, expected at 6:00 PM, after the shift's end"),
        (next_day.id, "On no route: not planned yet"),
    ]
    assert at_risk.lines[0].text == "Ibis: nobody drives"
    assert {each.href for each in at_risk.lines} == {
        "/dispatch?day=2026-11-23",
        "/dispatch?day=2026-11-24",
    }


async def test_closed_day_has_nothing_at_risk():
    area = await an_area()
    booking = await a_booking(area, days=0, opens=6)
    shift = await a_shift(await a_truck(), None, day=TODAY)
    await on_route(shift, booking, published=True)
    assert (await found(dispatch.stops_at_risk)).total == 2
    async with transaction() as session:
        await dispatch.queries.close_day(session, TODAY, NOW)
    assert (await found(dispatch.stops_at_risk)).total == 0


async def test_questions_about_fills_are_counted():
    booking = await a_booking(await an_area(), days=0)
    for answer in ("", "waived"):
        about = {"kind": "kept", "booking_id": booking.id, "ticket": {}, "at": NOW}
        await store(FillQuestion(**about, answer=answer))
    waiting = await found(dispatch.fills_to_decide)
    assert (waiting.lines, waiting.total) == ((), 1)


async def test_lines_of_a_kind_are_bounded_and_the_rest_is_counted():
    payer = await a_payer()
    paid = await payment(payer, "succeeded")
    await store(
        *(Refund(payment_id=paid.id, amount_cents=1, state="failed") for _ in range(MOST + 5))
    )
    waiting = await found(money.refunds)
    assert (len(waiting.lines), waiting.total) == (MOST, MOST + 5)


async def test_technician_and_customer_read_and_press_nothing():
    for role in (Role.TECHNICIAN, Role.CUSTOMER):
        with pytest.raises(NotAllowed):
            await read_attention(Actor(frozenset({role})))
        with pytest.raises(NotAllowed):
            await press(Actor(frozenset({role})), "refunds", "")


@pytest.mark.parametrize("kind", ["stops", "", None, [], {}])
async def test_kind_without_a_button_refuses_a_press(kind):
    with pytest.raises(NothingToPress):
        await press(ADMIN, kind, "")


async def test_tax_exemptions_wait_for_an_admin():
    company_id = await a_company()
    assert (await found(companies.exemptions_to_decide)).total == 0
    paper = await documents.add_document(ADMIN, company_id, "certificate", "c.pdf", b"%PDF-1.7")
    sent = {"kind": "resale", "certificate": "85-1", "valid_to": "2030-12-31"}
    await documents.ask_exemption(STAFF, company_id, ExemptionForm.parse(sent), paper)
    waiting = await found(companies.exemptions_to_decide)
    assert (waiting.total, waiting.is_for_admins) == (1, True)
    [line] = waiting.lines
    assert (line.text, line.href) == ("Palm Plumbing", f"/companies/{company_id}?tab=tax")
    assert line.detail.startswith("Resale, asked on ")


async def test_permits_are_told_before_they_end_and_after(monkeypatch):
    company_id = await a_company()
    known = await site_ids(company_id)
    ends = (TODAY + timedelta(days=30)).isoformat()
    for name, valid_to in (("Back lot", "2020-01-31"), ("Main yard", ends)):
        typed = {"name": name, "street": "1 Palm Ave", "city": "Sarasota", "zip_code": "34236"}
        permit = {"permit_number": "F-7", "permit_valid_to": valid_to}
        form = SiteForm.parse(SiteForm.blank() | typed | permit)
        await sites.save_site(ADMIN, company_id, form, known[name])
    waiting = await found(companies.permits_ending)
    assert [(line.text, line.detail.split(" on ")[0]) for line in waiting.lines] == [
        ("Palm Plumbing, Back lot", "Permit F-7 ended"),
        ("Palm Plumbing, Main yard", "Permit F-7 ends"),
    ]
    assert (waiting.total, waiting.lines[0].href) == (2, f"/companies/{company_id}?tab=sites")
    await sites.close_site(ADMIN, company_id, known["Back lot"], closed=True)
    at(monkeypatch, NOW - timedelta(days=1))
    assert (await found(companies.permits_ending)).total == 0
