"""Publishing a day: its bookings are dispatched, once."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.service import changes
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch.rules.day import (
    DayClosed,
    DayOver,
    NothingToPublish,
    RouteChanged,
)
from fuel_app.dispatch.service import arrivals, day_plan, truck_routes
from fuel_app.dispatch.tables import PublishedDay
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, SHIFTS, listening
from tests.helpers import outbox
from tests.helpers.bookings import NOW, STAFF, TODAY, an_area, at, slot
from tests.helpers.dispatch import (
    TOMORROW,
    a_day,
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    close,
    day_now,
    ids,
    revisions,
    route,
)
from tests.helpers.people import rows
from tests.helpers.stored_bookings import change, stored

pytestmark = pytest.mark.usefixtures("database", "_now")


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def publish(seen=None) -> int:
    return await day_plan.publish(STAFF, TOMORROW, await revisions() if seen is None else seen)


async def told():
    return [each for each in await outbox.stored() if each.kind == "arrival_moved"]


async def dispatched() -> int:
    return len(await rows(BookingEvent, kind="publish"))


async def test_publishing_dispatches_the_bookings_and_notes_the_arrivals_that_they_know():
    shift, bookings = await a_day(1, 2)
    await truck_routes.add_refill(STAFF, shift.id, 1, await revisions())
    async with listening(SHIFTS, BOOKINGS) as heard:
        assert await publish() == 2
        assert await heard.next(0) == {SHIFTS, BOOKINGS}
    assert {(await stored(each)).state for each in bookings} == {"dispatched"}
    stops = await route(shift)
    assert [stop.told_at for stop in stops] == [stops[0].begins_at, None, stops[2].begins_at]
    assert (await day_now()).published_at == NOW


async def late_by(shift, booking, latest, late: timedelta) -> None:
    """Plan the only stop of a route so much later than a moment."""
    [stop] = await route(shift)
    drive = latest + late - shift.starts_at
    await change_stop(stop, leg_s=int(drive.total_seconds()), begins_at=latest + late)


async def test_customer_of_a_stop_beyond_its_window_is_told_once_by_publishing(monkeypatch):
    shift, [a] = await a_day(1)
    await late_by(shift, a, a.ends_at, timedelta(minutes=30))
    seen = await revisions()
    assert [await publish(seen), await publish({})] == [1, 0]
    [stop] = await route(shift)
    assert stop.told_at == a.ends_at  # nothing said so far but the window
    at(monkeypatch, NOW + arrivals.PAUSE)
    await outbox.run_worker()
    async with transaction() as session:
        await arrivals.notify_moved(session, TOMORROW)
    [only] = await told()
    assert (only.state, only.subject) == (
        "sent",
        "Your fill-up is now expected tomorrow, Tuesday, November 24, between 10:20 and 10:45 AM",
    )


async def test_customer_of_a_stop_after_the_shift_is_told_once_by_publishing(monkeypatch):
    shift, [a] = await a_day(1)
    await late_by(shift, a, shift.ends_at, timedelta(minutes=30))
    seen = await revisions()
    assert [await publish(seen), await publish({})] == [1, 0]
    at(monkeypatch, NOW + arrivals.PAUSE)
    await outbox.run_worker()
    async with transaction() as session:
        await arrivals.notify_moved(session, TOMORROW)
    [only] = await told()
    assert only.subject == "We may not reach you tomorrow, Tuesday, November 24"
    assert "before the shift ends. We will call you." in (only.body or "")


async def test_customers_of_stops_within_their_windows_are_told_nothing_by_publishing():
    await a_day(1, 2)
    await publish()
    assert not await told()


async def test_two_dispatchers_at_once_publish_once():
    await a_day(1, 2)
    seen = await revisions()
    assert sorted(await asyncio.gather(publish(seen), publish(seen))) == [0, 2]
    assert await dispatched() == 2


async def test_cancelled_and_moved_bookings_are_not_dispatched():
    shift, [a, b, c] = await a_day(1, 2, 3)
    await change(a, state="cancelled")
    await changes.move(STAFF, b.id, 1, slot(b.area_id, day=2), reason="Rain")
    assert await publish() == 1
    assert [(await stored(each)).state for each in (a, b, c)] == [
        "cancelled",
        "booked",
        "dispatched",
    ]
    assert len(await ids(shift)) == 3


async def test_booking_that_moves_at_the_same_time_is_dispatched_on_its_own_day_alone():
    _, [a, b] = await a_day(1, 2)
    moved = changes.move(STAFF, a.id, 1, slot(a.area_id, day=2), reason="Rain")
    published, _ = await asyncio.gather(publish(), moved, return_exceptions=True)
    now = await stored(a)
    assert (published, now.state, now.slot_id) in (
        (1, "booked", slot(a.area_id, day=2)),
        (2, "booked", slot(a.area_id, day=2)),  # dispatched first, then moved
        (2, "dispatched", a.slot_id),  # the move came too late
    )
    assert (await stored(b)).state == "dispatched"


async def test_routes_have_to_be_those_on_the_screen():
    _, [a] = await a_day(1)
    seen = await revisions()
    await a_shift(await a_truck(), await a_technician(2))  # another dispatcher's
    with pytest.raises(RouteChanged):
        await publish(seen)
    seen = await revisions()
    await truck_routes.pin(STAFF, a.id, True, seen)
    for stale in (seen, {}, None, "x", [], 1):
        with pytest.raises(RouteChanged):
            await day_plan.publish(STAFF, TOMORROW, stale)  # type: ignore[arg-type]
    assert not await rows(PublishedDay)


async def test_day_without_stops_is_not_published():
    await an_area()
    with pytest.raises(NothingToPublish):
        await publish()
    shift = await a_shift(await a_truck(), await a_technician())
    await truck_routes.add_refill(STAFF, shift.id, 0, await revisions())
    with pytest.raises(NothingToPublish):
        await publish()
    assert not await rows(PublishedDay)


async def test_day_that_is_over_or_closed_is_not_published():
    await a_day(1)
    with pytest.raises(DayOver):
        await day_plan.publish(STAFF, TODAY - timedelta(1), {})
    await close(TOMORROW)
    with pytest.raises(DayClosed):
        await publish()


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_only_dispatchers_publish(role):
    with pytest.raises(NotAllowed):
        await day_plan.publish(Actor(frozenset({role})), TOMORROW, {})
