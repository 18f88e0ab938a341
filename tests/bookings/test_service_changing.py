"""Moving and cancelling: until when, at what cost, and what goes along."""

from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import SYSTEM
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import (
    BookingChanged,
    BookingGone,
    FeeChanged,
    OtherArea,
    PleaseCall,
    SlotFull,
    SlotPast,
)
from fuel_app.bookings.service import access, bookings, changes
from fuel_app.bookings.service.slots import LATE_FEE
from fuel_app.bookings.tables import FreeFill, StoredBooking
from fuel_app.kit import policies
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money, dollars
from fuel_app.kit.outbox import Message
from fuel_app.plans.rules.ledger import NoFillsLeft
from fuel_app.plans.tables import Subscription
from tests.helpers.bookings import (
    CAR,
    NOW,
    STAFF,
    a_customer,
    an_area,
    at,
    booked,
    offer_free_fills,
    seen_by,
    slot,
    taken,
)
from tests.helpers.people import rows
from tests.helpers.plans import fills_left

pytestmark = pytest.mark.usefixtures("database", "_clock")

FREE = Money(0)


async def in_state(state):
    async with transaction() as session:
        await session.execute(update(StoredBooking).values(state=state))


async def balances():
    return {str(period): left for (period, _), left in (await fills_left()).items()}


async def waiting(kind):
    return sorted(each.key or "" for each in await rows(Message, kind=kind, state="queued"))


async def test_moving_takes_the_new_place_frees_the_old_and_keeps_the_price():
    area, who = await an_area(), await a_customer()
    before = await booked(who, slot(area, 3))
    moved = await changes.move(who.actor, before.id, 1, slot(area, 4, 10))
    assert (moved.slot_id, moved.revision, moved.state) == (slot(area, 4, 10), 2, "booked")
    assert moved.fills[0].price == before.fills[0].price
    assert (await taken(slot(area, 3)), await taken(slot(area, 4, 10))) == (0, 1)
    assert [each.kind for each in await access.list_steps(before.id)] == ["book", "move"]
    assert await balances() == {"2026-11-23": 3}


async def test_reminders_of_the_former_window_are_withdrawn():
    area, who = await an_area(), await a_customer()
    before = await booked(who, slot(area, 3))
    await changes.move(who.actor, before.id, 1, slot(area, 4))
    for kind in ("day_before", "hour_before"):
        assert await waiting(kind) == [f"{kind}:{before.id}:2:{each}" for each in ("mail", "sms")]
    (mail,) = [m for m in await rows(Message, kind="booking_moved") if m.channel == "mail"]
    assert "November 26" in mail.payload["before"]
    await changes.move(who.actor, before.id, 2, slot(area, 3))
    assert await waiting("day_before") == [
        f"day_before:{before.id}:3:{each}" for each in ("mail", "sms")
    ]


async def test_second_press_of_move_changes_nothing_more():
    area, who = await an_area(), await a_customer()
    before = await booked(who, slot(area, 3))
    first = await changes.move(who.actor, before.id, 1, slot(area, 4))
    assert await changes.move(who.actor, before.id, 1, slot(area, 4)) == first
    with pytest.raises(BookingChanged):
        await changes.move(who.actor, before.id, 1, slot(area, 2))


async def test_moving_into_a_full_slot_keeps_the_former_place():
    area, who, other = await an_area(capacity=1), await a_customer(), await a_customer(2)
    before = await booked(who, slot(area, 3))
    await booked(other, slot(area, 4))
    with pytest.raises(SlotFull):
        await changes.move(who.actor, before.id, 1, slot(area, 4))
    assert await access.find(who.actor, before.id) == before
    assert await taken(slot(area, 3)) == 1


async def test_moving_into_the_next_period_takes_its_fill_instead():
    area, who = await an_area(), await a_customer(plan="big-family")
    before = await booked(who, slot(area, 3))
    await in_period(who)
    moved = await changes.move(who.actor, before.id, 1, slot(area, 17))
    assert moved.fills[0].period != before.fills[0].period
    assert (await balances())[str(before.fills[0].period)] == 10
    assert (await balances())[str(moved.fills[0].period)] == 9


async def in_period(who, **more):
    """Let the plan's period end in ten days."""
    first, ends = NOW.date() - timedelta(days=20), NOW.date() + timedelta(days=10)
    period = {"anchor": first, "period_starts": first, "period_ends": ends}
    async with transaction() as session:
        theirs = update(Subscription).where(Subscription.person_id == who.id)
        await session.execute(theirs.values(**period, **more))


async def test_moving_beyond_the_plans_reach_is_refused():
    area, who = await an_area(), await a_customer()
    before = await booked(who, slot(area, 3))
    await in_period(who, cancel_at_period_end=True)
    with pytest.raises(NoFillsLeft):
        await changes.move(who.actor, before.id, 1, slot(area, 11))
    assert await access.find(who.actor, before.id) == before


async def test_guest_fill_moves_within_its_quarter():
    area, who = await an_area(), await a_customer(plan="big-family")
    request = who.wants(slot(area, 2), car=CAR)
    seen = await bookings.estimate_fill(who.actor, request)
    before = await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)
    moved = await changes.move(who.actor, before.id, 1, slot(area, 3))
    assert moved.fills[0].period == before.fills[0].period


async def test_late_cancellation_costs_the_fee_that_was_shown(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1))
    at(monkeypatch, found.starts_at - timedelta(hours=1))
    with pytest.raises(FeeChanged) as raised:
        await changes.cancel(who.actor, found.id, 1, seen_fee=FREE)
    assert raised.value.fee == dollars(15)
    ended = await changes.cancel(who.actor, found.id, 1, seen_fee=dollars(15))
    assert (ended.state, ended.late_fee, ended.ended_by) == ("cancelled", dollars(15), "customer")
    assert await balances() == {"2026-11-23": 4}


async def test_late_fee_is_the_one_agreed_at_booking_whatever_the_figure_is_by_now(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1))
    async with transaction() as session:
        await policies.put(session, LATE_FEE.name, 1500, 2000)
    assert (await booked(who, slot(area, 2))).late_fee_agreed == dollars(20)
    await changes.move(who.actor, found.id, 1, slot(area, 1, 10))
    (mail,) = [m for m in await rows(Message, kind="booking_moved") if m.channel == "mail"]
    assert mail.payload["late_fee"] == "$15.00"
    at(monkeypatch, found.starts_at + timedelta(hours=1))
    ended = await changes.cancel(who.actor, found.id, 2, seen_fee=dollars(15))
    assert ended.late_fee == dollars(15)


async def test_cancelling_gives_place_fill_and_reminders_back():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    ended = await changes.cancel(who.actor, found.id, 1, seen_fee=FREE, reason=" Sold it ")
    assert (ended.state, ended.late_fee, ended.reason) == ("cancelled", FREE, "Sold it")
    assert await taken(slot(area, 3)) == 0
    assert await balances() == {"2026-11-23": 4}
    assert await waiting("day_before") == []
    (mail,) = [m for m in await rows(Message, kind="booking_cancelled") if m.channel == "mail"]
    assert mail.payload["charge"] == "None"
    assert await access.past(who.actor) == (ended,)


async def test_cancelled_booking_is_cancelled_once():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    await changes.cancel(who.actor, found.id, 1, seen_fee=FREE)
    for revision in (1, 2):
        with pytest.raises(BookingChanged):
            await changes.cancel(who.actor, found.id, revision, seen_fee=FREE)
    with pytest.raises(BookingChanged):
        await changes.move(who.actor, found.id, 2, slot(area, 4))


async def test_note_for_one_visit_is_given_and_changed_until_the_technician_sets_out():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area, 3), notes="Behind the house")
    key, seen = str(uuid4()), await seen_by(who, request)
    found = await bookings.book(who.actor, request, key=key, seen=seen)
    assert found.place.notes == "Behind the house"
    now = found
    for _ in range(2):  # a double click
        now = await changes.change_notes(who.actor, found.id, {"notes": " In front "})
    assert (now.place.notes, now.revision) == ("In front", found.revision)
    assert [each.kind for each in await access.list_steps(found.id)] == ["book", "note"]
    with pytest.raises(InvalidForm):
        await changes.change_notes(who.actor, found.id, {"notes": "x" * 1001})
    other = await a_customer(2)
    with pytest.raises(BookingGone):
        await changes.change_notes(other.actor, found.id, {"notes": "Mine"})
    for state, refusal in (("en_route", PleaseCall), ("completed", BookingChanged)):
        await in_state(state)
        with pytest.raises(refusal):
            await changes.change_notes(who.actor, found.id, {"notes": "Too late"})


async def test_from_on_the_way_customers_are_asked_to_call():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    await in_state("en_route")
    with pytest.raises(PleaseCall):
        await changes.cancel(who.actor, found.id, 1, seen_fee=FREE)
    with pytest.raises(PleaseCall):
        await changes.move(who.actor, found.id, 1, slot(area, 4))
    now = await access.find(who.actor, found.id)
    assert now is not None
    assert changes.allowed_changes(who.actor, now).note == PleaseCall.message


async def test_weather_hold_is_moved_freely_and_may_stay_in_its_slot():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1))
    await in_state("weather_hold")
    moved = await changes.move(who.actor, found.id, 1, slot(area, 1))
    assert (moved.state, await taken(slot(area, 1))) == ("booked", 1)


async def test_slot_of_another_area_or_the_past_is_no_place_to_move_to():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    with pytest.raises(OtherArea):
        await changes.move(who.actor, found.id, 1, slot(str(uuid4())))
    with pytest.raises(SlotPast):
        await changes.move(who.actor, found.id, 1, slot(area, 0, 14))


async def test_free_first_fill_goes_with_its_cancelled_booking(monkeypatch):
    offer_free_fills(monkeypatch)
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    await changes.cancel(who.actor, found.id, 1, seen_fee=FREE)
    assert await rows(FreeFill) == []
    assert (await booked(who, slot(area, 3))).fills[0].pays_by == "free_fill"


async def test_in_a_transaction_of_the_staffs_bookings_are_cancelled_free_of_charge():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    async with transaction() as session:
        ended = await changes.cancel_free(session, found.id, actor=STAFF, reason="It closes")
    assert (ended.state, ended.reason, ended.late_fee) == ("cancelled", "It closes", FREE)
    with pytest.raises(BookingChanged):
        async with transaction() as session:
            await changes.cancel_free(session, found.id, actor=SYSTEM, reason="Again")


async def test_step_of_another_revision_changes_nothing(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))

    async def other(*_):
        return False

    monkeypatch.setattr(queries, "change", other)
    with pytest.raises(BookingChanged):
        await changes.cancel(who.actor, found.id, 1, seen_fee=FREE)
    assert await taken(slot(area, 3)) == 1
