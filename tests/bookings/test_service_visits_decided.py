"""Decisions of the office about one car of a visit, whatever has become of the others."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, CarAsked, PleaseCall
from fuel_app.bookings.rules.estimates import estimate_of
from fuel_app.bookings.rules.fills import ENDED_WITH_OTHER, FilledAlready
from fuel_app.bookings.service import attention, cars, changes, fills
from fuel_app.bookings.tables import FreeFill
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money, dollars
from fuel_app.plans.tables import LedgerEntry
from tests.bookings.test_service_visits import miss, record
from tests.helpers import fills as helpers
from tests.helpers.bank import bank, stored_payments
from tests.helpers.bookings import STAFF, at, offer_free_fills, slot, taken
from tests.helpers.fills import FILLED, a_booking, bills, change, lines, now_of, settled
from tests.helpers.launch import ADMIN
from tests.helpers.people import a_person, rows

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def kept(booking: Booking, number: int | None, gallons: str = "10.000") -> str:
    """Keep what was pumped beside a visit, for one of its cars. Return its question."""
    technician = Actor(person_id=(await a_person(email=f"{new_id()}@example.com")).id)
    fill = fills.parse_fill(FILLED | {"gallons": gallons, "ticket": f"K-{number}"}, clock.now())
    async with transaction() as session:
        await fills.keep_fill(
            session,
            technician,
            booking,
            fill,
            fill_id=None if number is None else booking.fills[number].id,
            action_id=new_id(),
            why="moved",
            meter="",
            at=clock.now(),
        )
    async with reading() as session:
        asked, _ = await fills.unanswered_questions(session, 9)
    return asked[-1].id


async def decide(how: str, question_id: str) -> None:
    async with transaction() as session:
        answer = {"charge": fills.answer_charge, "waive": fills.answer_waive}.get(how)
        await (answer or fills.answer_confirm)(session, ADMIN, question_id, {"reason": "seen"})


async def test_fuel_of_no_car_of_the_visit_is_waived_alone():
    _, booking = await a_booking(cars=2)
    question = await kept(booking, None)
    [asked], _ = await fill_records.read_questions(STAFF)
    assert (asked.booked, asked.is_filled, asked.needs_admin) == (None, True, False)
    assert (asked.most, asked.milligallons) == (Money(0), 10_000)
    with pytest.raises(FilledAlready):
        await decide("charge", question)
    await decide("waive", question)
    assert await fill_records.read_questions(STAFF) == ([], 0)


async def test_two_cars_pumped_beside_a_visit_are_both_charged(monkeypatch):
    who, booking = await a_booking(cars=2)
    gone = await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))
    at(monkeypatch, booking.starts_at)
    first, second = await kept(gone, 0), await kept(gone, 1)
    await decide("charge", first)
    done = await now_of(booking)
    assert (done.state, done.fills[1].reason) == ("completed", ENDED_WITH_OTHER)
    await decide("charge", second)
    [bill] = await bills(booking)
    assert await lines(bill) == [("fuel", 3459), ("fuel", 3459)]


async def test_a_car_charged_after_the_bill_of_the_other_has_one_of_its_own(bank, monkeypatch):
    who, booking = await a_booking(cars=2)
    gone = await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))
    at(monkeypatch, booking.starts_at)
    first, second = await kept(gone, 0), await kept(gone, 1)
    await decide("charge", first)
    await settled(monkeypatch, booking)
    await decide("charge", second)
    paid, own = await bills(booking)
    assert (paid.state, own.key) == ("paid", f"fill:{booking.id}:{booking.fills[1].id}")
    assert await lines(own) == [("fuel", 3459)]
    assert (await now_of(booking)).total == Money(6918)


async def test_a_charge_before_the_visit_leaves_the_other_car_booked(bank, monkeypatch):
    who, booking = await a_booking(cars=2)
    await helpers.authorized(monkeypatch, booking)
    await decide("charge", await kept(booking, 0))
    now = await now_of(booking)
    assert (now.state, [each.outcome for each in now.fills]) == ("booked", ["filled", ""])
    assert await taken(booking.slot_id) == 1
    assert estimate_of(now).hold == dollars(61)
    [bill] = await bills(booking)
    assert (bill.key, await lines(bill)) == (
        f"fill:{booking.id}:{booking.fills[0].id}",
        [("fuel", 3459)],
    )
    await settled(monkeypatch, booking)
    kinds = [(each.kind, each.state) for each in await stored_payments()]
    assert kinds == [("hold", "authorized"), ("charge", "succeeded")]  # the hold is the other's
    at(monkeypatch, booking.starts_at - timedelta(hours=8))
    moved = await changes.move(who.actor, now.id, now.revision, slot(booking.area_id, 4))
    assert (moved.state, moved.fills[1].outcome) == ("booked", "")
    done = await record(moved, 1, "15.000")
    assert (done.state, done.total) == ("completed", Money(3459 + 5189))
    await settled(monkeypatch, moved)
    assert [await lines(each) for each in await bills(booking)] == [
        [("fuel", 3459)],
        [("fuel", 5189)],
    ]
    assert len(await helpers.said("completed")) == 2
    assert sorted(each.kind for each in await rows(LedgerEntry)).count("used") == 2


async def test_a_charged_car_keeps_its_fill_as_the_visit_of_the_others_is_cancelled():
    who, booking = await a_booking(cars=2)
    await decide("charge", await kept(booking, 0))
    now = await now_of(booking)
    await changes.cancel(who.actor, now.id, now.revision, seen_fee=Money(0))
    kinds = [each.kind for each in await rows(LedgerEntry) if each.kind != "granted"]
    assert sorted(kinds) == ["released", "reserved", "reserved"]


async def test_the_bill_of_a_car_alone_is_corrected_by_itself(bank, monkeypatch):
    _, booking = await a_booking(cars=2)
    await decide("charge", await kept(booking, 0))
    at(monkeypatch, booking.starts_at)
    assert (await record(booking, 0, "11.000")).state == "booked"
    [own] = await bills(booking)
    assert await lines(own) == [("fuel", 3805)]
    at(monkeypatch, booking.starts_at)
    await miss(await change(booking, state="fueling"), 1)
    await settled(monkeypatch, booking)
    own, empty = await bills(booking)
    assert (own.state, empty.state) == ("paid", "void")


async def test_a_correction_by_the_technician_is_of_the_bill_with_the_car(bank, monkeypatch):
    who, booking = await a_booking(cars=2)
    gone = await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))
    at(monkeypatch, booking.starts_at)
    first, second = await kept(gone, 0), await kept(gone, 1)
    await decide("charge", first)
    await settled(monkeypatch, booking)
    await decide("charge", second)
    assert (await record(booking, 1, "9.500")).total == Money(3459 + 3286)
    at(monkeypatch, booking.starts_at + timedelta(minutes=40))
    await helpers.run(helpers.OPEN_FILL, helpers.SETTLE)
    form = fills.parse_fill(FILLED | {"gallons": "9.000"}, clock.now())
    async with transaction() as session:
        await fills.record_fill(
            session,
            STAFF,
            booking.id,
            "technician",
            form,
            fill_id=booking.fills[1].id,
            at=clock.now(),
        )
    main, own = await bills(booking)
    assert (main.refunded_cents, own.refunded_cents) == (0, 3286 - 3113)
    assert len(await helpers.said("completed")) == 2


async def test_a_charge_on_the_road_leaves_the_other_car_to_be_filled(monkeypatch):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    await change(booking, state="fueling")
    question = await kept(booking, 0)
    await decide("charge", question)
    now = await now_of(booking)
    assert (now.state, [each.outcome for each in now.fills]) == ("fueling", ["filled", ""])
    with pytest.raises(FilledAlready):
        await decide("charge", await kept(now, 0, "9.000"))
    assert (await record(booking, 1)).total == Money(6918)


async def test_gallons_are_confirmed_while_another_car_is_to_come(monkeypatch):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    await change(booking, state="fueling")
    async with transaction() as session:
        form = fills.parse_fill(FILLED | {"gallons": "40.000"}, clock.now())
        car = booking.fills[0].id
        await fills.record_fill(
            session, STAFF, booking.id, "technician", form, fill_id=car, at=clock.now()
        )
        [question], _ = await fills.unanswered_questions(session, 5)
    await decide("confirm", question.id)
    now = await now_of(booking)
    assert (now.state, now.is_checked) == ("fueling", False)
    assert (await record(booking, 1)).total == Money(13_836 + 3459)


async def test_a_car_about_which_the_office_is_asked_stays_on_the_visit():
    who, booking = await a_booking(cars=2)
    await kept(booking, 1)
    ids = (who.car_id,)
    seen = await cars.estimate_cars(who.actor, booking.id, ids)
    with pytest.raises(CarAsked):
        await cars.change_cars(who.actor, booking.id, booking.revision, ids, seen=seen)


async def test_no_car_is_changed_once_the_window_has_begun(monkeypatch):
    who, booking = await a_booking(cars=2)
    at(monkeypatch, booking.ends_at + timedelta(minutes=1))
    ids = (who.car_id,)
    seen = await cars.estimate_cars(who.actor, booking.id, ids)
    with pytest.raises(PleaseCall):
        await cars.change_cars(who.actor, booking.id, booking.revision, ids, seen=seen)


async def test_a_change_of_cars_leaves_one_hold_on_the_card(bank, monkeypatch):
    who, booking = await a_booking(cars=2)
    ids = (who.car_id,)
    seen = await cars.estimate_cars(who.actor, booking.id, ids)
    changed = await cars.change_cars(who.actor, booking.id, booking.revision, ids, seen=seen)
    await helpers.authorized(monkeypatch, changed)
    [hold] = await stored_payments()
    assert (hold.state, hold.amount_cents) == ("authorized", 6100)


async def test_a_swapped_car_takes_the_fill_that_the_other_one_gives_back():
    who, booking = await a_booking(cars=2)
    other = booking.fills[1].car.id
    third = helpers.a_car(who.id, 77)
    async with transaction() as session:
        session.add(third)
    ids = (who.car_id, third.id)
    estimate = await cars.estimate_cars(who.actor, booking.id, ids)
    assert other not in ids
    assert [each.pays_by for each in estimate.fills] == ["allowance", "allowance"]
    assert estimate.fills[1].fills_left == 3  # of four, one is kept by the first car


async def test_a_swapped_car_is_free_as_the_one_that_leaves_was(monkeypatch):
    offer_free_fills(monkeypatch)
    who, booking = await a_booking(cars=2)
    free, covered = booking.fills
    third = helpers.a_car(who.id, 77)
    async with transaction() as session:
        session.add(third)
    ids = (covered.car.id, third.id)
    seen = await cars.estimate_cars(who.actor, booking.id, ids)
    now = await cars.change_cars(who.actor, booking.id, booking.revision, ids, seen=seen)
    assert free.pays_by == "free_fill"
    assert [each.pays_by for each in now.fills] == ["allowance", "free_fill"]


async def test_a_free_first_fill_that_has_come_back_is_paid_when_staff_record_it(monkeypatch):
    offer_free_fills(monkeypatch)
    who, booking = await a_booking(cars=2)
    assert booking.fills[0].pays_by == "free_fill"
    gone = await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))
    at(monkeypatch, booking.starts_at)
    assert await rows(FreeFill) == []
    await decide("charge", await kept(gone, 1))
    done = await record(booking, 0)
    assert (done.fills[0].pays_by, done.total) == ("fee", Money(6918))


async def test_a_visit_that_nobody_ends_is_shown_and_ended_by_the_office(monkeypatch):
    _, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at)
    half = await record(booking, 0)
    at(monkeypatch, booking.starts_at + timedelta(days=1))
    async with reading() as session:
        [line] = (await attention.left_at_work(session, clock.now())).lines
    assert line.detail.startswith("Not ended: 2020 Toyota Corolla. ")
    with pytest.raises(BookingChanged):
        await fill_records.give_up_car(STAFF, half.id, 1, half.fills[1].id)
    await fill_records.give_up_car(STAFF, half.id, half.revision, half.fills[1].id)
    done = await now_of(booking)
    assert (done.state, done.late_fee, done.total) == ("completed", Money(0), Money(3459))
    async with reading() as session:
        assert (await attention.left_at_work(session, clock.now())).lines == ()
