"""The technician's phone at a stop with several cars."""

from typing import Any

import pytest

from fuel_app.bookings.service import fills
from fuel_app.dispatch.rules.phones import DECIDED, NO_CAR, OFFICE_HAS_IT, RECORDED
from fuel_app.dispatch.service import fill_records
from fuel_app.kit.db.session import reading
from tests.helpers import phone
from tests.helpers.bank import bank
from tests.helpers.bookings import STAFF
from tests.helpers.fills import FILLED
from tests.helpers.phone import METER, Road, a_road

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")

BEGINNING = {"meter_start": "100.000", "meter_end": "112.345", "ticket": "T-1"}
THEN = {"meter_start": "112.345", "meter_end": "121.345", "ticket": "T-2"}


async def at_the_cars(monkeypatch) -> Road:
    road = await a_road(monkeypatch, cars=2)
    await road.do("drive", "arrive", "fuel")
    return road


def of_car(road: Road, number: int, data: dict[str, str]) -> dict[str, Any]:
    return data | {"fill": road.booking.fills[number].id}


async def send(road: Road, kind: str, data: dict[str, Any]) -> str:
    [said] = await phone.send(road.technician, phone.action(kind, road.id, data))
    return said


async def test_cars_are_shown_one_after_the_other(monkeypatch):
    road = await at_the_cars(monkeypatch)
    told = await road.told()
    assert (told["car"], told["state"]) == ("2020 Toyota Camry, Blue", "fueling")
    assert [each["car"] for each in told["cars"]] == [
        "2020 Toyota Camry, Blue",
        "2020 Toyota Corolla, Blue",
    ]
    assert await send(road, "complete", of_car(road, 0, BEGINNING)) == ""
    told = await road.told()
    assert (told["car"], told["state"]) == ("2020 Toyota Corolla, Blue", "fueling")
    assert [each["outcome"] for each in told["cars"]] == ["filled", ""]
    assert told["cars"][0]["gallons"] == "12.345"
    assert (await road.stop()).ended_at is None
    assert await send(road, "complete", of_car(road, 1, THEN)) == ""
    told = await road.told()
    assert (told["state"], (await road.stop()).ended_at is None) == ("completed", False)
    assert [each["can_correct"] for each in told["cars"]] == [True, True]
    assert [each.filled_milligallons for each in (await road.now()).fills] == [12_345, 9_000]


async def test_one_car_is_filled_and_the_other_one_given_up(monkeypatch):
    road = await at_the_cars(monkeypatch)
    data = of_car(road, 0, {"reason": "fuel_door"})
    assert await send(road, "fail", data) == ""
    assert [each.outcome for each in (await road.now()).fills] == ["not_filled", ""]
    assert (await road.stop()).ended_at is None
    assert await send(road, "back", {}) == "There is nothing to undo."
    assert await send(road, "complete", of_car(road, 1, BEGINNING)) == ""
    assert (await road.now()).state == "completed"
    assert (await road.stop()).ended_at


async def test_what_is_left_is_given_up_at_once(monkeypatch):
    road = await at_the_cars(monkeypatch)
    await send(road, "complete", of_car(road, 0, BEGINNING))
    assert await send(road, "fail", {"reason": "weather"}) == ""
    now = await road.now()
    assert (now.state, now.fills[1].outcome) == ("completed", "not_filled")
    assert (await road.stop()).ended_at


@pytest.mark.parametrize("fill", [None, "0199aaaa-0000-7000-8000-000000000001", "x"])
async def test_gallons_without_a_car_of_the_visit_are_the_offices(monkeypatch, fill):
    """As of an app that knows one car alone, or of a car that was dropped meanwhile."""
    road = await at_the_cars(monkeypatch)
    said = await send(road, "complete", METER | ({"fill": fill} if fill else {}))
    assert said == f"{NO_CAR} {OFFICE_HAS_IT}"
    async with reading() as session:
        [asked], _ = await fills.unanswered_questions(session, 5)
    assert (asked.kind, asked.fill_id, asked.milligallons) == ("kept", None, 12_345)
    assert (await road.now()).state == "fueling"
    better = METER | {"meter_end": "111.000"}
    assert await send(road, "correct", better) == OFFICE_HAS_IT
    async with reading() as session:
        [asked], _ = await fills.unanswered_questions(session, 5)
    assert asked.milligallons == 11_000


async def test_a_car_is_recorded_once_and_corrected_while_the_other_one_waits(monkeypatch):
    road = await at_the_cars(monkeypatch)
    await send(road, "complete", of_car(road, 0, BEGINNING))
    assert await send(road, "complete", of_car(road, 0, BEGINNING)) == ""
    assert await send(road, "complete", of_car(road, 0, THEN)) == RECORDED
    assert await send(road, "correct", of_car(road, 0, BEGINNING | {"meter_end": "110.000"})) == ""
    now = await road.now()
    assert (now.state, now.fills[0].filled_milligallons) == ("fueling", 10_000)
    assert (await road.told())["cars"][1]["fill"] is None


async def test_the_offices_record_of_a_car_leaves_that_of_the_other_one_to_its_technician(
    monkeypatch,
):
    road = await at_the_cars(monkeypatch)
    await send(road, "complete", of_car(road, 0, BEGINNING))
    now = await road.now()
    pumped, car = FILLED | {"ticket": "T-9"}, now.fills[1].id
    await fill_records.complete_booking(STAFF, now.id, now.revision, pumped, fill_id=car)
    better = BEGINNING | {"meter_end": "110.000"}
    assert await send(road, "correct", of_car(road, 0, better)) == ""
    assert await send(road, "correct", of_car(road, 1, better)) == DECIDED
