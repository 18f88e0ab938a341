"""Trucks: added, changed, retired by admins alone, and logged."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.places import Point
from fuel_app.dispatch import queries
from fuel_app.dispatch.queries import ON_SHIFT
from fuel_app.dispatch.rules.day import DayClosed, DayOver, RouteChanged, ShiftGone, Truck
from fuel_app.dispatch.rules.trucks import (
    Copied,
    NoDay,
    NothingToCopy,
    OnShift,
    ShiftForm,
    ShiftStarted,
    TruckChanged,
    TruckForm,
    TruckGone,
)
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.tables import StoredShift, StoredStop, StoredTruck
from fuel_app.kit import audit
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import ChangedSince, InvalidForm
from fuel_app.kit.signals import BOOKINGS, SHIFTS, TRUCKS, listening
from tests.dispatch.trucks import TYPED_TRUCK
from tests.factories import UNKNOWN_ID
from tests.helpers import statements, stored_bookings
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import (
    TOMORROW,
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    close,
    on_route,
    shift_now,
)
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, stored

ADMIN = Actor(frozenset({Role.ADMIN}), person_id=new_id(), session_id=new_id())
DISPATCHER = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
HOME = Point(27.36, -82.52)


@pytest.fixture(autouse=True)
def _noon(database, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


def form(**differs: str) -> TruckForm:
    return TruckForm.parse(TYPED_TRUCK | differs)


async def added(**differs: str) -> Truck:
    await trucks.save_truck(ADMIN, "", 0, form(**differs), HOME)
    name = differs.get("name", TYPED_TRUCK["name"])
    return next(each for each in await trucks.list_trucks(ADMIN) if each.name == name)


async def now(truck: Truck) -> Truck:
    return next(each for each in await trucks.list_trucks(ADMIN) if each.id == truck.id)


async def logged(truck: Truck) -> list[AuditEntry]:
    found = await rows(AuditEntry, noun="truck", subject_id=truck.id)
    return sorted(found, key=lambda entry: entry.number)


async def undone(action_id: str) -> int:
    return [done.changed async for done in audit.undo(action_id, actor=str(ADMIN))][-1]


async def test_a_truck_is_added_and_its_signal_published():
    async with listening(TRUCKS) as changes:
        truck = await added()
        assert await changes.next(5)
    assert truck.tanks == {"regular": 150_000, "diesel": 100_000}
    assert (truck.point, truck.is_active, truck.revision) == (HOME, True, 1)
    [entry] = await logged(truck)
    assert (entry.kind, entry.actor, entry.before) == ("create", ADMIN.person_id, None)
    assert (entry.after or {})["meter_sealed_on"] == "2026-05-01"


async def test_trucks_are_listed_by_name_the_retired_last():
    second, first = await added(name="B"), await added(name="A")
    await trucks.set_truck_active(ADMIN, first.id, 1, is_active=False)
    assert [each.id for each in await trucks.list_trucks(DISPATCHER)] == [second.id, first.id]


async def test_a_change_counts_the_revision_and_keeps_what_it_replaced():
    truck = await added()
    await trucks.save_truck(ADMIN, truck.id, 1, form(diesel="", plus="50.5"), Point(27.4, -82.5))
    changed = await now(truck)
    assert changed.tanks == {"regular": 150_000, "plus": 50_500}
    assert (changed.point, changed.revision) == (Point(27.4, -82.5), 2)
    entry = (await logged(truck))[-1]
    assert (entry.kind, (entry.before or {})["tanks"]) == ("change", truck.tanks)


async def test_a_concurrent_change_is_not_overwritten():
    truck = await added()
    await trucks.save_truck(ADMIN, truck.id, 1, form(name="Truck 2"), HOME)
    for change in (
        trucks.save_truck(ADMIN, truck.id, 1, form(name="Truck 3"), HOME),
        trucks.set_truck_active(ADMIN, truck.id, 1, is_active=False),
        trucks.set_truck_active(ADMIN, truck.id, "1", is_active=True),
    ):
        with pytest.raises(TruckChanged):
            await change
    assert (await now(truck)).name == "Truck 2"


async def test_a_name_belongs_to_one_truck():
    await added()
    other = await added(name="Truck 2")
    for truck_id in ("", other.id):
        with pytest.raises(InvalidForm) as refused:
            await trucks.save_truck(ADMIN, truck_id, 1, form(), HOME)
        assert refused.value.messages == {"name": "There is a truck with this name already"}
    assert len(await rows(StoredTruck)) == 2


async def test_other_constraints_are_no_taken_name():
    broken = form().model_copy(update={"meter_number": None})
    with pytest.raises(Exception, match="meter_number"):
        await trucks.save_truck(ADMIN, "", 0, broken, HOME)


async def test_a_retired_truck_comes_back_and_each_can_be_undone():
    truck = await added()
    action_id = await trucks.set_truck_active(ADMIN, truck.id, 1, is_active=False)
    assert not (await now(truck)).is_active
    assert await undone(action_id) == 1
    assert (await now(truck)).is_active
    await trucks.set_truck_active(ADMIN, truck.id, 3, is_active=False)
    action_id = await trucks.set_truck_active(ADMIN, truck.id, 4, is_active=True)
    assert await undone(action_id) == 1
    assert not (await now(truck)).is_active
    kinds = [entry.kind for entry in await logged(truck)]
    assert kinds == ["create", "retire", "retire", "bring_back"]


async def test_a_truck_that_has_changed_since_is_not_brought_back_unseen():
    truck = await added()
    action_id = await trucks.set_truck_active(ADMIN, truck.id, 1, is_active=False)
    await trucks.save_truck(ADMIN, truck.id, 2, form(name="Truck 2"), HOME)
    with pytest.raises(ChangedSince):
        await undone(action_id)


async def test_a_truck_with_a_shift_ahead_is_not_retired():
    truck, technician = await a_truck(), await a_technician()
    await a_shift(truck, technician, TODAY - timedelta(days=1))
    await trucks.set_truck_active(ADMIN, truck.id, 1, is_active=True)
    for day in (TODAY, TOMORROW):
        await a_shift(truck, technician, day)
    with pytest.raises(OnShift) as refused:
        await trucks.set_truck_active(ADMIN, truck.id, 2, is_active=False)
    assert "Mon, Nov 23; Tue, Nov 24." in str(refused.value)


async def test_a_home_is_found_on_the_map_at_worst_in_the_middle_of_its_zip():
    found = await trucks.locate_home(ADMIN, form())
    assert found.is_approximate
    assert 27 < found.lat < 28


@pytest.mark.parametrize(
    ("zip_code", "wrong"),
    [("00000", trucks.UNKNOWN_ZIP), ("33101", "It is outside the service area.")],
)
async def test_a_home_elsewhere_is_refused(zip_code, wrong):
    with pytest.raises(InvalidForm) as refused:
        await trucks.locate_home(ADMIN, form(home=f"1 Ocean Dr {zip_code}"))
    assert refused.value.messages == {"home": wrong}


@pytest.mark.parametrize("truck_id", [UNKNOWN_ID, "x", None, 7, [], "\ud800"])
async def test_an_unknown_truck_is_refused(truck_id: Any):
    for change in (
        trucks.save_truck(ADMIN, truck_id, 1, form(), HOME),
        trucks.set_truck_active(ADMIN, truck_id, 1, is_active=False),
        trucks.set_truck_active(ADMIN, truck_id, 1, is_active=True),
    ):
        with pytest.raises(TruckGone):
            await change
    assert await rows(StoredTruck) == []


BY = Actor(frozenset({Role.DISPATCHER}), person_id=new_id(), session_id=new_id())
LAST_WEEK = TOMORROW - timedelta(days=7)
RETIRED = {"truck": "This truck is retired"}
LEFT = {"technician": "This technician has left the team"}


def shift_form(truck: StoredTruck, technician: Actor, **differs: Any) -> ShiftForm:
    sent = {"truck": truck.id, "technician": technician.person_id}
    return ShiftForm.parse(sent | {"starts": "07:00", "ends": "15:00"} | differs)


async def refusal(change: Awaitable[Any]) -> dict[str, str]:
    with pytest.raises(InvalidForm) as refused:
        await change
    return refused.value.messages


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
    assert (first.shift.truck.name, first.hours) == (all_trucks[1].name, "7 AM–7 PM")  # noqa: RUF001
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
    assert len(many) == len(few) <= 5
    with statements.noted() as none:
        assert await trucks.list_routes_ahead(ADMIN, BY.person_id) == []
    assert len(none) == 1


async def test_a_shift_is_added_and_its_signal_published():
    truck, dana = await a_truck(), await a_technician()
    async with listening(SHIFTS) as changes:
        await trucks.save_shift(BY, "2026-11-24", "", 0, shift_form(truck, dana))
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
    shift = await a_shift(one, dana, broken_at=NOW)
    await on_route(shift, await a_booking(await an_area(), days=1))
    await trucks.save_shift(BY, TOMORROW, shift.id, 1, shift_form(one, dana, ends="16:00"))
    assert (await shift_now(shift)).broken_at == NOW
    await trucks.save_shift(BY, TOMORROW, shift.id, 2, shift_form(other, dana))
    now = await shift_now(shift)
    assert (now.truck_id, now.revision, now.broken_at) == (other.id, 3, None)
    assert len(await rows(StoredStop)) == 1
    assert [each.kind for each in await rows(AuditEntry, noun="shift")] == ["change"] * 2


async def test_a_concurrent_change_of_a_shift_is_not_overwritten():
    truck, dana = await a_truck(), await a_technician()
    shift = await a_shift(truck, dana, revision=2)
    for seen in (1, "2", None):
        with pytest.raises(RouteChanged):
            await trucks.save_shift(BY, TOMORROW, shift.id, seen, shift_form(truck, dana))
        with pytest.raises(RouteChanged):
            await trucks.remove_shift(BY, shift.id, seen)


async def test_a_truck_and_a_technician_have_one_shift_a_day():
    one, other = await a_truck(), await a_truck()
    dana, eli = await a_technician(1), await a_technician(2)
    await a_shift(one, dana)
    second = await a_shift(other, eli)
    third, fay = await a_truck(), await a_technician(3)

    async def added(truck: StoredTruck, technician: Actor) -> dict[str, str]:
        return await refusal(trucks.save_shift(BY, TOMORROW, "", 0, shift_form(truck, technician)))

    assert await added(one, eli) in ({"truck": ON_SHIFT}, {"technician": ON_SHIFT})
    assert await added(third, dana) == {"technician": ON_SHIFT}
    assert await added(one, fay) == {"truck": ON_SHIFT}
    changed = trucks.save_shift(BY, TOMORROW, second.id, 1, shift_form(other, dana))
    assert await refusal(changed) == {"technician": ON_SHIFT}
    await trucks.save_shift(BY, TODAY, "", 0, shift_form(one, dana))
    assert len(await rows(StoredShift)) == 3


async def test_two_dispatchers_at_once_put_a_technician_on_one_truck():
    first, second, dana = await a_truck(), await a_truck(), await a_technician()
    both = [
        trucks.save_shift(BY, TOMORROW, "", 0, shift_form(each, dana)) for each in (first, second)
    ]
    outcomes = await asyncio.gather(*both, return_exceptions=True)
    assert {type(each) for each in outcomes} == {type(None), InvalidForm}
    assert len(await rows(StoredShift)) == 1


async def test_a_truck_is_retired_or_put_on_a_shift_never_both():
    truck, dana = await a_truck(), await a_technician()
    outcomes = await asyncio.gather(
        trucks.save_shift(BY, TOMORROW, "", 0, shift_form(truck, dana)),
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
        await refusal(trucks.save_shift(BY, TOMORROW, "", 0, shift_form(truck, dana)))
        == RETIRED | LEFT
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
        await trucks.save_shift(BY, day, "", 0, shift_form(truck, dana))
    with pytest.raises(why):
        await trucks.copy_shifts(BY, day, LAST_WEEK)


async def test_a_shift_of_another_day_is_not_there():
    truck, dana = await a_truck(), await a_technician()
    shift = await a_shift(truck, dana)
    with pytest.raises(ShiftGone):
        await trucks.save_shift(BY, TODAY, shift.id, 1, shift_form(truck, dana))


@pytest.mark.parametrize("shift_id", [UNKNOWN_ID, "x", None, 7, {}, "\ud800"])
async def test_an_unknown_shift_is_not_there(shift_id):
    truck, dana = await a_truck(), await a_technician()
    with pytest.raises(ShiftGone):
        await trucks.save_shift(BY, TOMORROW, shift_id, 1, shift_form(truck, dana))
    with pytest.raises(ShiftGone):
        await trucks.remove_shift(BY, shift_id, 1)
    assert await rows(StoredShift) == []


async def test_a_closed_day_stays_as_it_is():
    truck, dana = await a_truck(), await a_technician()
    shift = await a_shift(truck, dana, TODAY)
    await close(TODAY)
    for change in (
        trucks.save_shift(BY, TODAY, "", 0, shift_form(truck, dana)),
        trucks.save_shift(BY, TODAY, shift.id, 1, shift_form(truck, dana)),
        trucks.remove_shift(BY, shift.id, 1),
        trucks.copy_shifts(BY, TODAY, LAST_WEEK),
    ):
        with pytest.raises(DayClosed):
            await change
    assert (await shift_now(shift)).revision == 1


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
