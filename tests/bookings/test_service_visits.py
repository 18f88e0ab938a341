"""A visit with several cars: booked, filled car by car, billed once."""

from dataclasses import replace

import pytest

from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules import receipts
from fuel_app.billing.rules.invoices import InvoiceIsOpen
from fuel_app.billing.service.invoices import invoice_of
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, FillGone
from fuel_app.bookings.service import changes, fills, road
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money
from fuel_app.plans.tables import LedgerEntry
from tests.helpers import fills as helpers
from tests.helpers.bank import bank, stored_payments
from tests.helpers.bookings import (
    STAFF,
    a_customer,
    an_area,
    another_car,
    at,
    booked_by_guest,
    seen_by,
    slot,
    taken,
)
from tests.helpers.fills import FILLED, a_booking, bills, lines, now_of, settled
from tests.helpers.launch import ADMIN
from tests.helpers.people import messages, rows

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def record(booking: Booking, number: int, gallons: str = "10.000", **more) -> Booking:
    """Record one car's fill as staff do."""
    now = await now_of(booking)
    form = FILLED | {"gallons": gallons, "ticket": f"T-{number}"}
    fill_id = now.fills[number].id
    return await fill_records.complete_booking(
        STAFF, now.id, now.revision, form, fill_id=fill_id, **more
    )


async def miss(booking: Booking, number: int | None, reason: str = "fuel_door") -> Booking:
    """Give up one car, or all that are left, as a technician does."""
    fill_id = "" if number is None else booking.fills[number].id
    async with transaction() as session:
        await road.fail(session, STAFF, booking.id, reason, "", clock.now(), fill_id=fill_id)
    return await now_of(booking)


async def entries() -> list[str]:
    """Return the kinds of the plan's entries."""
    return sorted(each.kind for each in await rows(LedgerEntry))


async def test_two_cars_take_one_seat_two_fills_and_one_hold(bank, monkeypatch):
    _who, booking = await a_booking(cars=2)
    assert [each.car.model for each in booking.fills] == ["Camry", "Corolla"]
    assert [each.pays_by for each in booking.fills] == ["allowance", "allowance"]
    assert await taken(booking.slot_id) == 1
    confirmed, *_ = await messages("booking_confirmed")
    assert confirmed.payload["vehicle"] == "2020 Toyota Camry and 2020 Toyota Corolla"
    assert "2020 Toyota Corolla: Fuel, about 9.6 gallons" in confirmed.payload["price"]
    await helpers.authorized(monkeypatch, booking)
    [hold] = await stored_payments()
    assert hold.amount_cents == 12_200  # two tanks of 17.6 gallons at $3.459, in whole dollars


@pytest.mark.parametrize(
    ("count", "refusal"), [(0, refusals.CarGone), (5, refusals.TooManyCars), (2, refusals.CarTwice)]
)
async def test_cars_that_make_no_visit_are_refused(count, refusal):
    area, who = await an_area(), await a_customer()
    number = iter((1, 1) if count == 2 else range(count))
    cars = tuple(another_car(next(number)) for _ in range(count))
    with pytest.raises(refusal):
        await seen_by(who, replace(who.wants(slot(area)), cars=cars))


async def test_guests_have_two_cars_at_most():
    area = await an_area()
    cars = tuple(map(another_car, range(3)))
    with pytest.raises(refusals.TooManyCars, match="room for 2 cars"):
        await booked_by_guest(slot(area), cars=cars)
    assert len((await booked_by_guest(slot(area), cars=cars[:2])).fills) == 2


async def test_each_car_is_filled_and_all_are_billed_once(bank, monkeypatch):
    _who, booking = await a_booking(cars=2)
    await helpers.authorized(monkeypatch, booking)
    at(monkeypatch, booking.starts_at)
    half = await record(booking, 0)
    assert (half.state, half.completed_at, half.total) == ("fueling", None, None)
    assert await bills(booking) == []
    with pytest.raises(FillGone):
        await fill_records.complete_booking(STAFF, half.id, half.revision, FILLED)
    half = await record(booking, 0, "11.000")  # put right while the other one is to come
    assert (half.state, half.fills[0].filled_milligallons) == ("fueling", 11_000)
    done = await record(booking, 1, "9.000")
    assert (done.state, done.total) == ("completed", Money(3805 + 3113))
    [bill] = await bills(booking)
    assert await lines(bill) == [("fuel", 3805), ("fuel", 3113)]
    paid = await settled(monkeypatch, booking)
    assert (paid.state, paid.paid_cents) == ("paid", 6918)
    told, *_ = await messages("completed")
    assert told.payload["vehicle"] == "2020 Toyota Camry and 2020 Toyota Corolla"
    assert (told.payload["gallons"], "missed" in told.payload) == ("20.000", False)
    assert told.payload["others"].splitlines()[1] == (
        "2020 Toyota Corolla: 9.000 gallons at $3.459 a gallon"
    )
    async with reading() as session:
        receipt = invoice_of(paid, await queries.lines_of(session, paid.id))
    shown = receipts.receipt_of(receipt, sold_to="Ada", paid=[], notes=[])
    assert [each.text for each in shown.lines] == [
        "2020 Toyota Camry: Fuel, regular",
        "2020 Toyota Corolla: Fuel, regular",
    ]
    assert [value for name, value in shown.facts if name == "Meter ticket"] == ["T-0", "T-1"]
    assert receipts.description_of(receipt) == (
        "Fill-up, 2020 Toyota Camry and 2020 Toyota Corolla"
    )
    emptied = replace(receipt, details=receipts.emptied(receipt.details))
    assert receipts.description_of(emptied) == "Fill-up"
    with pytest.raises(InvoiceIsOpen):
        await record(booking, 1, "8.000")


async def test_a_draft_is_rewritten_with_all_its_cars(monkeypatch):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    await record(booking, 0)
    await record(booking, 1)
    done = await record(booking, 0, "5.000")
    assert (done.state, done.total) == ("completed", Money(1730 + 3459))
    [bill] = await bills(booking)
    assert [cents for _, cents in await lines(bill)] == [1730, 3459]


@pytest.mark.parametrize("first", ["filled", "missed"])
async def test_a_car_that_is_missed_gives_its_fill_back_and_costs_nothing(bank, monkeypatch, first):
    _who, booking = await a_booking(cars=2)
    await helpers.authorized(monkeypatch, booking)
    at(monkeypatch, booking.starts_at)
    await helpers.change(booking, state="fueling")
    if first == "filled":
        assert (await record(booking, 0)).state == "fueling"
        done = await miss(booking, 1)
    else:
        assert (await miss(booking, 1)).state == "fueling"
        done = await record(booking, 0)
    assert (done.state, done.late_fee) == ("completed", Money(0))
    assert [each.outcome for each in done.fills] == ["filled", "not_filled"]
    assert done.fills[1].reason == "Fuel door closed or locked"
    paid = await settled(monkeypatch, booking)
    assert await lines(paid) == [("fuel", 3459)]
    told, *_ = await messages("completed")
    assert told.payload["vehicle"] == "2020 Toyota Camry"
    assert told.payload["missed"] == (
        "We could not fill 2020 Toyota Corolla: the fuel door was closed or locked."
    )
    assert await entries() == ["granted", "released", "reserved", "reserved", "used"]


@pytest.mark.parametrize(
    ("reasons", "fee"),
    [
        (("fuel_door", "no_access"), 1500),
        (("weather", "fuel_door"), 0),
        (("fuel_door", "unsafe"), 0),
    ],
)
async def test_a_visit_without_a_fill_costs_one_fee_if_each_reason_has_one(
    monkeypatch, reasons, fee
):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    await helpers.change(booking, state="fueling")
    await miss(booking, 0, reasons[0])
    with pytest.raises(BookingChanged):
        await miss(booking, 0, reasons[0])
    failed = await miss(booking, None, reasons[1])
    assert (failed.state, failed.late_fee) == ("failed", Money(fee))
    assert [each.outcome for each in failed.fills] == ["not_filled", "not_filled"]
    assert [each.total_cents for each in await bills(booking)] == ([1500] if fee else [])
    told, *_ = await messages("fill_failed")
    assert told.payload["vehicle"] == "2020 Toyota Camry and 2020 Toyota Corolla"


async def test_from_the_first_car_on_nobody_cancels_or_goes_back(monkeypatch):
    who, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    half = await record(booking, 0)
    with pytest.raises(refusals.PleaseCall):
        await changes.cancel(who.actor, half.id, half.revision, seen_fee=Money(1500))
    with pytest.raises(refusals.PleaseCall):
        await changes.cancel(STAFF, half.id, half.revision, seen_fee=Money(0), reason="asked")
    with pytest.raises(BookingChanged):
        async with transaction() as session:
            await road.take_technician_step(session, STAFF, half.id, "back", clock.now())


async def test_what_is_pumped_after_a_cancellation_ends_the_visit_unbilled(monkeypatch):
    who, booking = await a_booking(cars=2)
    await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))
    at(monkeypatch, booking.starts_at)
    done = await record(booking, 1)
    assert (done.state, done.total, await bills(booking)) == ("completed", None, [])
    assert [each.outcome for each in done.fills] == ["not_filled", "filled"]
    again = await record(booking, 0)
    assert (again.fills[0].outcome, await bills(booking)) == ("filled", [])


async def test_gallons_of_one_car_hold_the_bill_until_they_are_confirmed(monkeypatch):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    now = await now_of(booking)
    await helpers.change(booking, state="fueling")
    async with transaction() as session:
        for number, gallons in enumerate(("40.000", "10.000")):
            form = fills.parse_fill(FILLED | {"gallons": gallons}, clock.now())
            asked = await fills.record_fill(
                session,
                STAFF,
                now.id,
                "technician",
                form,
                fill_id=now.fills[number].id,
                at=clock.now(),
            )
            assert asked == (("gallons",) if number == 0 else ())
    done = await now_of(booking)
    assert (done.state, done.total, await bills(booking)) == ("completed", None, [])
    async with transaction() as session:
        [question], _ = await fills.unanswered_questions(session, 5)
        await fills.answer_confirm(session, ADMIN, question.id, {"reason": "two tanks"})
    assert (await now_of(booking)).total == Money(13_836 + 3459)
    [bill] = await bills(booking)
    assert len(await lines(bill)) == 2


async def test_a_car_without_gallons_has_no_line_on_the_bill(monkeypatch):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    await record(booking, 0, "0")
    await record(booking, 1)
    [bill] = await bills(booking)
    assert await lines(bill) == [("fuel", 3459)]
    assert (bill.details["vehicle"], "others" in bill.details) == ("2020 Toyota Corolla", False)
