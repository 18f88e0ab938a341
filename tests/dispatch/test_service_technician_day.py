"""A technician's day as the phone shows it."""

import asyncio
from dataclasses import asdict
from datetime import timedelta

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Point
from fuel_app.customers.tables import StoredVehicle
from fuel_app.dispatch.rules.drives import directions_link
from fuel_app.dispatch.rules.phones import PhotoGone
from fuel_app.dispatch.service import fill_records, phones
from fuel_app.dispatch.tables import StoredStop
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import SHIFTS, listening, one
from tests.helpers import dispatch, fills, phone
from tests.helpers.bank import Bank, bank
from tests.helpers.bookings import STAFF
from tests.helpers.people import rows
from tests.helpers.phone import a_road, action, later, send

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("_clock")
on_sqlite = pytest.mark.usefixtures("sqlite_database")
PICTURE = "data:image/webp;base64,AAAA"


@on_sqlite
async def test_all_phones_of_a_company_may_ask_at_once(monkeypatch):
    road = await a_road(monkeypatch)
    async with asyncio.timeout(10):  # the pool's own patience is 30 s, and it has 15 connections
        days = await asyncio.gather(*[phones.read_day(road.technician) for _ in range(40)])
    assert [len(each["stops"]) for each in days] == [1] * 40


@pytest.mark.usefixtures("database")
async def test_day_shows_all_that_the_technician_needs(bank: Bank, monkeypatch):
    road = await a_road(monkeypatch, held=True)
    async with transaction() as session:
        theirs = update(StoredVehicle).where(col(StoredVehicle.id) == road.customer.car_id)
        await session.execute(theirs.values(image=PICTURE))
    day = await phones.read_day(road.technician)
    stops = day.pop("stops")
    assert day == {
        "person": road.technician.person_id,
        "as_of": phone.ms(),
        "date": "2026-11-26",
        "title": "Thursday, November 26",
        "state": "published",
        "message": "",
        "truck": day["truck"],
        "hours": "7:00 AM - 7:00 PM",
        "can_send_position": True,
    }
    assert stops == [
        {
            "id": road.id,
            "kind": "fill",
            "place": 1,
            "state": "waiting",
            "state_text": "To do",
            "gone": "",
            "customer": "Ada Lovelace",
            "phone": "+19415550001",
            "phone_text": "(941) 555-0001",
            "car": "2020 Toyota Camry, Blue",
            "plate": "GUL 1 (FL)",
            "photo": PICTURE,
            "address": "100 Main St, Sarasota, FL 34236",
            "navigate": directions_link(Point(27.33, -82.54)),
            "spot": "Driveway",
            "gate_code": "",
            "notes": "",
            "grade": "Regular",
            "fuel_door": "Unlocked",
            "covered": "Up to 17.6 gallons are covered.",
            "window": "08:00 AM - 10:00 AM",
            "expected": "About 8:10 AM",
            "tank_most": 17_600,
            "fill": None,
            "gallons": "",
            "can_correct": False,
            "photos": 0,
        }
    ]


@on_sqlite
async def test_stop_follows_its_steps_until_it_can_be_corrected(monkeypatch):
    road = await a_road(monkeypatch)
    seen = []
    for kind in ("drive", "arrive", "fuel", "complete"):
        await road.do(kind)
        seen.append((await road.told())["state_text"])
    assert seen == ["On the way", "There", "Fueling", "Done"]
    told = await road.told()
    assert (told["gallons"], told["can_correct"], told["expected"]) == ("12.345", True, "")
    assert told["fill"] == {"meter_start": "100.000", "meter_end": "112.345", "ticket": "T-1"}
    assert (await phones.read_day(road.technician))["can_send_position"] is False
    await phone.close_day(road.shift)
    told = await road.told()
    assert (told["state"], told["can_correct"]) == ("completed", False)


@on_sqlite
@pytest.mark.parametrize(
    ("values", "state", "gone"),
    [
        ({"state": "cancelled"}, "gone", "This stop was cancelled."),
        ({"state": "weather_hold"}, "gone", "This stop is on hold."),
        ({"slot_id": "x"}, "gone", "This stop was moved to another time."),
        ({"state": "failed"}, "failed", ""),
    ],
)
async def test_stop_that_is_not_to_be_filled_says_why(monkeypatch, values, state, gone):
    road = await a_road(monkeypatch)
    place = asdict(road.booking.place) | {"gate_code": "1234"}
    await fills.change(road.booking, place=place, **values)
    stop = await road.told()
    assert (stop["state"], stop["gone"]) == (state, gone)
    assert stop["gate_code"] == ("" if gone else "1234")


@on_sqlite
async def test_guests_and_refills_are_shown_too(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await fills.change(guest, place=guest_place(guest))
    refill = await phone.a_refill(road)
    stops = (await phones.read_day(road.technician))["stops"]
    assert [each["place"] for each in stops] == [1, 2, 3]
    gus, home = stops[1:]
    assert (gus["customer"], gus["phone"], gus["photo"]) == ("Gus Guest", "+19415550199", "")
    assert gus["covered"] == "Nothing is held: ask the office."
    assert gus["navigate"] == directions_link("100 Main St, Sarasota, FL 34236")
    assert (home["kind"], home["id"], home["customer"]) == ("refill", refill, "Refill")
    assert home["address"] == "1 Depot Rd, Sarasota, FL 34236"
    assert home.keys() == gus.keys()
    for kind, state in (("drive", "en_route"), ("arrive", "arrived"), ("complete", "completed")):
        await phone.do(road.technician, refill, kind)
        [home] = [e for e in (await phones.read_day(road.technician))["stops"] if not e["car"]]
        assert home["state"] == state


def guest_place(guest):
    return {
        **{name: getattr(guest.place, name) for name in guest.place.__slots__},
        "is_approximate": True,
    }


@on_sqlite
async def test_days_without_a_route_say_so(monkeypatch):
    road = await a_road(monkeypatch)
    other = await dispatch.a_technician(2)
    day = await phones.read_day(other)
    assert (day["state"], day["message"], day["stops"]) == ("none", "You have no shift today.", [])
    await dispatch.a_shift(await dispatch.a_truck(), other, road.booking.day)
    assert (await phones.read_day(other))["message"] == "There are no stops on your route."
    third = await dispatch.a_technician(3)
    await dispatch.a_shift(await dispatch.a_truck(), third, road.booking.day, broken_at=clock.now())
    message = "Your truck is out of service. The office has its stops."
    assert (await phones.read_day(third))["message"] == message
    await phone.unpublish(road.shift)
    day = await phones.read_day(road.technician)
    message = "Your route is not published yet."
    assert (day["state"], day["message"], day["stops"]) == ("open", message, [])


@on_sqlite
async def test_day_before_stays_until_its_stops_are_ended_or_it_is_closed(monkeypatch):
    road = await a_road(monkeypatch)
    later(monkeypatch, days=1)
    assert (await phones.read_day(road.technician))["date"] == road.booking.day.isoformat()
    await road.do("drive", "complete")
    today = (road.booking.day + timedelta(days=1)).isoformat()
    assert (await phones.read_day(road.technician))["date"] == today


@on_sqlite
async def test_only_technicians_have_a_day():
    for role in (Role.CUSTOMER, Role.DISPATCHER, Role.ADMIN):
        other = Actor(frozenset({role}), "x")
        with pytest.raises(NotAllowed):
            await phones.read_day(other)
        with pytest.raises(NotAllowed):
            await phones.note_position(other, {"lat": 27.1, "lng": -82.1})
        with pytest.raises(NotAllowed):
            await fill_records.store_photo(other, "x", phone.picture())


@pytest.mark.usefixtures("database")
async def test_position_is_kept_while_the_route_is_active(monkeypatch):
    road = await a_road(monkeypatch)
    [stop] = await rows(StoredStop)
    async with listening(SHIFTS, one(SHIFTS, stop.shift_id)) as heard:
        await phones.note_position(road.technician, {"lat": 27.1, "lng": -82})
        assert await heard.next(0) == {one(SHIFTS, stop.shift_id)}
    [route] = (await dispatch.day_now(road.booking.day)).routes
    assert (route.shift.position, route.shift.position_at) == (Point(27.1, -82.0), clock.now())
    await road.do("complete")
    await phones.note_position(road.technician, {"lat": 28, "lng": -82})
    await phones.note_position(await dispatch.a_technician(2), {"lat": 28, "lng": -82})
    [route] = (await dispatch.day_now(road.booking.day)).routes
    assert route.shift.position == Point(27.1, -82.0)


@pytest.mark.usefixtures("database")
async def test_photo_is_stored_once_and_shown_to_staff(monkeypatch):
    road = await a_road(monkeypatch)
    first, second = action("photo", road.id), action("photo", road.id)
    await send(road.technician, first, second)
    file = phone.picture()
    await fill_records.store_photo(road.technician, first["id"], file)
    await fill_records.store_photo(road.technician, first["id"], phone.picture("PNG"))
    assert await fill_records.read_photo(STAFF, first["id"]) == (file, "image/jpeg")
    listed = await fill_records.photos_of_bookings(STAFF, [road.id, "other"])
    assert listed == {road.id: [first["id"]], "other": []}
    other = await dispatch.a_technician(2)
    for by, photo_id in ((other, first["id"]), (road.technician, "x"), (road.technician, 7)):
        with pytest.raises(PhotoGone):
            await fill_records.store_photo(by, photo_id, file)
    for unknown in (second["id"], "x", None):
        with pytest.raises(PhotoGone):
            await fill_records.read_photo(STAFF, unknown)
    with pytest.raises(NotAllowed):
        await fill_records.read_photo(road.technician, first["id"])
    with pytest.raises(NotAllowed):
        await fill_records.photos_of_bookings(road.technician, [road.id])
