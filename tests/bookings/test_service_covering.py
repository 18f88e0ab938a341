"""Booked fills as the plan changes: moved along, asked for their fee, covered again."""

from datetime import date, timedelta

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.tables import Area
from fuel_app.bookings.rules.bookings import BookingChanged, BookingGone, Request
from fuel_app.bookings.service import access, bookings, changes
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.money import Money, dollars
from fuel_app.outcomes.service import plans
from fuel_app.plans.rules.ledger import GUEST, NoFillsLeft
from fuel_app.plans.tables import Subscription
from tests.helpers.bookings import (
    CAR,
    NOW,
    PLACE,
    STAFF,
    TODAY,
    a_customer,
    an_area,
    at,
    booked,
    seen_by,
    slot,
    stored,
)
from tests.helpers.people import messages, rows
from tests.helpers.periods import (
    active_again,
    balances,
    end,
    later,
    past_due,
    renew,
    start,
    switch,
    undo,
)
from tests.helpers.plan_money import by

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")

ENDS = TODAY + timedelta(days=3)
STARTED = date(2026, 10, 26)


async def subscriber(plan="family"):
    """Return a customer whose period ends in three days."""
    who = await a_customer(plan=plan)
    period = {"anchor": STARTED, "period_starts": STARTED, "period_ends": ENDS}
    async with transaction() as session:
        await session.execute(update(Subscription).values(**period))
    return who


async def the_row() -> StoredBooking:
    [row] = await stored()
    return row


async def asked_mails():
    return [each for each in await messages("fee_asked") if each.channel == "mail"]


async def kinds(who, booking_id):
    return [each.kind for each in await access.list_steps(booking_id)]


async def test_switch_up_moves_what_was_reserved_along():
    area, who = await an_area(), await subscriber("solo")
    soon, ahead = await booked(who, slot(area, 2)), await booked(who, slot(area, 4))
    assert (soon.fills[0].period, ahead.fills[0].period) == (STARTED, ENDS)
    await switch(who.id, "family", TODAY)
    assert {row.fills[0].period for row in await stored()} == {TODAY}
    assert {row.revision for row in await stored()} == {1}
    assert await balances(who.id) == {STARTED: 0, ENDS: 0, TODAY: 2}
    assert await asked_mails() == []


async def test_booking_ahead_stays_reserved_across_the_renewal(monkeypatch):
    area, who = await an_area(), await subscriber()
    ahead = await booked(who, slot(area, 4))
    at(monkeypatch, NOW + timedelta(days=3))
    assert await renew(who.id)
    assert await access.find(who.actor, ahead.id) == ahead
    assert (await balances(who.id))[ENDS] == 3


async def test_cancelled_plan_asks_for_the_fee_and_undo_covers_again():
    area, who = await an_area(), await subscriber()
    await booked(who, slot(area, 2))
    ahead = await booked(who, slot(area, 4))
    for count in (1, 2):
        await later(who.id)
        asked = await access.find(who.actor, ahead.id)
        assert asked
        assert (asked.fee_asked_at, asked.asked_fee, asked.revision) == (NOW, dollars(15), 1)
        assert (await balances(who.id))[ENDS] == 0
        [row] = [row for row in await stored() if row.fills[0].fee_asked_at]
        assert row.id == ahead.id
        await undo(who.id)
        assert await access.find(who.actor, ahead.id) == ahead
        assert (await balances(who.id))[ENDS] == 3
        assert (await kinds(who, ahead.id))[1:] == ["ask_fee", "cover"] * count
    [mail] = await asked_mails()  # at one moment it is told once
    assert (mail.payload["fee"], mail.payload["booking"]) == ("$15.00", ahead.id)


async def test_past_due_plan_asks_and_is_asked_no_more_when_paid(monkeypatch):
    area, who = await an_area(), await subscriber()
    made = await booked(who, slot(area, 2))
    await past_due(who.id)
    assert (await the_row()).fills[0].fee_asked_at == NOW
    at(monkeypatch, NOW + timedelta(hours=1))
    await active_again(who.id)
    assert await access.find(who.actor, made.id) == made
    await past_due(who.id)
    assert len(await asked_mails()) == 2


async def test_plan_that_ends_asks_and_the_tax_of_the_area_is_added():
    area, who = await an_area(), await subscriber()
    await booked(who, slot(area, 2))
    async with transaction() as session:
        await session.execute(update(Area).values(tax_basis_points=700))
    await end(who.id)
    row = await the_row()
    assert (row.fills[0].fee_cents, row.fills[0].tax_cents) == (1500, 105)
    await start(who.id, TODAY, "solo")
    row = await the_row()
    assert (row.fills[0].fee_cents, row.fills[0].tax_cents, row.fills[0].period) == (0, 0, TODAY)


async def test_smaller_plan_to_come_asks_for_the_latest_bookings():
    area, who = await an_area(), await subscriber()
    made = [await booked(who, slot(area, day)) for day in (9, 7, 8)]
    await later(who.id, "solo")
    found = [await access.find(who.actor, each.id) for each in made]
    assert [bool(each and each.fee_asked_at) for each in found] == [True, False, False]
    assert (await balances(who.id))[ENDS] == 0
    await undo(who.id)
    assert [row.fills[0].fee_asked_at for row in await stored()] == [None] * 3
    assert (await balances(who.id))[ENDS] == 1


async def test_larger_plan_covers_what_was_asked_for():
    area, who = await an_area(), await subscriber("solo")
    for day in (4, 5):
        await booked(who, slot(area, day))
    await later(who.id)
    await switch(who.id, "family", TODAY)
    assert [(row.fills[0].fee_asked_at, row.fills[0].period) for row in await stored()] == [
        (None, TODAY)
    ] * 2


async def test_larger_plan_covers_what_had_a_fee_beyond_the_former_ones_fills():
    area, who = await an_area(), await subscriber("solo")
    await booked(who, slot(area, 1))
    await booked(who, slot(area, 2))
    beyond = await booked(who, slot(area, 1, 14))
    [fill] = beyond.fills
    assert (fill.pays_by, fill.fee, fill.period) == ("fee", dollars(15), None)
    assert await changes.covered_since(who.id, NOW) == []
    await switch(who.id, "family", TODAY)
    spared = await access.find(who.actor, beyond.id)
    assert spared
    [fill] = spared.fills
    assert (fill.pays_by, fill.fee, fill.period) == ("allowance", Money(0), TODAY)
    assert (spared.revision, spared.fee_asked_at) == (1, None)
    assert (await balances(who.id))[TODAY] == 1
    assert await kinds(who, beyond.id) == ["book", "cover"]
    assert await changes.covered_since(who.id, NOW) == [spared]
    said = await plans.covered_text(by(who.id), NOW)
    assert said == ". It covers a booked fill-up: no fee"
    assert await asked_mails() == []


async def test_what_takes_a_fill_already_comes_before_what_has_a_fee():
    area, who = await an_area(), await subscriber("solo")
    await booked(who, slot(area, 1))
    await booked(who, slot(area, 2))
    soonest = await booked(who, slot(area, 1, 14))  # beyond the plan's fills
    for day in (4, 5):
        await booked(who, slot(area, day))
    await later(who.id)  # the next period's are asked for their fee
    await switch(who.id, "family", TODAY)
    assert {row.id for row in await stored() if row.fills[0].pays_by == "fee"} == {soonest.id}
    assert (await balances(who.id))[TODAY] == 0


async def test_plan_that_starts_covers_what_was_booked_with_a_fee_before():
    area, who = await an_area(), await a_customer(plan="solo", state="incomplete")
    await booked(who, slot(area, 1))
    await booked(who, slot(area, 2))
    await booked(who, slot(area, 3))
    await start(who.id, TODAY, "solo")
    assert [row.fills[0].pays_by for row in await stored()] == ["allowance", "allowance", "fee"]
    await later(who.id)
    assert [row.fills[0].pays_by for row in await stored()] == ["allowance", "allowance", "fee"]


async def test_car_that_is_not_registered_takes_the_larger_plans_guest_fill():
    area, who = await an_area(), await subscriber("family")
    request = Request(slot(area, 2), (CAR,), PLACE)
    await bookings.book(who.actor, request, key="k" * 36, seen=await seen_by(who, request))
    assert (await the_row()).fills[0].pays_by == "fee"
    await switch(who.id, "big-family", TODAY)
    assert (await the_row()).fills[0].pays_by == "guest_fill"
    assert await balances(who.id, GUEST) == {TODAY.replace(month=10, day=1): 0}


async def test_guest_fill_is_asked_for_where_the_plan_has_none():
    area, who = await an_area(), await subscriber("big-family")
    request = Request(slot(area, 4), (CAR,), PLACE)
    seen = await seen_by(who, request)
    await bookings.book(who.actor, request, key="k" * 36, seen=seen)
    assert (await the_row()).fills[0].pays_by == "guest_fill"
    await later(who.id, "family")
    assert (await the_row()).fills[0].fee_asked_at == NOW
    assert await balances(who.id, GUEST) == {TODAY.replace(month=10, day=1): 1}
    await undo(who.id)
    assert (await the_row()).fills[0].fee_asked_at is None


@pytest.mark.parametrize("state", ["en_route", "arrived", "fueling", "completed", "cancelled"])
async def test_booking_that_somebody_drives_to_or_that_has_ended_is_left_alone(state):
    area, who = await an_area(), await subscriber()
    await booked(who, slot(area, 2))
    async with transaction() as session:
        await session.execute(update(StoredBooking).values(state=state))
    await past_due(who.id)
    assert (await the_row()).fills[0].fee_asked_at is None


async def test_customer_chooses_the_fee_once_and_it_stays():
    area, who = await an_area(), await subscriber()
    made = await booked(who, slot(area, 2))
    await past_due(who.id)
    first = await changes.choose_fee(who.actor, made.id, 1, dollars(15))
    assert (first.fills[0].pays_by, first.fills[0].period, first.fills[0].fee) == (
        "fee",
        None,
        dollars(15),
    )
    assert (first.revision, first.fee_asked_at) == (2, None)
    assert await changes.choose_fee(who.actor, made.id, 1, dollars(15)) == first
    with pytest.raises(BookingChanged):
        await changes.choose_fee(who.actor, made.id, 2, dollars(15))
    await active_again(who.id)
    assert await access.find(who.actor, made.id) == first
    assert await kinds(who, made.id) == ["book", "ask_fee", "pay_fee"]
    assert await balances(who.id) == {STARTED: 4}


@pytest.mark.parametrize(("revision", "cents"), [(2, 1500), (1, 1400), (None, 1500), ("1", 1500)])
async def test_choice_of_another_revision_or_fee_is_refused(revision, cents):
    area, who = await an_area(), await subscriber()
    made = await booked(who, slot(area, 2))
    with pytest.raises(BookingChanged):
        await changes.choose_fee(who.actor, made.id, 1, dollars(15))
    await past_due(who.id)
    with pytest.raises(BookingChanged):
        await changes.choose_fee(who.actor, made.id, revision, Money(cents))


@pytest.mark.parametrize("booking_id", ["", None, 7, "x", "019ab000-0000-7000-8000-000000000000"])
async def test_choice_for_an_unknown_booking_finds_none(booking_id):
    who = await subscriber()
    with pytest.raises(BookingGone):
        await changes.choose_fee(who.actor, booking_id, 1, dollars(15))


async def test_choice_for_anothers_booking_finds_none_and_staff_may_choose():
    area, who = await an_area(), await subscriber()
    made = await booked(who, slot(area, 2))
    await past_due(who.id)
    other = Actor(frozenset({Role.CUSTOMER}), "another")
    with pytest.raises(BookingGone):
        await changes.choose_fee(other, made.id, 1, dollars(15))
    assert (await changes.choose_fee(STAFF, made.id, 1, dollars(15))).fills[0].pays_by == "fee"


async def test_cancelling_while_asked_is_free_whatever_the_time(monkeypatch):
    area, who = await an_area(), await subscriber()
    made = await booked(who, slot(area, 2))
    await past_due(who.id)
    at(monkeypatch, made.starts_at - timedelta(minutes=30))
    ended = await changes.cancel(who.actor, made.id, 1, seen_fee=Money(0))
    assert (ended.state, ended.late_fee) == ("cancelled", Money(0))
    assert await balances(who.id) == {STARTED: 4}


async def test_asked_booking_moves_into_a_window_that_the_plan_covers():
    area, who = await an_area(), await subscriber("solo")
    made = await booked(who, slot(area, 4))
    await later(who.id)
    with pytest.raises(NoFillsLeft):
        await changes.move(who.actor, made.id, 1, slot(area, 5))
    moved = await changes.move(who.actor, made.id, 1, slot(area, 2))
    assert (moved.fills[0].fee_asked_at, moved.fills[0].fee, moved.fills[0].period) == (
        None,
        Money(0),
        STARTED,
    )
    assert (await balances(who.id))[STARTED] == 1


async def test_booking_asked_late_on_the_day_waits_for_an_answer_until_two_hours_before():
    area, who = await an_area(), await subscriber()
    await booked(who, slot(area, 1, 14))
    await past_due(who.id)
    [job] = [each for each in await rows(StoredJob) if ":asked:" in (each.key or "")]
    row = await the_row()
    assert day_of(job.run_at) == day_of(row.starts_at)
    assert job.payload["booking"] == row.id
