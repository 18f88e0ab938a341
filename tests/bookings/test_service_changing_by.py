"""Moving and cancelling by staff, guests, and those whose booking it is not."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.tables import Area
from fuel_app.billing.rules.corrections import LimitReached
from fuel_app.billing.service.corrections import REFUND_LIMIT
from fuel_app.billing.tables import WaivedFee
from fuel_app.bookings.rules.bookings import (
    AreaPaused,
    BookingChanged,
    BookingGone,
    FeeChanged,
    NeedsReason,
)
from fuel_app.bookings.service import access, changes, slots
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import policies
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Message
from fuel_app.kit.throttle import MOVES
from tests.helpers.bookings import STAFF, a_customer, an_area, at, booked, booked_by_guest, slot
from tests.helpers.people import a_person, rows

pytestmark = pytest.mark.usefixtures("database", "_clock")

FREE = Money(0)


async def test_staff_change_at_any_time_with_a_reason_and_waive_the_fee(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1))
    async with transaction() as session:
        await session.execute(update(StoredBooking).values(state="en_route"))
    at(monkeypatch, found.starts_at)
    with pytest.raises(NeedsReason):
        await changes.cancel(STAFF, found.id, 1, seen_fee=FREE, waive=True)
    with pytest.raises(FeeChanged):
        await changes.cancel(STAFF, found.id, 1, seen_fee=FREE, reason="Asked by phone")
    ended = await changes.cancel(STAFF, found.id, 1, seen_fee=FREE, reason="Our fault", waive=True)
    assert (ended.ended_by, ended.late_fee, ended.reason) == ("staff", FREE, "Our fault")
    (*_, event) = await access.list_steps(found.id)
    assert (event.kind, event.actor, event.note) == ("cancel", "shared password", "Our fault")


async def test_waived_fees_count_towards_what_staff_may_give(monkeypatch):
    area, who = await an_area(), await a_customer()
    person = await a_person(Role.DISPATCHER, email="zoe@example.com")
    by = Actor(frozenset({Role.DISPATCHER}), person.id)
    async with transaction() as session:
        await policies.put(session, REFUND_LIMIT.name, 5000, 2000)
    first, second = await booked(who, slot(area, 1)), await booked(who, slot(area, 1, 10))
    at(monkeypatch, first.starts_at - timedelta(hours=1))
    why = {"seen_fee": FREE, "reason": "Our fault", "waive": True}
    await changes.cancel(by, first.id, 1, **why)
    [waived] = await rows(WaivedFee)
    assert (waived.booking_id, waived.amount_cents, waived.actor) == (first.id, 1500, str(by))
    at(monkeypatch, second.starts_at - timedelta(hours=1))
    with pytest.raises(LimitReached, match=r"\$5\.00 of \$20\.00 are left for this customer"):
        await changes.cancel(by, second.id, 1, **why)
    found = await access.find(by, second.id)
    assert found
    assert found.state == "booked"


async def test_late_move_by_staff_counts_as_its_fee_waived_once(monkeypatch):
    area, who = await an_area(), await a_customer()
    person = await a_person(Role.DISPATCHER, email="zoe@example.com")
    by = Actor(frozenset({Role.DISPATCHER}), person.id)
    async with transaction() as session:
        await policies.put(session, REFUND_LIMIT.name, 5000, 2000)
    first, second = await booked(who, slot(area, 1)), await booked(who, slot(area, 1, 10))
    at(monkeypatch, first.starts_at - timedelta(hours=1))
    there = slot(area, 1, 14)
    await changes.move(by, first.id, 1, there, reason="Our fault")
    [waived] = await rows(WaivedFee)
    assert (waived.booking_id, waived.amount_cents, waived.actor) == (first.id, 1500, str(by))
    at(monkeypatch, second.starts_at + timedelta(hours=1))
    with pytest.raises(LimitReached, match=r"\$5\.00 of \$20\.00 are left for this customer"):
        await changes.move(by, second.id, 1, slot(area, 2), reason="Our fault")
    found = await access.find(by, second.id)
    assert found
    assert found.slot_id == second.slot_id
    await changes.cancel(by, first.id, 2, seen_fee=FREE, reason="Our fault", waive=True)
    assert len(await rows(WaivedFee)) == 1


async def test_move_without_a_late_fee_is_not_counted_as_waived():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    await changes.move(STAFF, found.id, 1, slot(area, 4), reason="Asked by phone")
    assert await rows(WaivedFee) == []


async def test_fee_that_is_not_due_is_not_counted_as_waived():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    await changes.cancel(STAFF, found.id, 1, seen_fee=FREE, reason="Our fault", waive=True)
    assert await rows(WaivedFee) == []


async def test_customer_cannot_waive_the_fee(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1))
    at(monkeypatch, found.starts_at)
    with pytest.raises(FeeChanged):
        await changes.cancel(who.actor, found.id, 1, seen_fee=FREE, waive=True)


async def test_staff_move_late_and_while_the_area_is_paused(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1, 8))
    async with transaction() as session:
        await session.execute(update(Area).values(status="paused"))
    with pytest.raises(AreaPaused):
        await changes.move(who.actor, found.id, 1, slot(area, 3))
    with pytest.raises(AreaPaused):
        await slots.offered_to_move(who.actor, found)
    at(monkeypatch, found.starts_at)
    days = await slots.offered_to_move(STAFF, found)
    assert found.slot_id not in [each.id for day in days for each in day.slots]
    assert slot(area, 1, 10) in [each.id for day in days for each in day.slots]
    moved = await changes.move(STAFF, found.id, 1, slot(area, 1, 10), reason="Asked by phone")
    assert moved.slot_id == slot(area, 1, 10)


async def test_customers_and_guests_cannot_fill_a_mailbox_by_moving():
    area, who = await an_area(), await a_customer()
    found, other = await booked(who, slot(area, 1)), await booked_by_guest(slot(area, 1))
    guest = access.guest_of(access.manage_token(other))
    assert guest is not None
    for by, its in ((who.actor, found), (guest, other)):
        await changes.move(by, its.id, 1, slot(area, 2))
        for revision in range(2, MOVES.times + 1):
            with pytest.raises(BookingChanged):
                await changes.move(by, its.id, -revision, slot(area, 3))
        with pytest.raises(TooManyRequests):
            await changes.move(by, its.id, 2, slot(area, 3))
    moved = await changes.move(STAFF, found.id, 2, slot(area, 3), reason="Asked by phone")
    assert moved.revision == 3


async def test_member_of_the_staff_is_a_customer_of_their_own_booking(monkeypatch):
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 1))
    at(monkeypatch, found.starts_at)
    both = Actor(frozenset({Role.CUSTOMER, Role.DISPATCHER}), who.id)
    with pytest.raises(FeeChanged):
        await changes.cancel(both, found.id, 1, seen_fee=FREE, waive=True, reason="Mine")


async def test_booking_of_another_customer_cannot_be_changed():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    found = await booked(who, slot(area, 3))
    with pytest.raises(BookingGone):
        await changes.cancel(other.actor, found.id, 1, seen_fee=FREE)
    with pytest.raises(BookingGone):
        await changes.move(other.actor, found.id, 1, slot(area, 4))


@pytest.mark.parametrize("sent", ["", None, 7, [], {}, "019ab000-0000-7000-8000-000000000000"])
async def test_booking_that_is_none_cannot_be_changed(sent):
    await an_area()
    who = await a_customer()
    with pytest.raises(BookingGone):
        await changes.cancel(who.actor, sent, 1, seen_fee=FREE)
    with pytest.raises(BookingGone):
        await changes.move(who.actor, sent, 1, sent)


async def test_guest_moves_and_cancels_by_the_link_of_that_booking_alone():
    area = await an_area()
    found, other = await booked_by_guest(slot(area, 3)), await booked_by_guest(slot(area, 5))
    guest = access.guest_of(access.manage_token(found))
    assert guest is not None
    moved = await changes.move(guest, found.id, 1, slot(area, 4))
    assert await slots.offered_to_move(guest, moved)
    with pytest.raises(BookingGone):
        await changes.cancel(guest, other.id, 1, seen_fee=FREE)
    ended = await changes.cancel(guest, found.id, 2, seen_fee=FREE)
    assert ended.ended_by == "customer"
    told = await rows(Message, kind="booking_cancelled")
    assert [each.recipient for each in told] == ["gus@example.com"]
