"""Shifts: added, changed, copied and removed by dispatchers, whatever happens meanwhile."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.tables import Person
from fuel_app.dispatch import queries
from fuel_app.dispatch.queries import ON_SHIFT
from fuel_app.dispatch.rules.day import DayClosed, DayOver, RouteChanged, ShiftGone
from fuel_app.dispatch.rules.trucks import NoDay, OnShift, ShiftForm
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop, StoredTruck
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.signals import SHIFTS, listening
from tests.factories import UNKNOWN_ID
from tests.helpers import statements, stored_bookings
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck, on_route, shift_now
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking

BY = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
ADMIN = Actor(frozenset({Role.ADMIN}), person_id=new_id(), session_id=new_id())
LAST_WEEK = TOMORROW - timedelta(days=7)
RETIRED = {"truck": "This truck is retired"}
LEFT = {"technician": "This technician has left the team"}


@pytest.fixture(autouse=True)
def _noon(database, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


def form(truck: StoredTruck, technician: Actor, **differs: Any) -> ShiftForm:
    sent = {"truck": truck.id, "technician": technician.person_id}
    return ShiftForm.parse(sent | {"starts": "07:00", "ends": "15:00"} | differs)


async def refusal(change: Awaitable[Any]) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        await change
    return refused.value.messages


async def close(day: date) -> None:
    async with transaction() as session:
        session.add(PublishedDay(day=day, published_at=NOW, closed_at=NOW))


async def test_shifts_ahead_of_a_technician_have_their_open_stops(monkeypatch):
    dana, area = await a_technician(), await an_area()
    all_trucks = [await a_truck() for _ in range(4)]
    days = [TODAY + timedelta(days=n) for n in (-1, 0, 1, 2)]
    _, today, tomorrow, _ = [
        await a_shift(truck, dana, day) for truck, day in zip(all_trucks, days, strict=True)
    ]
    await a_shift(await a_truck(), await a_technician(2))
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 10, 12)]
    await on_route(tomorrow, *bookings, published=True)
    await stored_bookings.change(bookings[0], state="cancelled")
    last = await a_booking(area, days=0, opens=18)

    async def ahead() -> list[tuple[date, bool, int]]:
        found = await trucks.list_routes_ahead(ADMIN, dana.person_id)
        return [(each.shift.day, each.is_published, each.stops_left) for each in found]

    assert await ahead() == [(days[1], False, 0), (days[2], True, 2), (days[3], False, 0)]
    first = (await trucks.list_routes_ahead(BY, dana.person_id))[0]
    assert (first.shift.truck.name, first.hours) == (all_trucks[1].name, "7:00 AM to 7:00 PM")
    at(monkeypatch, today.ends_at + timedelta(minutes=30))  # its hours are over
    assert [day for day, *_ in await ahead()] == days[2:]
    await on_route(today, last)
    assert (await ahead())[0] == (days[1], False, 1)
    await close(days[1])
    assert [day for day, *_ in await ahead()] == days[2:]


async def test_many_shifts_ahead_take_no_more_statements_than_one():
    dana, eli, area = await a_technician(1), await a_technician(2), await an_area()
    await on_route(await a_shift(await a_truck(), dana), await a_booking(area, days=1))
    for n in range(1, 6):
        shift = await a_shift(await a_truck(), eli, TODAY + timedelta(days=n))
        await on_route(shift, await a_booking(area, days=n, opens=10), published=n % 2 == 0)
    with statements.noted() as few:
        assert [
            each.stops_left for each in await trucks.list_routes_ahead(ADMIN, dana.person_id)
        ] == [1]
    with statements.noted() as many:
        assert [
            each.stops_left for each in await trucks.list_routes_ahead(ADMIN, eli.person_id)
        ] == [1] * 5
    assert len(many) == len(few) <= 4
    with statements.noted() as none:
        assert await trucks.list_routes_ahead(ADMIN, BY.person_id) == []
    assert len(none) == 1


async def test_technician_may_not_read_the_shifts_of_others():
    with pytest.raises(NotAllowed):
        await trucks.list_routes_ahead(await a_technician(), UNKNOWN_ID)


async def test_a_shift_is_added_and_its_signal_published():
    truck, dana = await a_truck(), await a_technician()
    async with listening(SHIFTS) as changes:
        await trucks.save_shift(BY, "2026-11-24", "", 0, form(truck, dana))
        assert await changes.next(5)
    [row] = await rows(StoredShift)
    assert (row.day, row.truck_id, row.technician_id) == (TOMORROW, truck.id, dana.person_id)
    assert row.starts_at == datetime(2026, 11, 24, 12, tzinfo=UTC)
    assert (row.ends_at - row.starts_at, row.revision) == (timedelta(hours=8), 1)
    [entry] = await rows(AuditEntry, noun="shift")
    assert (entry.kind, entry.actor, entry.subject_id) == ("create", BY.person_id, row.id)


async def test_a_day_shows_its_shifts_with_stops_and_who_may_be_chosen():
    truck, dana = await a_truck(), await a_technician()
    await a_truck(is_active=False)
    shift = await a_shift(truck, dana)
    await on_route(shift, await a_booking(await an_area(), days=1))
    day = await trucks.read_shifts(BY, TOMORROW)
    [(shown, stops)] = day.shifts
    assert (shown.id, shown.technician, stops) == (shift.id, "Tech1 Nician", 1)
    assert day.trucks == {truck.id: truck.name}
    assert day.technicians == {dana.person_id: "Tech1 Nician"}
    assert (await trucks.read_shifts(BY, TODAY)).shifts == ()


async def test_a_change_counts_the_revision_and_keeps_the_route():
    one, other, dana = await a_truck(), await a_truck(), await a_technician()
    shift = await a_shift(one, dana)
    await on_route(shift, await a_booking(await an_area(), days=1))
    await trucks.save_shift(BY, TOMORROW, shift.id, 1, form(one, dana, ends="16:00"))
    await trucks.save_shift(BY, TOMORROW, shift.id, 2, form(other, dana))
    now = await shift_now(shift)
    assert (now.truck_id, now.revision) == (other.id, 3)
    assert len(await rows(StoredStop)) == 1
    assert [each.kind for each in await rows(AuditEntry, noun="shift")] == ["change"] * 2


async def test_another_truck_on_a_shift_is_not_broken():
    one, other, dana = await a_truck(), await a_truck(), await a_technician()
    shift = await a_shift(one, dana, broken_at=NOW)
    await trucks.save_shift(BY, TOMORROW, shift.id, 1, form(one, dana))
    assert (await shift_now(shift)).broken_at == NOW
    await trucks.save_shift(BY, TOMORROW, shift.id, 2, form(other, dana))
    assert (await shift_now(shift)).broken_at is None


async def test_a_concurrent_change_is_not_overwritten():
    truck, dana = await a_truck(), await a_technician()
    shift = await a_shift(truck, dana, revision=2)
    for seen in (1, "2", None):
        with pytest.raises(RouteChanged):
            await trucks.save_shift(BY, TOMORROW, shift.id, seen, form(truck, dana))
        with pytest.raises(RouteChanged):
            await trucks.remove_shift(BY, shift.id, seen)


async def test_a_truck_and_a_technician_have_one_shift_a_day():
    one, other = await a_truck(), await a_truck()
    dana, eli = await a_technician(1), await a_technician(2)
    await a_shift(one, dana)
    second = await a_shift(other, eli)
    third, fay = await a_truck(), await a_technician(3)

    async def added(truck: StoredTruck, technician: Actor) -> dict[str, str]:
        return await refusal(trucks.save_shift(BY, TOMORROW, "", 0, form(truck, technician)))

    assert await added(one, eli) in ({"truck": ON_SHIFT}, {"technician": ON_SHIFT})
    assert await added(third, dana) == {"technician": ON_SHIFT}
    assert await added(one, fay) == {"truck": ON_SHIFT}
    changed = trucks.save_shift(BY, TOMORROW, second.id, 1, form(other, dana))
    assert await refusal(changed) == {"technician": ON_SHIFT}
    await trucks.save_shift(BY, TODAY, "", 0, form(one, dana))
    assert len(await rows(StoredShift)) == 3


async def test_two_dispatchers_at_once_put_a_technician_on_one_truck():
    first, second, dana = await a_truck(), await a_truck(), await a_technician()
    both = [trucks.save_shift(BY, TOMORROW, "", 0, form(each, dana)) for each in (first, second)]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert {type(each) for each in outcomes} == {type(None), InvalidForm}
    assert len(await rows(StoredShift)) == 1


async def test_a_truck_is_retired_or_put_on_a_shift_never_both():
    truck, dana = await a_truck(), await a_technician()
    outcomes = await asyncio.gather(
        trucks.save_shift(BY, TOMORROW, "", 0, form(truck, dana)),
        trucks.set_truck_active(ADMIN, truck.id, 1, is_active=False),
        return_exceptions=True,
    )
    assert {type(each) for each in outcomes} & {InvalidForm, OnShift}
    [row] = await rows(StoredTruck)
    assert bool(await rows(StoredShift)) == row.is_active


async def test_a_retired_truck_and_those_who_have_left_take_no_shift():
    truck, dana = await a_truck(is_active=False), await a_technician()
    async with transaction() as session:
        await session.execute(update(Person).values(deactivated_at=NOW))
    assert (
        await refusal(trucks.save_shift(BY, TOMORROW, "", 0, form(truck, dana))) == RETIRED | LEFT
    )
    unknown = ShiftForm.parse(
        {"truck": UNKNOWN_ID, "technician": UNKNOWN_ID, "starts": "07:00", "ends": "15:00"}
    )
    assert await refusal(trucks.save_shift(BY, TOMORROW, "", 0, unknown)) == RETIRED | LEFT


async def test_other_constraints_are_no_taken_day():
    truck, dana = await a_truck(), await a_technician()
    values = {"day": TOMORROW, "truck_id": truck.id, "technician_id": dana.person_id}
    values |= {"starts_at": NOW, "ends_at": NOW}
    with pytest.raises(Exception, match="hours_in_order"):
        async with transaction() as session:
            await queries.store_shift(session, StoredShift(**values), values)


@pytest.mark.parametrize(
    ("day", "why"), [("2026-11-22", DayOver), ("x", NoDay), (None, NoDay), ([], NoDay)]
)
async def test_days_that_are_over_or_no_days_are_refused(day, why):
    truck, dana = await a_truck(), await a_technician()
    with pytest.raises(why):
        await trucks.save_shift(BY, day, "", 0, form(truck, dana))
    with pytest.raises(why):
        await trucks.copy_shifts(BY, day, LAST_WEEK)


async def test_a_shift_of_another_day_is_not_there():
    truck, dana = await a_truck(), await a_technician()
    shift = await a_shift(truck, dana)
    with pytest.raises(ShiftGone):
        await trucks.save_shift(BY, TODAY, shift.id, 1, form(truck, dana))


@pytest.mark.parametrize("shift_id", [UNKNOWN_ID, "x", None, 7, {}, "\ud800"])
async def test_an_unknown_shift_is_not_there(shift_id):
    truck, dana = await a_truck(), await a_technician()
    with pytest.raises(ShiftGone):
        await trucks.save_shift(BY, TOMORROW, shift_id, 1, form(truck, dana))
    with pytest.raises(ShiftGone):
        await trucks.remove_shift(BY, shift_id, 1)
    assert await rows(StoredShift) == []


async def test_a_closed_day_stays_as_it_is():
    truck, dana = await a_truck(), await a_technician()
    shift = await a_shift(truck, dana, TODAY)
    await close(TODAY)
    for change in (
        trucks.save_shift(BY, TODAY, "", 0, form(truck, dana)),
        trucks.save_shift(BY, TODAY, shift.id, 1, form(truck, dana)),
        trucks.remove_shift(BY, shift.id, 1),
        trucks.copy_shifts(BY, TODAY, LAST_WEEK),
    ):
        with pytest.raises(DayClosed):
            await change
    assert (await shift_now(shift)).revision == 1


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_others_see_and_change_no_shifts(role):
    truck, dana = await a_truck(), await a_technician()
    shift, by = await a_shift(truck, dana), Actor(frozenset({role}), dana.person_id)
    for change in (
        trucks.read_shifts(by, TOMORROW),
        trucks.save_shift(by, TOMORROW, shift.id, 1, form(truck, dana)),
        trucks.remove_shift(by, shift.id, 1),
        trucks.copy_shifts(by, TODAY, TOMORROW),
    ):
        with pytest.raises(NotAllowed):
            await change
    assert len(await rows(StoredShift)) == 1
