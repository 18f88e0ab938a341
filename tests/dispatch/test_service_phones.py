"""A technician's actions: each is taken once, in order, with its own time."""

import asyncio
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import NotAllowed
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.service import access
from fuel_app.bookings.tables import BookingEvent
from fuel_app.customers.tables import StoredVehicle
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules import phones as rules
from fuel_app.dispatch.rules.drives import directions_link
from fuel_app.dispatch.rules.phones import PhotoGone
from fuel_app.dispatch.service import arrivals, fill_records, phones
from fuel_app.dispatch.tables import StoredStop
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import SHIFTS, listening, one
from tests.helpers import dispatch, fills, phone
from tests.helpers.bank import Bank, bank
from tests.helpers.bookings import STAFF
from tests.helpers.people import rows
from tests.helpers.phone import a_road, action, later, send

pytestmark = pytest.mark.usefixtures("_clock")
on_sqlite = pytest.mark.usefixtures("sqlite_database")
on_both = pytest.mark.usefixtures("database")


async def kinds() -> list[str]:
    return [each.kind for each in await rows(BookingEvent) if each.kind != "book"]


@pytest.mark.usefixtures("database")
async def test_whole_stop_is_driven_filled_and_billed_with_the_phones_times(monkeypatch):
    road = await a_road(monkeypatch)
    began = clock.now()
    steps = [
        action(kind, road.id, at=phone.ms(began + timedelta(minutes=n)))
        for n, kind in enumerate(("drive", "arrive", "fuel", "complete"))
    ]
    later(monkeypatch, hours=1)
    assert await send(road.technician, *steps) == [""] * 4
    minutes = [began + timedelta(minutes=n) for n in range(4)]
    stop, booking = await road.stop(), await road.now()
    assert [stop.driving_at, stop.arrived_at, stop.fueling_at, stop.ended_at] == minutes
    assert (booking.state, booking.completed_at) == ("completed", minutes[3])
    assert (booking.filled_milligallons, await kinds()) == (
        12_345,
        ["drive", "arrive", "fuel", "complete"],
    )
    assert [each.at for each in await access.list_steps(road.id)][1:] == minutes
    [bill] = await fills.bills(booking)
    assert (bill.state, bill.details["filled_at"]) == ("draft", minutes[3].isoformat())


@pytest.mark.usefixtures("database")
async def test_same_batch_sent_again_after_a_lost_answer_is_taken_once(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive", "arrive")]
    first = await send(road.technician, *batch)
    assert first == ["", "", "Press 'Start driving' first."]
    assert await send(road.technician, *batch) == first
    assert await kinds() == ["drive", "arrive"]
    assert [(each.kind, each.refused) for each in await phone.actions()] == [
        ("drive", ""),
        ("arrive", ""),
        ("arrive", first[2]),
    ]


@pytest.mark.usefixtures("database")
async def test_same_batch_in_two_requests_at_once_is_taken_once(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive", "fuel", "complete")]
    both = await asyncio.gather(*(send(road.technician, *batch) for _ in range(2)))
    assert both == [[""] * 4] * 2
    assert await kinds() == ["drive", "arrive", "fuel", "complete"]
    assert len(await fills.bills(road.booking)) == 1


@pytest.mark.usefixtures("database")
async def test_unexpected_error_leaves_the_action_unheard_and_the_ones_before_taken(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive")]

    async def broken(*_: object) -> None:
        raise RuntimeError

    whole = phones._mark_step
    monkeypatch.setattr(phones, "_mark_step", broken)
    with pytest.raises(RuntimeError):
        await send(road.technician, *batch)
    assert (await phone.actions(), (await road.now()).state) == ([], "dispatched")
    monkeypatch.setattr(phones, "_mark_step", whole)
    assert await send(road.technician, *batch) == ["", ""]


@on_sqlite
async def test_queue_of_another_person_is_refused(monkeypatch):
    road = await a_road(monkeypatch)
    for person in (road.customer.id, "", None, 7, [road.technician.person_id]):
        with pytest.raises(NotAllowed):
            await phones.receive_actions(road.technician, person, [action("drive", road.id)])
    assert await phone.actions() == []


@on_sqlite
@pytest.mark.parametrize(
    ("sent", "named"),
    [(None, ""), (7, ""), ("x", ""), ({}, ""), ([], ""), ({"id": 7}, ""), ({"id": "x"}, "x")],
)
async def test_unreadable_action_is_refused_and_does_not_hold_up_others(monkeypatch, sent, named):
    road = await a_road(monkeypatch)
    good = action("drive", road.id)
    [bad, heard] = await phones.receive_actions(
        road.technician, road.technician.person_id, [sent, good]
    )
    assert (bad.id, bad.said, heard.said) == (named, rules.OLD_APP, "")


@on_sqlite
async def test_only_so_many_actions_are_heard_at_once(monkeypatch):
    road = await a_road(monkeypatch)
    batch = [action("arrive", road.id) for _ in range(rules.ACTIONS_MOST + 3)]
    assert len(await send(road.technician, *batch)) == rules.ACTIONS_MOST


@on_sqlite
async def test_id_of_another_technicians_action_discloses_and_changes_nothing(monkeypatch):
    road = await a_road(monkeypatch)
    other = await dispatch.a_technician(2)
    first = action("arrive", road.id)
    await send(road.technician, first)
    assert await send(other, first) == [rules.OLD_APP]


@pytest.mark.usefixtures("database")
async def test_customers_are_told_of_the_trip_the_arrival_and_what_it_moves_once(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    batch = [action(each, road.id) for each in ("drive", "arrive")]
    for _ in range(2):
        await send(road.technician, *batch)
    later(monkeypatch, hours=4)
    await road.do("fuel", "complete")
    assert [len(await fills.said(each)) for each in ("on_the_way", "arrived")] == [1, 1]
    [moved] = await fills.said("arrival_moved")
    assert moved["booking"] == guest.id


@pytest.mark.slow
@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", id="two writers")])
async def test_shift_that_lost_the_stop_meanwhile_is_unlocked_before_the_next(monkeypatch):
    road = await a_road(monkeypatch)
    former, lock, free = road.shift, queries.lock_shifts, []

    async def lock_while_moved(session, shift_ids):
        if road.shift is former:
            await phone.reassign(road)
        else:
            async with transaction() as other:
                free.extend(await queries.lock_day(other, former.day, free_only=True))
        return await lock(session, shift_ids)

    monkeypatch.setattr(phones.queries, "lock_shifts", lock_while_moved)
    assert await send(road.technician, action("drive", road.id)) == [rules.ANOTHERS]
    assert former.id in free


@on_sqlite
async def test_steps_out_of_order_are_refused(monkeypatch):
    road = await a_road(monkeypatch)
    first, then = "Press 'Start driving' first.", "Press 'I'm here' first."
    assert await road.do("arrive", "fuel", "back") == [first, then, "There is nothing to undo."]
    reason = action("fail", road.id, {"reason": "not_found"})
    assert await send(road.technician, reason) == [first]
    assert await road.do("drive", "drive") == ["", "This stop has begun already."]
    assert await road.do("dance") == [rules.OLD_APP]
    assert await phones.receive_actions(road.technician, road.technician.person_id, {"a": 1}) == []
    assert (await road.stop()).arrived_at is None


@on_sqlite
async def test_last_step_is_undone(monkeypatch):
    road = await a_road(monkeypatch)
    forget = AsyncMock()
    monkeypatch.setattr(arrivals, "forget_trip", forget)
    await road.do("drive")
    left_at = (await road.stop()).driving_at
    await road.do("arrive", "fuel")
    for state, left in (("arrived", 2), ("en_route", 1), ("dispatched", 0)):
        assert await road.do("back") == [""]
        stop = await road.stop()
        kept = [each for each in (stop.driving_at, stop.arrived_at, stop.fueling_at) if each]
        assert ((await road.now()).state, len(kept)) == (state, left)
    [(_, booking, row_id, when)] = [each.args for each in forget.await_args_list]
    assert (booking.id, row_id, when) == (road.id, stop.id, left_at)


@on_sqlite
async def test_fueling_needs_the_whole_safety_check(monkeypatch):
    """Such as a wrong plate: it stays unticked."""
    road = await a_road(monkeypatch)
    await road.do("drive", "arrive")
    ticked = phone.ALL["checked"]
    for data, missing in (
        ({}, "The engine is off"),
        ({"checked": ticked[:-1]}, "not complete: The license plate matches."),
        ({"checked": "plate"}, "The engine is off"),
    ):
        [why] = await send(road.technician, action("fuel", road.id, data))
        assert missing in why
    assert await road.do("fuel") == [""]


@on_sqlite
async def test_stop_that_could_not_be_filled_ends_with_its_reason(monkeypatch):
    road = await a_road(monkeypatch, held=True)
    await road.do("drive", "arrive")
    for data in ({}, {"reason": "x"}, {"reason": 7}, {"reason": "other"}):
        [why] = await send(road.technician, action("fail", road.id, data))
        assert why.startswith("Please say why")
    data = {"reason": "fuel_door", "note": "Locked"}
    assert await send(road.technician, action("fail", road.id, data)) == [""]
    booking = await road.now()
    assert (booking.state, booking.reason, booking.ended_by) == (
        *("failed", "Fuel door closed or locked"),
        "technician",
    )
    assert (await road.stop()).ended_at == clock.now()
    [told] = await fills.said("fill_failed")
    assert told["charge"] == "$15.00 late fee"


@on_sqlite
async def test_stop_fails_on_the_way_for_a_reason_without_a_fee_alone(monkeypatch):
    road = await a_road(monkeypatch, held=True)
    await road.do("drive")
    for reason, said in (
        ("moved", "This reason costs a late fee. Press 'I'm here' first."),
        ("truck_trouble", ""),
    ):
        assert await send(road.technician, action("fail", road.id, {"reason": reason})) == [said]
    booking = await road.now()
    assert (booking.state, booking.reason) == ("failed", "Truck trouble")
    [told] = await fills.said("fill_failed")
    assert "fee" not in told["charge"]


@on_sqlite
async def test_steps_on_other_routes_and_days_are_refused(monkeypatch):
    road = await a_road(monkeypatch)
    other = await dispatch.a_technician(2)
    assert await send(other, action("drive", road.id)) == [rules.ANOTHERS]
    assert await send(other, action("drive", road.customer.id)) == [rules.NOT_YOURS]
    later(monkeypatch, days=-1)
    assert await road.do("drive") == [rules.NOT_TODAY]
    later(monkeypatch, days=1)
    await phone.close_day(road.shift)
    assert await road.do("drive") == ["This day is closed."]


@on_sqlite
async def test_route_that_is_not_published_any_more_is_refused(monkeypatch):
    road = await a_road(monkeypatch)
    await phone.unpublish(road.shift)
    assert await road.do("drive") == ["This route is not published any more."]


@on_sqlite
async def test_stop_done_before_the_others_comes_first_on_the_route(monkeypatch):
    road = await a_road(monkeypatch)
    second = await phone.a_guest(road, monkeypatch)
    assert await phone.do(road.technician, second.id, "drive") == [""]
    stops = await dispatch.route(road.shift)
    assert [(each.booking_id, each.place) for each in stops] == [(second.id, 1), (road.id, 2)]
    assert stops[0].driving_at == clock.now()
    assert (await dispatch.shift_now(road.shift)).revision == 2
    assert await phone.do(road.technician, second.id, "arrive") == [""]
    assert (await dispatch.shift_now(road.shift)).revision == 2


@on_sqlite
async def test_refill_is_driven_to_and_done_without_a_booking(monkeypatch):
    road = await a_road(monkeypatch)
    refill = await phone.a_refill(road)
    once = "This stop has begun already."
    do = [action(each, refill) for each in ("arrive", "back", "drive", "drive", "arrive", "fuel")]
    assert await send(road.technician, *do) == [
        *("Press 'Start driving' first.", "There is nothing to undo.", "", once, ""),
        rules.OLD_APP,
    ]
    assert await phone.do(road.technician, refill, "back", "back", "complete", "drive") == [
        *("", "", "", "This refill is done already.")
    ]
    [row] = [each for each in await dispatch.route(road.shift) if each.id == refill]
    assert (row.driving_at, row.arrived_at, row.ended_at) == (None, None, clock.now())


LOADED = {"loaded_regular": "120.5", "loaded_diesel": "0"}


@on_both
async def test_refill_says_what_it_has_loaded_and_is_put_right(monkeypatch):
    road = await a_road(monkeypatch)
    refill = await phone.a_refill(road)

    async def loaded() -> Any:
        [row] = [each for each in await dispatch.route(road.shift) if each.id == refill]
        return row.loaded

    async def shown() -> Any:
        stops = (await phones.read_day(road.technician))["stops"]
        return next(each for each in stops if each["id"] == refill)

    tanks = [(each["field"], each["grade"], each["most"]) for each in (await shown())["tanks"]]
    assert tanks == [
        ("loaded_regular", "Regular", 300_000),
        ("loaded_diesel", "Diesel", 100_000),
    ]
    assert await send(road.technician, action("correct", refill, LOADED)) == [rules.NOT_DONE]
    assert await phone.do(road.technician, refill, "drive", "arrive") == ["", ""]
    wrong = [
        action("complete", refill, {"loaded_regular": typed}) for typed in ("300.001", "x", "1e3")
    ]
    assert await send(road.technician, *wrong) == [
        "Regular: the tank holds 300",
        *["Enter gallons, such as 120.5"] * 2,
    ]
    beside = action("complete", refill, {"loaded_plus": "1"})
    assert await send(road.technician, beside) == ["Enter the gallons; 0 if none were loaded"]
    assert (await loaded(), (await shown())["state"]) == (None, "arrived")
    assert await send(road.technician, action("complete", refill, LOADED)) == [""]
    assert await loaded() == {"regular": 120_500, "diesel": 0}
    now = await shown()
    assert (now["load"], now["can_correct"]) == (LOADED, True)
    more = {"loaded_regular": "121", "loaded_diesel": ""}
    assert await send(road.technician, action("correct", refill, more)) == [""]
    assert await loaded() == {"regular": 121_000, "diesel": 0}
    assert await send(road.technician, action("correct", refill, {})) == [""]
    assert await loaded() == {"regular": 121_000, "diesel": 0}


@on_sqlite
async def test_refill_of_an_app_that_does_not_ask_yet_is_done_and_says_nothing(monkeypatch):
    road = await a_road(monkeypatch)
    refill = await phone.a_refill(road)
    steps = [action(kind, refill, {}) for kind in ("drive", "arrive", "complete")]
    assert await send(road.technician, *steps) == ["", "", ""]
    [row] = [each for each in await dispatch.route(road.shift) if each.id == refill]
    assert (row.loaded, row.ended_at) == (None, clock.now())


__all__ = ["bank"]
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
        "hours": "7 AM–7 PM",  # noqa: RUF001
        "home": directions_link(Point(27.36, -82.52)),
        "next_shift": "",
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
            "cars": [],
            "fill_id": road.booking.fills[0].id,
            "outcome": "",
            "car": "2020 Toyota Camry, Blue",
            "plate": "GUL 1 (FL)",
            "photo": PICTURE,
            "address": "100 Main St, Sarasota, FL 34236",
            "navigate": directions_link(Point(27.33, -82.54)),
            "spot": "Driveway",
            "gate_code": "",
            "notes": "",
            "grade": "Regular",
            "grade_id": "regular",
            "fuel_door": "Unlocked",
            "covered": "Up to 17.6 gallons are covered.",
            "window": "8–10 AM",  # noqa: RUF001
            "expected": "About 8:10 AM",
            "late_fee": "$15.00",
            "rest": "",
            "tank_most": 17_600,
            "fill": None,
            "gallons": "",
            "can_correct": False,
            "photos": 0,
            "tanks": [],
            "load": None,
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
async def test_stop_that_is_not_to_be_filled_says_why_and_hides_its_gate_code(monkeypatch):
    road = await a_road(monkeypatch)
    place = asdict(road.booking.place) | {"gate_code": "1234"}
    for state, shown, gone in (
        ("cancelled", "gone", "This stop was cancelled."),
        ("failed", "failed", ""),
    ):
        await fills.change(road.booking, place=place, state=state)
        stop = await road.told()
        assert (stop["state"], stop["gone"]) == (shown, gone)
        assert stop["gate_code"] == ("" if gone else "1234")


@on_sqlite
async def test_guests_and_refills_are_shown_too(monkeypatch):
    road = await a_road(monkeypatch)
    guest = await phone.a_guest(road, monkeypatch)
    await fills.change(guest, place=asdict(guest.place) | {"is_approximate": True})
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
    tomorrow = road.booking.day + timedelta(days=1)
    await dispatch.a_shift(await dispatch.a_truck(), road.technician, tomorrow)
    assert (await phones.read_day(road.technician))["next_shift"] == "Friday, November 27, 7:00 AM"
    later(monkeypatch, days=1)
    assert (await phones.read_day(road.technician))["date"] == road.booking.day.isoformat()
    await road.do("drive", "complete")
    today = (road.booking.day + timedelta(days=1)).isoformat()
    assert (await phones.read_day(road.technician))["date"] == today


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
    for by, photo, left in (
        (other, first, 1),
        (road.technician, second, 1),
        (road.technician, first, 0),
    ):
        await send(by, action("remove_photo", road.id, {"photo": photo["id"]}))
        listed = await fill_records.photos_of_bookings(STAFF, [road.id])
        assert len(listed[road.id]) == left
    third = action("photo", road.id)
    await send(road.technician, third)
    await road.do("drive", "complete")
    remove = action("remove_photo", road.id, {"photo": third["id"]})
    assert await send(road.technician, remove) == ["This stop has ended: its photos stay."]
    assert (await road.told())["photos"] == 1
    for unknown in (second["id"], "x", None):
        with pytest.raises(PhotoGone):
            await fill_records.read_photo(STAFF, unknown)
