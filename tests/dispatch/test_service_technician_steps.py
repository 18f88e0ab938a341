"""The steps of a stop: in order, undone, on one's own route of a day that is published."""

import pytest

from fuel_app.bookings.rules.states import CANCELLED
from fuel_app.dispatch.rules import phones as rules
from fuel_app.kit import clock
from tests.helpers import dispatch, fills, phone
from tests.helpers.phone import a_road, action, later, send

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def test_steps_out_of_order_are_refused(monkeypatch):
    road = await a_road(monkeypatch)
    first, then = "Press 'Start driving' first.", "Press 'I'm here' first."
    assert await road.do("arrive", "fuel", "back") == [first, then, "There is nothing to undo."]
    reason = action("fail", road.id, {"reason": "not_found"})
    assert await send(road.technician, reason) == [then]
    assert await road.do("drive", "drive") == ["", "This stop has begun already."]
    assert (await road.stop()).arrived_at is None


async def test_last_step_is_undone(monkeypatch):
    road = await a_road(monkeypatch)
    await road.do("drive", "arrive", "fuel")
    for state, left in (("arrived", 2), ("en_route", 1), ("dispatched", 0)):
        assert await road.do("back") == [""]
        stop = await road.stop()
        kept = [each for each in (stop.driving_at, stop.arrived_at, stop.fueling_at) if each]
        assert ((await road.now()).state, len(kept)) == (state, left)


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


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"state": CANCELLED}, "This stop was cancelled."),
        ({"state": "weather_hold"}, "This stop is on hold."),
        ({"state": "booked"}, rules.NOT_RELEASED),
        ({"slot_id": "another"}, "This stop was moved to another time."),
        ({"state": "failed"}, "This stop has ended already."),
        ({"state": "completed"}, "This stop is done already."),
    ],
)
async def test_booking_that_changed_while_the_phone_was_offline_is_said(monkeypatch, values, why):
    road = await a_road(monkeypatch)
    await fills.change(road.booking, **values)
    reason = action("fail", road.id, {"reason": "weather"})
    assert await road.do("drive", "arrive", "fuel", "back") == [why] * 4
    assert await send(road.technician, reason) == [why]
    assert (await road.stop()).driving_at is None


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


async def test_hours_of_a_shift_may_be_over_but_not_the_shift_gone(monkeypatch):
    road = await a_road(monkeypatch)
    later(monkeypatch, hours=14)
    assert await road.do("drive") == [""]
    await phone.remove(road.shift)
    assert await road.do("arrive") == [rules.NOT_YOURS]


async def test_route_that_is_not_published_any_more_is_refused(monkeypatch):
    road = await a_road(monkeypatch)
    await phone.unpublish(road.shift)
    assert await road.do("drive") == ["This route is not published any more."]


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
