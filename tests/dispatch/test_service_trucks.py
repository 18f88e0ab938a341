"""Trucks: added, changed, retired by admins alone, and logged."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.rules.day import Truck
from fuel_app.dispatch.rules.trucks import OnShift, TruckChanged, TruckForm, TruckGone
from fuel_app.dispatch.service import trucks
from fuel_app.dispatch.tables import StoredTruck
from fuel_app.kit import audit
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import ChangedSince, InvalidForm
from fuel_app.kit.signals import TRUCKS, listening
from tests.factories import UNKNOWN_ID
from tests.helpers.bookings import NOW, TODAY, at
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck
from tests.helpers.people import rows
from tests.helpers.trucks import TYPED_TRUCK

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


async def test_dispatchers_see_trucks_and_change_none():
    truck = await added()
    for change in (
        trucks.save_truck(DISPATCHER, truck.id, 1, form(), HOME),
        trucks.set_truck_active(DISPATCHER, truck.id, 1, is_active=False),
        trucks.set_truck_active(DISPATCHER, truck.id, 1, is_active=True),
        trucks.locate_home(DISPATCHER, form()),
        trucks.list_trucks(Actor(frozenset({Role.TECHNICIAN}), new_id())),
    ):
        with pytest.raises(NotAllowed):
            await change
    assert (await now(truck)).revision == 1
