"""Hours of areas: read for bookings, changed by admins alone, and logged."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed
from fuel_app.areas.rules.areas import AreaChanged, AreaForm, AreaGone
from fuel_app.areas.rules.hours import ALL_DAY, DayException, Hours, default_week
from fuel_app.areas.service import areas, hours
from fuel_app.areas.tables import AreaException
from fuel_app.kit import audit, clock
from fuel_app.kit.db.session import on_sqlite, reading, transaction
from tests.areas.test_service_areas import ADMIN, DISPATCHER
from tests.factories import UNKNOWN_ID
from tests.helpers.hours import without_window

NOW = clock.now()
TODAY = clock.day_of(NOW)
USUAL = Hours(default_week(6))
CLOSED_TODAY = Hours(default_week(6), (DayException(TODAY, ALL_DAY, 0, "Storm"),))
FORM = {"name": "Sarasota", "zips": "34236", "grades": ["regular"], "tax": "7", "streets": "yes"}

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def _stay_in_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOW)


@pytest.fixture
async def area_id() -> str:
    return await areas.create(AreaForm.parse(FORM), actor=ADMIN)


async def change(area_id: object, seen: Hours, wanted: Hours, actor: Actor = ADMIN) -> None:
    async with transaction() as session:
        await hours.change(session, area_id, seen, wanted, actor=actor)


async def shown(area_id: object) -> Hours:
    return (await hours.read(area_id, actor=ADMIN)).hours


async def test_bookings_read_an_area_by_its_zip_or_id(area_id):
    async with transaction() as session:
        for lock in (False, True):
            by_zip = await hours.bookable_areas(session, ["34236", "34237"], lock=lock)
            area = by_zip["34236"]
            assert by_zip == {"34236": area}
            assert area == await hours.bookable_by_id(session, area_id, lock=lock)
            assert await hours.bookable_by_id(session, UNKNOWN_ID, lock=lock) is None
    assert (area.id, area.name, area.status) == (area_id, "Sarasota", "waitlist")
    assert (area.grades, area.tax_basis_points, area.streets_allowed) == (("regular",), 700, True)
    assert area.hours == USUAL


async def test_a_change_is_stored_and_logged(area_id):
    async with transaction() as session:  # a day that is over is not read
        past = TODAY - timedelta(days=1)
        session.add(AreaException(area_id=area_id, day=past, opens=ALL_DAY, capacity=0))
    assert await shown(area_id) == USUAL
    wanted = without_window(CLOSED_TODAY, 0, 8)
    await change(area_id, USUAL, wanted)
    assert await shown(area_id) == wanted
    async with reading() as session:
        entry, *_ = await audit.history(session, "area", area_id, limit=1)
    assert (entry.kind, entry.actor) == ("hours", str(ADMIN))
    assert entry.before == {"Monday": [[8, 10, 6], [10, 12, 6], [14, 16, 6]]}
    assert entry.after == {
        "Monday": [[10, 12, 6], [14, 16, 6]],
        "days": [[TODAY.isoformat(), ALL_DAY, 0, "Storm"]],
    }
    with pytest.raises(AreaChanged):
        await change(area_id, USUAL, Hours())
    await change(area_id, wanted, Hours())
    assert await shown(area_id) == Hours()


async def test_of_two_admins_at_once_one_is_told_of_the_other(area_id):
    outcomes = await asyncio.gather(
        *(change(area_id, USUAL, without_window(USUAL, 0, opens)) for opens in (8, 10)),
        return_exceptions=True,
    )
    assert sorted(map(repr, outcomes))[1] == "None"
    assert sum(isinstance(each, AreaChanged) for each in outcomes) == 1


async def test_a_change_waits_for_the_bookings_that_count_on_the_hours(area_id):
    async with transaction() as session:
        if on_sqlite(session):  # which has one writer at a time
            return
        await hours.bookable_areas(session, ["34236"], lock=True)
        async with transaction() as other:  # bookings do not wait for each other
            assert await hours.bookable_areas(other, ["34236"], lock=True)
        changing = asyncio.create_task(change(area_id, USUAL, CLOSED_TODAY))
        await asyncio.sleep(0.1)
        assert not changing.done()
    await changing
    assert await shown(area_id) == CLOSED_TODAY


@pytest.mark.parametrize("area_id", [None, 7, "nonsense", UNKNOWN_ID])
async def test_an_unknown_area_is_gone(area_id):
    with pytest.raises(AreaGone):
        await change(area_id, USUAL, CLOSED_TODAY)
    with pytest.raises(AreaGone):
        await shown(area_id)


@pytest.mark.parametrize("actor", [Actor(), DISPATCHER])
async def test_nobody_but_an_admin_sees_or_changes_hours(area_id, actor):
    with pytest.raises(NotAllowed):
        await change(area_id, USUAL, CLOSED_TODAY, actor)
    with pytest.raises(NotAllowed):
        await hours.read(area_id, actor=actor)
    assert await shown(area_id) == USUAL


async def test_a_new_area_gets_the_capacity_of_the_policy(area_id, monkeypatch):
    monkeypatch.setattr(areas, "SLOT_CAPACITY", replace(areas.SLOT_CAPACITY, default=9))
    other = await areas.create(AreaForm.parse(FORM | {"name": "B", "zips": "34285"}), actor=ADMIN)
    assert await shown(other) == Hours(default_week(9))
