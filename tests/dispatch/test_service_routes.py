"""Writing routes, and undoing it."""

from tests.helpers.bookings import NOW, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, on_route, route, shift_now
from tests.helpers.stored_bookings import a_booking, stored


async def test_bookings_on_a_published_route_are_dispatched(database, monkeypatch):
    at(monkeypatch, NOW)
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 10)]
    await on_route(shift, *bookings, published=True)
    assert [stop.booking_id for stop in await route(shift)] == [each.id for each in bookings]
    assert [(await stored(each)).state for each in bookings] == ["dispatched"] * 2
    assert (await shift_now(shift)).revision == 1
