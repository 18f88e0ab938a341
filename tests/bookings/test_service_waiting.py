"""Waiting for a full window: who may, in which order seats are offered, and when none is."""

import asyncio
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import delete, update
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.areas import queries as areas
from fuel_app.areas.rules.areas import PAUSED
from fuel_app.areas.rules.hours import ALL_DAY, DayException, default_week
from fuel_app.areas.tables import Area
from fuel_app.bookings import jobs
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.waiting import BookedAlready, HasRoom, OwnWaits, TooManyWaits
from fuel_app.bookings.service import bookings, changes, waiting
from fuel_app.bookings.tables import SlotSeat, SlotWait
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import SKIPPED
from fuel_app.messages.rules.delivery import OUTDATED
from fuel_app.plans.tables import Subscription
from tests.helpers.bookings import (
    NOW,
    TODAY,
    Customer,
    a_customer,
    an_area,
    at,
    booked,
    slot,
)
from tests.helpers.outbox import run_worker
from tests.helpers.people import messages, rows

pytestmark = pytest.mark.usefixtures("database", "_clock")

LASTS = timedelta(minutes=15)
HOME = "198.51.100.7"


async def a_full_window(**more: Any) -> tuple[str, Customer, Booking]:
    """Return the only window of an area with one seat, and who has booked it."""
    area, who = await an_area(capacity=1), await a_customer(plan="big-family")
    return area, who, await booked(who, slot(area, **more))


async def waiting_customers(slot_id: str, *numbers: int, plan: str = "family") -> list[Customer]:
    """Return customers who wait for a window, in this order."""
    known = [await a_customer(number, plan=plan) for number in numbers]
    for who in known:
        await waiting.wait_for(who.actor, slot_id)
    return known


async def cancel(who: Customer, booking: Booking) -> None:
    await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))


async def offers() -> list[str]:
    """Return to whom seats were offered, in order."""
    return [each.person_id or "" for each in await messages(waiting.KIND) if each.channel == "mail"]


async def held() -> list[str]:
    return [each.hold_id for each in await rows(SlotSeat) if each.hold_id]


async def pending() -> list[str]:
    """Return the windows of the jobs that offer seats."""
    return [each.payload["slot"] for each in await rows(StoredJob) if each.kind == waiting.OFFER]


async def test_seat_that_is_given_back_is_offered_to_the_first_then_to_the_next(monkeypatch):
    area, owner, booking = await a_full_window()
    window = slot(area)
    first, second = await waiting_customers(window, 2, 3)
    assert await jobs.offer_seats(NOW) == 0
    await cancel(owner, booking)
    assert await pending() == [window]
    await run_worker()
    await run_worker()
    assert await offers() == [first.id]
    own = await waiting.read_own(first.actor)
    offer = own.offer(window)
    assert offer
    assert (offer.until, own.slot_ids, await held()) == (NOW + LASTS, (window,), [offer.hold_id])
    assert (await waiting.read_own(second.actor)).offers == ()
    with pytest.raises(refusals.SlotFull):
        await booked(second, window)

    at(monkeypatch, NOW + LASTS)
    assert await waiting.read_own(first.actor) == OwnWaits(may_wait=True)
    assert await jobs.offer_seats(clock.now()) == 1
    assert await offers() == [first.id, second.id]
    with pytest.raises(refusals.SlotFull):  # who was too late does not have it
        await booked(first, window, hold_id=offer.hold_id)
    theirs = (await waiting.read_own(second.actor)).offer(window)
    assert theirs
    await booked(second, window, hold_id=theirs.hold_id)
    assert (await rows(SlotWait), await held()) == ([], [])


async def test_message_says_until_when_and_leads_to_the_window():
    area, owner, booking = await a_full_window()
    await waiting_customers(slot(area), 2)
    await cancel(owner, booking)
    await run_worker()
    mail = next(each for each in await messages(waiting.KIND) if each.channel == "mail")
    assert mail.good_until == NOW + LASTS
    assert mail.body
    assert "until 10:15 AM" in mail.body
    assert f"/schedule/time?window={slot(area)}" in mail.body


async def test_jobs_at_one_moment_offer_each_seat_once():
    area = await an_area(capacity=2)
    owners = [await a_customer(number) for number in (1, 2)]
    made = [await booked(each, slot(area)) for each in owners]
    known = await waiting_customers(slot(area), 3, 4, 5)
    for owner, booking in zip(owners, made, strict=True):
        await cancel(owner, booking)
    await asyncio.gather(*(waiting.offer(slot(area)) for _ in range(4)))
    assert sorted(await offers()) == sorted(each.id for each in known[:2])
    assert len(await held()) == 2


async def test_worker_that_dies_before_its_commit_has_offered_nothing(monkeypatch):
    area, owner, booking = await a_full_window()
    (first,) = await waiting_customers(slot(area), 2)
    await cancel(owner, booking)

    async def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(waiting.outbox, "add_all", dies)
        with pytest.raises(KeyboardInterrupt):
            await waiting.offer(slot(area))
    assert (await held(), await offers()) == ([], [])
    await run_worker()
    assert await offers() == [first.id]


async def test_seat_of_a_booking_that_moves_is_offered():
    area, owner, booking = await a_full_window()
    (first,) = await waiting_customers(slot(area), 2)
    await changes.move(owner.actor, booking.id, booking.revision, slot(area, 2))
    await run_worker()
    assert await offers() == [first.id]


async def test_hold_that_lapses_and_more_capacity_are_found_by_the_schedule(monkeypatch):
    area = await an_area(capacity=1)
    await bookings.hold_slot(slot(area), str(uuid4()), HOME)
    first, second = await waiting_customers(slot(area), 2, 3)
    at(monkeypatch, NOW + LASTS)
    assert await jobs.offer_seats(clock.now()) == 1
    assert await offers() == [first.id]
    async with transaction() as session:
        await areas.set_week(session, area, default_week(2))
    assert await jobs.offer_seats(clock.now()) == 1
    assert await offers() == [first.id, second.id]


@pytest.mark.parametrize(
    ("moment", "offered"),
    [("07:59", 0), ("08:00", 1), ("19:44", 1), ("19:46", 0), ("19:59", 0), ("20:00", 0)],
)
async def test_offers_go_out_by_day_while_there_is_time_to_book(monkeypatch, moment, offered):
    area, owner, booking = await a_full_window(day=1)
    await waiting_customers(slot(area), 2)
    await cancel(owner, booking)
    at(monkeypatch, datetime.fromisoformat(f"{TODAY}T{moment}-05:00"))
    assert await waiting.offer(slot(area)) == offered


async def test_window_two_days_ahead_is_offered_until_the_evening(monkeypatch):
    area, owner, booking = await a_full_window(day=2)
    await waiting_customers(slot(area, 2), 2)
    await cancel(owner, booking)
    at(monkeypatch, datetime.fromisoformat(f"{TODAY}T20:00-05:00"))
    assert await waiting.offer(slot(area, 2)) == 0
    at(monkeypatch, datetime.fromisoformat(f"{TODAY}T19:59-05:00"))
    assert await waiting.offer(slot(area, 2)) == 1


async def test_who_has_booked_or_may_not_book_the_window_is_passed_over():
    area = await an_area(capacity=1)
    owner = await a_customer(1, plan="big-family")
    booking = await booked(owner, slot(area, 14))
    mover, switched, last = await waiting_customers(slot(area, 14), 2, 3, 4)
    elsewhere = await booked(mover, slot(area, 2))
    async with transaction() as session:
        theirs = update(Subscription).where(col(Subscription.person_id) == switched.id)
        await session.execute(theirs.values(plan_id="solo"))  # seven days ahead
    await cancel(owner, booking)
    await changes.move(mover.actor, elsewhere.id, elsewhere.revision, slot(area, 14))
    async with transaction() as session:
        await areas.set_week(session, area, default_week(2))
    await run_worker()
    assert await offers() == [last.id]


async def test_who_is_deactivated_or_has_to_pay_first_is_passed_over():
    _, owner, booking = await a_full_window()
    gone, unpaid, last = await waiting_customers(booking.slot_id, 2, 3, 4)
    async with transaction() as session:
        (await session.get_one(Person, gone.id)).deactivated_at = NOW
        (await session.get_one(Subscription, unpaid.id)).state = "past_due"
    await cancel(owner, booking)
    await run_worker()
    assert await offers() == [last.id]


async def test_closed_window_and_paused_area_are_not_offered():
    area, owner, booking = await a_full_window()
    await waiting_customers(slot(area), 2)
    await cancel(owner, booking)
    async with transaction() as session:
        closed = DayException(TODAY + timedelta(days=1), ALL_DAY, 0, "Storm")
        await areas.set_exceptions(session, area, TODAY, (closed,))
    assert await waiting.offer(slot(area)) == 0
    async with transaction() as session:
        await areas.set_exceptions(session, area, TODAY, ())
        await session.execute(update(Area).values(status=PAUSED))
    assert await waiting.offer(slot(area)) == 0
    async with transaction() as session:
        await session.execute(delete(SlotWait))
    assert await waiting.offer(slot(str(uuid4()))) == 0


async def test_seat_that_others_take_meanwhile_is_not_offered(monkeypatch):
    area, owner, booking = await a_full_window()
    await waiting_customers(slot(area), 2)
    await cancel(owner, booking)
    other = await a_customer(3)

    async def taken(*_: Any, **__: Any) -> bool:
        return False

    with monkeypatch.context() as full:
        full.setattr(waiting.queries, "take_seat", taken)
        assert await waiting.offer(slot(area)) == 0
    assert [each.offered_until for each in await rows(SlotWait)] == [None]
    await booked(other, slot(area))


async def test_wait_ends_with_its_window(monkeypatch):
    area, *_ = await a_full_window()
    (first,) = await waiting_customers(slot(area), 2)
    begins = NOW + timedelta(hours=22)
    at(monkeypatch, begins)
    assert (await waiting.read_own(first.actor)).slot_ids == ()
    await jobs.offer_seats(begins)
    assert await rows(SlotWait) == []


async def test_who_leaves_gives_the_seat_to_the_next_and_gets_no_message(monkeypatch):
    area, owner, booking = await a_full_window()
    first, second = await waiting_customers(slot(area), 2, 3)
    await cancel(owner, booking)
    assert await waiting.offer(slot(area)) == 1
    await waiting.leave(first.actor, slot(area))
    await waiting.leave(first.actor, slot(area))
    await run_worker()
    assert await offers() == [first.id, second.id]
    states = {(each.person_id, each.state, each.error) for each in await messages(waiting.KIND)}
    assert (first.id, SKIPPED, OUTDATED) in states
    await waiting.leave(second.actor, slot(area))
    assert (await rows(SlotWait), await held()) == ([], [])


async def test_leaving_without_an_offer_frees_nothing():
    area, *_ = await a_full_window()
    (first,) = await waiting_customers(slot(area), 2)
    await waiting.leave(first.actor, slot(area))
    assert (await rows(SlotWait), await pending()) == ([], [])


async def test_booking_the_window_by_another_way_ends_the_wait():
    area, owner, booking = await a_full_window()
    (first,) = await waiting_customers(slot(area), 2)
    await cancel(owner, booking)
    await booked(first, slot(area))
    assert await rows(SlotWait) == []


async def test_booking_without_the_offered_seat_gives_it_to_the_next():
    area = await an_area(capacity=2)
    owner, other = await a_customer(), await a_customer(4)
    booking = await booked(owner, slot(area))
    second = await booked(other, slot(area))
    first, last = await waiting_customers(slot(area), 2, 3)
    await cancel(owner, booking)
    await waiting.offer(slot(area))
    await cancel(other, second)
    await booked(first, slot(area))
    assert await held() == []
    assert await waiting.offer(slot(area)) == 1
    assert await offers() == [first.id, last.id]


async def test_customer_waits_once_for_a_window_and_for_five_at_most(monkeypatch):
    area, owner = await an_area(capacity=1), await a_customer(1, plan="big-family")
    who = await a_customer(2)
    windows = [slot(area, day, opens) for day in (1, 2) for opens in (8, 10, 14)]
    for each in windows:
        await bookings.hold_slot(each, str(uuid4()), f"203.0.113.{windows.index(each)}", owner.id)
    for each in windows[:5]:
        await waiting.wait_for(who.actor, each)
    await waiting.wait_for(who.actor, windows[0])
    with pytest.raises(TooManyWaits):
        await waiting.wait_for(who.actor, windows[5])
    assert [each.slot_id for each in await rows(SlotWait)] == windows[:5]
    async with transaction() as session:  # an offer that has lapsed counts no more
        await session.execute(
            update(SlotWait)
            .where(col(SlotWait.slot_id) == windows[0])
            .values(offered_until=NOW - LASTS)
        )
    await waiting.wait_for(who.actor, windows[0])
    assert {each.offered_until for each in await rows(SlotWait)} == {None}


async def refused(who: Customer, slot_id: object) -> Refusal | None:
    try:
        await waiting.wait_for(who.actor, slot_id)
    except Refusal as refusal:
        return refusal
    return None


async def test_only_who_could_book_a_full_window_waits_for_it():
    area, owner, _ = await a_full_window()
    who = await a_customer(2)
    unverified = await a_customer(3, email_verified_at=None)
    cardless = await a_customer(4, has_card=False)
    assert type(await refused(owner, slot(area))) is BookedAlready
    assert type(await refused(who, slot(area, 2))) is HasRoom
    assert type(await refused(who, slot(area, 18))) is refusals.SlotPast
    assert type(await refused(who, "no slot")) is refusals.SlotClosed
    assert type(await refused(unverified, slot(area))) is refusals.NeedsVerifiedEmail
    assert type(await refused(cardless, slot(area))) is refusals.NeedsCard
    may = [(await waiting.read_own(each.actor)).may_wait for each in (who, unverified, cardless)]
    assert may == [True, False, False]
    async with transaction() as session:
        await session.execute(
            delete(StoredCustomer).where(col(StoredCustomer.person_id) == cardless.id)
        )
    assert await waiting.read_own(cardless.actor) == OwnWaits(may_wait=False)
