"""Tracking: what the link of a booking shows, from publishing until a day after the fill."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.rules.arrivals import LinkUnknown, Tracked
from fuel_app.dispatch.service import arrivals
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit import secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.messages.rules.kinds import MANAGED, TRACKED
from tests.helpers.bookings import TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route
from tests.helpers.stored_bookings import PLACE, a_booking, change

HERE = "203.0.113.9"
DAY = TODAY + timedelta(days=1)
EIGHT = on_clock(DAY, 8)


async def look(booking: StoredBooking) -> Tracked | None:
    return await arrivals.read_link(secrets.token(TRACKED, booking.id))


async def shown(booking: StoredBooking) -> Tracked:
    found = await look(booking)
    assert found is not None
    return found


class Road:
    """A published day with three bookings on one truck; each has a leg of ten minutes."""

    shift: StoredShift
    bookings: list[StoredBooking]
    stops: list[StoredStop]

    async def open(self) -> "Road":
        area = await an_area()
        window: dict[str, Any] = {"starts_at": EIGHT, "ends_at": on_clock(DAY, 10)}
        self.bookings = [await a_booking(area, days=1, opens=8 + n, **window) for n in range(3)]
        truck = await a_truck(name="Manatee")
        self.shift = await a_shift(truck, await a_technician())
        self.stops = await on_route(self.shift, *self.bookings, published=True)
        return self

    async def step(self, number: int, state: str, **times: Any) -> None:
        """Let a stop be as a technician's step leaves it."""
        ended = {"completed_at": times["ended_at"]} if state == "completed" else {}
        await change(self.bookings[number], state=state, **ended)
        await change_stop(self.stops[number], **times)


@pytest.fixture
async def road(database, monkeypatch) -> Road:
    at(monkeypatch, on_clock(DAY, 7) + timedelta(minutes=55))
    return await Road().open()


async def test_sentence_says_stops_and_span_and_names_technician_and_truck(road):
    first, second, third = [await shown(each) for each in road.bookings]
    assert first.sentence == "Tech1 comes to you next, 8:00–8:20 AM"  # noqa: RUF001
    assert second.sentence == "Tech1 is 1 stop away, 8:15–8:40 AM"  # noqa: RUF001
    assert third.sentence.startswith("Tech1 is 2 stops away, ")
    assert (third.stops_before, third.technician, third.truck) == (2, "Tech1", "Manatee")
    assert (third.step, third.car, third.truck_at, third.advice) == (0, None, None, "")


async def test_no_time_is_promised_after_the_shift(road, monkeypatch):
    """The technician is at home by then; one who works on is there."""
    async with transaction() as session:
        (await session.get_one(StoredShift, road.shift.id)).ends_at = EIGHT + timedelta(minutes=10)
    first, second, _ = [await shown(each) for each in road.bookings]
    assert first.sentence.startswith("Tech1 comes to you next, ")
    assert second.sentence == "Tech1 cannot reach you before the shift ends, 8:10 AM"
    assert second.advice.startswith("Our office looks for another technician or time")
    at(monkeypatch, on_clock(DAY, 8) - timedelta(days=1))
    ahead = await shown(road.bookings[1])
    day = "on Tuesday, November 24, 8:10 AM"
    assert ahead.sentence == f"Tech1 cannot reach you before the shift ends {day}"
    at(monkeypatch, EIGHT + timedelta(minutes=30))
    await road.step(1, "en_route", driving_at=EIGHT)
    coming = await shown(road.bookings[1])
    assert coming.sentence.startswith("Tech1 is on the way to you, ")
    assert coming.advice == ""


async def test_ended_and_left_stops_are_not_before_anyone(road):
    await road.step(0, "completed", driving_at=EIGHT, arrived_at=EIGHT, ended_at=EIGHT)
    await change(road.bookings[1], state="cancelled")
    last = await shown(road.bookings[2])
    assert last.stops_before == 0
    assert last.sentence.startswith("Tech1 comes to you next, ")


async def test_truck_is_on_the_map_only_on_its_way_to_this_car(road, monkeypatch):
    place = {"lat": 27.35, "lng": -82.5, "position_at": EIGHT}
    async with transaction() as session:
        (await session.get_one(StoredShift, road.shift.id)).sqlmodel_update(place)
    at(monkeypatch, EIGHT + timedelta(minutes=4))
    await road.step(0, "en_route", driving_at=EIGHT)
    coming, waiting = [await shown(each) for each in road.bookings[:2]]
    assert coming.sentence.startswith("Tech1 is on the way to you, ")
    assert coming.truck_at == (27.35, -82.5)
    assert coming.car == (PLACE.lat, PLACE.lng)
    assert coming.times == ("", "8:00 AM", "", "", "")
    assert (waiting.truck_at, waiting.car) == (None, None)
    at(monkeypatch, EIGHT + timedelta(minutes=5))
    assert (await shown(road.bookings[0])).truck_at is None


async def test_each_step_has_its_time_and_the_last_one_the_receipt(road, monkeypatch):
    at(monkeypatch, EIGHT + timedelta(minutes=30))
    minutes = [EIGHT + timedelta(minutes=each) for each in (5, 15, 17, 26)]
    await road.step(0, "arrived", driving_at=minutes[0], arrived_at=minutes[1])
    assert (await shown(road.bookings[0])).sentence == "Tech1 has arrived"
    await road.step(0, "fueling", fueling_at=minutes[2])
    assert (await shown(road.bookings[0])).sentence == "Tech1 is fueling your car"
    await road.step(0, "completed", ended_at=minutes[3])
    done = await shown(road.bookings[0])
    assert done.sentence == "Your car was filled at 8:26 AM"
    assert done.times == ("", "8:05 AM", "8:15 AM", "8:17 AM", "8:26 AM")
    assert (done.step, done.technician, done.truck_at) == (4, "", None)


async def test_link_ends_a_day_after_the_stop_or_after_its_window(road, monkeypatch):
    await road.step(0, "completed", ended_at=EIGHT)
    await change(road.bookings[1], state="cancelled")
    token = secrets.token(TRACKED, road.bookings[0].id)
    for booking, ended_at in ((road.bookings[0], EIGHT), (road.bookings[1], on_clock(DAY, 10))):
        at(monkeypatch, ended_at + timedelta(hours=24))
        assert await look(booking)
        at(monkeypatch, ended_at + timedelta(hours=24, seconds=1))
        assert await look(booking) is None
    with pytest.raises(LinkUnknown):
        await arrivals.open_link(token, HERE)


async def test_late_technician_is_said_and_nothing_is_promised_in_the_past(road, monkeypatch):
    at(monkeypatch, on_clock(DAY, 10) + timedelta(minutes=2))
    late = await shown(road.bookings[0])
    assert late.sentence == "Tech1 comes to you next, 10:05–10:25 AM"  # noqa: RUF001
    assert late.advice == (
        "That is after your window, Tue, Nov 24, 8–10 AM. We are sorry for the delay."  # noqa: RUF001
    )
    await road.step(0, "arrived", driving_at=EIGHT, arrived_at=on_clock(DAY, 10))
    assert (await shown(road.bookings[0])).advice == ""


async def test_evening_before_the_sentence_names_the_day(road, monkeypatch):
    at(monkeypatch, on_clock(TODAY, 18))
    assert (await shown(road.bookings[2])).sentence.startswith(
        "Tech1 comes on Tuesday, November 24"
    )


@pytest.mark.parametrize(
    ("state", "sentence", "advice"),
    [
        ("cancelled", "This fill-up is cancelled", "You can book another time"),
        (
            "failed",
            "Your car could not be filled: our technician could not get to it",
            "Please book another time",
        ),
        ("weather_hold", "Your fill-up is on hold: No access", "We come when we can"),
    ],
)
async def test_booking_that_does_not_take_place_says_what_to_do(road, state, sentence, advice):
    await change(road.bookings[1], state=state, reason="No access (gate, dog, person)")
    found = await shown(road.bookings[1])
    assert found.sentence.startswith(sentence)
    assert found.advice.startswith(advice)
    assert (found.step, found.technician, found.truck) == (-1, "", "")


async def test_moved_booking_says_to_when(road):
    booking = await a_booking(road.bookings[0].area_id, days=2, opens=16)
    await change(
        road.bookings[1],
        state="booked",
        slot_id=booking.slot_id,
        starts_at=booking.starts_at,
        ends_at=booking.ends_at,
    )
    moved = "Your fill-up was moved to Thu, Nov 26, 4–6 PM"  # noqa: RUF001
    assert (await shown(road.bookings[1])).sentence == moved
    planned = "Your fill-up is planned for Thu, Nov 26, 4–6 PM"  # noqa: RUF001
    assert (await shown(booking)).sentence == planned


@pytest.mark.parametrize("token", [None, 7, "", "x", ["a"], {"a": 1}, "\ud800", "9" * 5000])
async def test_anything_but_our_tokens_shows_nothing(sqlite_database, token):
    assert await arrivals.read_link(token) is None


async def test_tokens_of_other_purposes_and_of_no_booking_show_nothing(road):
    assert await arrivals.read_link(secrets.token(MANAGED, road.bookings[0].id)) is None
    assert await arrivals.read_link(secrets.token(TRACKED, road.shift.id)) is None


async def test_unknown_links_from_one_address_are_limited(road):
    known = secrets.token(TRACKED, road.bookings[0].id)
    for _ in range(20):
        assert await arrivals.open_link(known, HERE)
        with pytest.raises(LinkUnknown):
            await arrivals.open_link("x", HERE)
    with pytest.raises(TooManyRequests):
        await arrivals.open_link(known, HERE)
    assert await arrivals.open_link(known, "203.0.113.10")
