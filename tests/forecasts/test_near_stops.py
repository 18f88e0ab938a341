"""Whose car is due near a day's stops: how it is said, who is listed, and who is left out."""

from datetime import UTC, date, datetime, timedelta

import pytest
from sqlmodel import col, update

from fuel_app.accounts.rules import NotAllowed
from fuel_app.accounts.tables import Person
from fuel_app.areas.rules.places import Point, great_circle_meters
from fuel_app.customers.tables import StoredAddress
from fuel_app.forecasts.rules.forecasts import Forecast
from fuel_app.forecasts.rules.near_stops import MOST, NearCar, due_text, is_due_about
from fuel_app.forecasts.service import forecasts as service
from fuel_app.kit.db.session import transaction
from tests.forecasts.due import filled, proposed
from tests.helpers import statements
from tests.helpers.bookings import (
    NOW,
    PLACE,
    STAFF,
    Customer,
    a_customer,
    an_area,
    at,
    booked,
    slot,
)
from tests.helpers.stored_bookings import a_booking

DAY = timedelta(days=1)
THURSDAY = date(2026, 12, 3)
STOP = Point(PLACE.lat, PLACE.lng)
TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("days", "is_near", "says"),
    [
        (-4, False, "Due around Sun, Nov 29, 4 days earlier"),
        (-1, True, "Due around Wed, Dec 2, 1 day earlier"),
        (0, True, "Due around Thu, Dec 3, the same day"),
        (3, True, "Due around Sun, Dec 6, 3 days later"),
        (4, False, "Due around Mon, Dec 7, 4 days later"),
    ],
)
def test_days_are_told_as_seen_from_the_stops(days: int, is_near: bool, says: str):
    at_noon = datetime(2026, 12, 3, 17, tzinfo=UTC) + days * DAY
    when = Forecast(at_noon - 7 * DAY, 1.5, at_noon, at_noon, at_noon)
    assert is_due_about(when, THURSDAY) == is_near
    assert due_text(when, THURSDAY) == says


@pytest.mark.parametrize(
    ("meters", "says"), [(0, "less than 0.1 miles"), (161, "0.1 miles"), (1609, "1.0 miles")]
)
def test_distances_are_told_in_miles(meters: float, says: str):
    when = Forecast(NOW, 1.5, NOW, NOW, NOW)
    assert NearCar("1", "2020 Toyota Camry", "1", "Ada", when, meters).distance == says


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def put(who: Customer, lat: float, *, is_approximate: bool = False) -> None:
    """Move a customer's place to the north of the stop."""
    theirs = update(StoredAddress).where(col(StoredAddress.person_id) == who.id)
    async with transaction() as session:
        await session.execute(theirs.values(lat=lat, is_approximate=is_approximate))


async def a_neighbor(area_id: str, number: int, north: float, days_ago: float = 7) -> Customer:
    """Store a customer to the north of the stop who was filled some days ago, and is due weekly."""
    who = await a_customer(number, first_name=f"Nr{number}", last_name="Near")
    await put(who, PLACE.lat + north)
    await filled(area_id, who, days_ago)
    return who


async def listed(stop: Point = STOP) -> list[str]:
    found = await service.list_due_near(STAFF, TODAY, [stop])
    return [each.person_id for each in found]


@pytest.mark.usefixtures("database", "now")
async def test_the_nearest_who_are_due_come_first_by_five_statements():
    area_id = await an_area()
    far, near = await a_neighbor(area_id, 1, 0.01), await a_neighbor(area_id, 2, -0.002)
    await a_neighbor(area_id, 3, 0.04)  # beyond the box
    await a_neighbor(area_id, 4, 0, days_ago=1)  # due next week
    await a_customer(5)  # no fill yet
    with statements.noted() as noted:
        first, second = await service.list_due_near(STAFF, TODAY, [STOP, Point(27.9, -82.5)])
    assert sum("SELECT" in each for each in noted) == 5
    assert (first.person_id, second.person_id) == (near.id, far.id)
    assert (first.customer, first.title, first.id) == (
        "Nr2 Near", "2020 Toyota Camry", near.car_id
    )  # fmt: skip
    meters = great_circle_meters(STOP, (PLACE.lat + 0.01, PLACE.lng))
    assert second.meters == pytest.approx(meters, rel=0.01)
    east = Point(PLACE.lat + 0.01, PLACE.lng + 0.01)
    (again, _) = await service.list_due_near(STAFF, TODAY, [east])
    assert again.meters == pytest.approx(great_circle_meters(east, (east.lat, PLACE.lng)), rel=0.01)


@pytest.mark.usefixtures("database", "now")
async def test_who_is_served_already_or_cannot_be_is_left_out():
    area_id, holder, _ = await proposed()
    await put(holder, PLACE.lat)
    booker = await a_neighbor(area_id, 2, 0)
    await booked(booker, slot(area_id, 3))
    overdue = await a_neighbor(area_id, 3, 0)  # a booking of last week that nobody has ended
    await a_booking(area_id, overdue.id, days=-6, vehicle_id=overdue.car_id)
    gone = await a_neighbor(area_id, 4, 0)
    async with transaction() as session:
        (await session.get_one(Person, gone.id)).deactivated_at = NOW
    unpinned = await a_neighbor(area_id, 5, 0)
    await put(unpinned, PLACE.lat, is_approximate=True)
    wanted = await a_neighbor(area_id, 6, 0)
    assert await listed() == [wanted.id]
    assert await listed(Point(27.9, -82.5)) == []


@pytest.mark.usefixtures("sqlite_database", "now")
async def test_twenty_are_listed_at_most(monkeypatch: pytest.MonkeyPatch):
    area_id = await an_area()
    people = [await a_neighbor(area_id, n, n / 1000) for n in range(1, MOST + 2)]
    assert await listed() == [each.id for each in people[:MOST]]
    monkeypatch.setattr(service, "_PEOPLE", 3)
    assert await listed() == [each.id for each in people[:3]]


@pytest.mark.usefixtures("sqlite_database", "now")
async def test_dispatchers_alone_read_the_list_and_without_stops_nothing_is_read():
    with pytest.raises(NotAllowed):
        await service.list_due_near((await a_customer()).actor, TODAY, [STOP])
    with statements.noted() as noted:
        assert await service.list_due_near(STAFF, TODAY, []) == []
    assert noted == []
