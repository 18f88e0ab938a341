"""Recording what was pumped: its price, its invoice, corrections."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import NotAllowed
from fuel_app.billing.rules.invoices import InvoiceIsOpen
from fuel_app.bookings.rules.bookings import BookingChanged, BookingGone
from fuel_app.bookings.rules.fills import FILLED_AFTER_END, MoreThanTank, fill_fields
from fuel_app.bookings.service import access, changes
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money
from fuel_app.plans.tables import LedgerEntry
from tests.helpers.bank import Bank, bank, stored_payments
from tests.helpers.bookings import STAFF, at, set_price
from tests.helpers.fills import (
    FILLED,
    OPEN_FILL,
    a_booking,
    authorized,
    bills,
    change,
    filled,
    lines,
    run,
    settled,
    waiting,
)
from tests.helpers.people import history, rows
from tests.helpers.plans import all_fills_left

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def entries() -> list[str]:
    return sorted(each.kind for each in await rows(LedgerEntry))


async def test_fill_is_recorded_and_billed_as_a_draft(monkeypatch):
    who, booking = await a_booking()
    done = await filled(monkeypatch, booking)
    # 12.345 gallons at $3.459 are 42.701...
    assert (done.state, done.total, done.filled_milligallons) == ("completed", Money(4270), 12_345)
    assert done.completed_at == booking.starts_at
    (bill,) = await bills(booking)
    assert (bill.state, bill.number, bill.total_cents) == ("draft", None, 4270)
    assert bill.key == f"fill:{booking.id}"
    assert await lines(bill) == [("fuel", 4270)]
    assert bill.details == {
        "filled_at": booking.starts_at.isoformat(),
        "place": "100 Main St, Sarasota, FL 34236",
        "grade": "regular",
        "vehicle": "2020 Toyota Camry",
        "plate": "GUL 1 (FL)",
        "ticket": "T-1",
        "meter_start": 0,
        "meter_end": 0,
        "sold_to": "",
    }
    assert await waiting(OPEN_FILL) == [booking.starts_at + timedelta(minutes=15)]
    assert await entries() == ["granted", "reserved"]
    assert [kind for kind, _ in await history(who.id)] == ["booking_complete"]


@pytest.mark.parametrize(("day_price", "paid"), [(3999, 34_590), (3259, 32_590)])
async def test_lower_of_the_booked_price_and_the_one_as_fueling_started(
    monkeypatch, day_price, paid
):
    _, booking = await a_booking()
    await set_price(booking.area_id, day_price, booking.starts_at)
    await set_price(booking.area_id, 2000, booking.starts_at + timedelta(minutes=1))
    at(monkeypatch, booking.starts_at + timedelta(minutes=5))
    day = booking.day.isoformat()
    form = FILLED | {"gallons": "10", "started": f"{day}T08:00"}
    done = await fill_records.complete_booking(STAFF, booking.id, 1, form)
    assert done.total == Money(paid // 10)
    corrected = await fill_records.complete_booking(
        STAFF, booking.id, done.revision, fill_fields(done.fill()) | {"ticket": "T-2"}
    )
    assert (corrected.total, corrected.fills[0].ticket["number"]) == (done.total, "T-2")


async def test_start_before_the_day_of_the_visit_is_refused(monkeypatch):
    _, booking = await a_booking()
    day = booking.day.isoformat()
    before = f"{booking.day - timedelta(days=1)}T23:59"
    with pytest.raises(InvalidForm) as raised:
        await filled(monkeypatch, booking, started=before)
    assert raised.value.messages == {
        "started": f"Not before the visit's day, {clock.long_date(booking.day)}"
    }
    done = await filled(monkeypatch, booking, started=f"{day}T00:00")
    form = fill_fields(done.fill()) | {"started": before}
    with pytest.raises(InvalidForm):
        await fill_records.complete_booking(STAFF, booking.id, done.revision, form)


async def test_fill_recorded_before_the_window_began_on_the_day_of_its_record(monkeypatch):
    _, booking = await a_booking()
    done = await filled(monkeypatch, booking)
    earlier = booking.starts_at - timedelta(days=2)
    done = await change(done, completed_at=earlier)
    form = fill_fields(done.fill()) | {"started": f"{booking.day - timedelta(days=2)}T00:00"}
    assert await fill_records.complete_booking(STAFF, booking.id, done.revision, form)


async def test_gallons_are_the_difference_of_the_meters_readings(monkeypatch):
    _, booking = await a_booking()
    meter = {"meter_start": "12,345.678", "meter_end": "12356.7"}
    done = await filled(monkeypatch, booking, "", **meter)
    assert done.filled_milligallons == 11_022
    assert (await bills(booking))[0].details["meter_end"] == 12_356_700


async def test_more_than_the_tank_and_a_tenth_has_to_be_confirmed(monkeypatch):
    _, booking = await a_booking()
    await filled(monkeypatch, booking, "17.600")
    with pytest.raises(MoreThanTank, match=r"17\.600"):
        await fill_records.complete_booking(STAFF, booking.id, 2, FILLED | {"gallons": "17.601"})
    form = FILLED | {"gallons": "17.601"}
    done = await fill_records.complete_booking(STAFF, booking.id, 2, form, confirmed=True)
    assert done.filled_milligallons == 17_601


async def test_fill_is_corrected_until_its_invoice_opens(bank: Bank, monkeypatch):
    who, booking = await a_booking()
    await filled(monkeypatch, booking)
    with pytest.raises(BookingChanged):  # the second press of the button
        await fill_records.complete_booking(STAFF, booking.id, 1, FILLED)
    done = await fill_records.complete_booking(STAFF, booking.id, 2, FILLED | {"gallons": "12.354"})
    assert (done.total, done.completed_at) == (Money(4273), booking.starts_at)
    (bill,) = await bills(booking)
    assert (bill.total_cents, await lines(bill)) == (4273, [("fuel", 4273)])
    events = await access.list_steps(booking.id)
    assert events[-1].before == {
        "milligallons": 12_345, "number": "T-1", "meter_start": 0, "meter_end": 0
    }  # fmt: skip
    [noted] = await rows(AuditEntry, kind="booking_correct", subject_id=who.id)
    assert noted.before == {"what": "12.345 gallons, ticket T-1"}
    assert noted.after == {"what": f"{booking.when}, 12.354 gallons, ticket T-1"}
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.number, bill.paid_cents) == ("paid", 1, 4273)
    with pytest.raises(InvoiceIsOpen):
        await fill_records.complete_booking(STAFF, booking.id, 3, FILLED)
    assert (await access.list_steps(booking.id))[-1].kind == "correct"


async def test_what_was_pumped_after_a_cancellation_is_kept_and_charges_nothing(monkeypatch):
    who, booking = await a_booking()
    ended = await changes.cancel(who.actor, booking.id, 1, seen_fee=Money(0))
    done = await filled(monkeypatch, ended)
    assert (done.state, done.filled_milligallons, done.total) == ("completed", 12_345, None)
    done = await fill_records.complete_booking(
        STAFF, booking.id, done.revision, FILLED | {"gallons": "1"}
    )
    assert (done.filled_milligallons, done.total) == (1000, None)
    assert await bills(booking) == []
    assert await entries() == ["granted", "released", "reserved"]
    assert [each.note for each in (await access.list_steps(booking.id))[2:]] == [
        FILLED_AFTER_END, FILLED_AFTER_END
    ]  # fmt: skip
    assert FILLED_AFTER_END in ((await history(who.id))[-1][1] or {})["what"]


async def test_nothing_pumped_releases_the_hold_returns_the_fill_and_bills_nothing(
    bank: Bank, monkeypatch
):
    _, booking = await a_booking()
    await authorized(monkeypatch, booking)
    done = await filled(monkeypatch, booking, "0")
    assert (done.state, done.total) == ("completed", Money(0))
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.number) == ("void", None)
    assert [each.state for each in await stored_payments()] == ["cancelled"]
    assert await all_fills_left() == [4]


@pytest.mark.parametrize(
    ("typed", "state", "paid", "left"),
    [
        (["12.345"], "paid", 4270, 3),
        (["0", "12.345"], "paid", 4270, 3),
        (["12.345", "0"], "void", 0, 4),
        (["0", "12.345", "0"], "void", 0, 4),
    ],
)
async def test_last_correction_decides_what_is_paid_and_used_of_the_plan(
    bank: Bank, monkeypatch, typed, state, paid, left
):
    _, booking = await a_booking()
    await filled(monkeypatch, booking, typed[0])
    for revision, gallons in enumerate(typed[1:], 2):
        await fill_records.complete_booking(
            STAFF, booking.id, revision, FILLED | {"gallons": gallons}
        )
    bill = await settled(monkeypatch, booking)
    assert (bill.state, bill.paid_cents) == (state, paid)
    assert await all_fills_left() == [left]
    assert (await entries())[-1] == ("used" if paid else "reserved")


async def test_only_staff_record_fills_of_bookings_that_exist():
    who, booking = await a_booking()
    with pytest.raises(NotAllowed):
        await fill_records.complete_booking(who.actor, booking.id, 1, FILLED)
    for unknown in ("", None, 7, who.id):
        with pytest.raises(BookingGone):
            await fill_records.complete_booking(STAFF, unknown, 1, FILLED)
    for form in (None, [], "x", 3):
        with pytest.raises(InvalidForm):
            await fill_records.complete_booking(STAFF, booking.id, 1, form)
    assert await run(OPEN_FILL) == 0
