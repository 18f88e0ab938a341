"""Shifts that are removed, and those that are copied from another day."""

import asyncio
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.dispatch.queries import ON_SHIFT
from fuel_app.dispatch.rules.day import DayOver
from fuel_app.dispatch.rules.trucks import Copied, NothingToCopy, ShiftStarted
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.signals import BOOKINGS, SHIFTS, listening
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck, change_stop, on_route
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, stored

BY = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
LAST_WEEK = TOMORROW - timedelta(days=7)


@pytest.fixture(autouse=True)
def _noon(database, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def test_removing_a_shift_leaves_its_stops_unassigned():
    shift = await a_shift(await a_truck(), await a_technician())
    booking = await a_booking(await an_area(), days=1)
    await on_route(shift, booking)
    async with listening(SHIFTS, BOOKINGS) as changes:
        await trucks.remove_shift(BY, shift.id, 1)
        assert await changes.next(5)
    assert (await rows(StoredShift), await rows(StoredStop)) == ([], [])
    assert ((await stored(booking)).state, (await stored(booking)).revision) == ("booked", 1)
    [entry] = await rows(AuditEntry, noun="shift")
    assert (entry.kind, entry.before["truck_id"]) == ("remove", shift.truck_id)


async def test_stops_of_a_published_day_are_booked_again():
    shift = await a_shift(await a_truck(), await a_technician())
    area_id = await an_area()
    waiting, cancelled = [await a_booking(area_id, days=1, opens=each) for each in (8, 10)]
    await on_route(shift, waiting, cancelled, published=True)
    async with transaction() as session:
        theirs = col(type(cancelled).id) == cancelled.id
        await session.execute(update(type(cancelled)).where(theirs).values(state="cancelled"))
    await trucks.remove_shift(BY, shift.id, 1)
    assert (await stored(waiting)).state == "booked"
    assert (await stored(cancelled)).state == "cancelled"


@pytest.mark.parametrize("step", ["driving_at", "ended_at"])
async def test_a_shift_whose_route_has_begun_stays(step):
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    [stop] = await on_route(shift, await a_booking(await an_area(), days=0), published=True)
    await change_stop(stop, **{step: NOW})
    with pytest.raises(ShiftStarted):
        await trucks.remove_shift(BY, shift.id, 1)
    assert len(await rows(StoredStop)) == 1


async def test_a_shift_of_a_day_that_is_over_stays():
    shift = await a_shift(await a_truck(), await a_technician(), TODAY - timedelta(days=1))
    with pytest.raises(DayOver):
        await trucks.remove_shift(BY, shift.id, 1)


async def test_last_weeks_shifts_are_copied_with_their_hours_on_the_clock(monkeypatch):
    at(monkeypatch, datetime(2026, 10, 30, 15, tzinfo=UTC))
    before, after = date(2026, 10, 30), date(2026, 11, 6)  # summer time has ended between
    truck, dana = await a_truck(), await a_technician()
    await a_shift(truck, dana, before, broken_at=NOW)
    assert await trucks.copy_shifts(BY, after, before) == Copied(1, ())
    [copied] = await rows(StoredShift, day=after)
    assert (copied.starts_at, copied.broken_at) == (datetime(2026, 11, 6, 12, tzinfo=UTC), None)
    [entry] = await rows(AuditEntry, noun="shift")
    assert (entry.kind, entry.subject_id) == ("copy", copied.id)


async def test_shifts_that_are_not_possible_are_left_out_with_the_reason():
    one, two, three, gone = [
        *(await a_truck(name="1"), await a_truck(name="2"), await a_truck(name="3")),
        await a_truck(name="4", is_active=False),
    ]
    dana, eli, fay, gil = [await a_technician(number) for number in (1, 2, 3, 4)]
    for pair in ((one, dana), (two, eli), (three, fay), (gone, gil)):
        await a_shift(*pair, LAST_WEEK)
    await a_shift(one, eli)
    copied = await trucks.copy_shifts(BY, TOMORROW, LAST_WEEK)
    assert copied == Copied(
        1,
        (
            f"1 with Tech1 Nician: {ON_SHIFT}",
            f"2 with Tech2 Nician: {ON_SHIFT}",
            "4 with Tech4 Nician: This truck is retired",
        ),
    )
    assert await trucks.copy_shifts(BY, TOMORROW, LAST_WEEK) != copied  # once
    assert len(await rows(StoredShift, day=TOMORROW)) == 2


async def test_two_dispatchers_at_once_copy_a_day_once():
    for number in range(3):
        await a_shift(await a_truck(), await a_technician(number), LAST_WEEK)
    both = [trucks.copy_shifts(BY, TOMORROW, LAST_WEEK) for _ in range(2)]
    assert sorted([each.count for each in await asyncio.gather(*both)]) == [0, 3]


async def test_a_day_without_shifts_is_not_copied():
    with pytest.raises(NothingToCopy, match="Tuesday, November 17, 2026"):
        await trucks.copy_shifts(BY, TOMORROW, LAST_WEEK)
