"""A published day that is opened again, and Undo of that."""

from datetime import timedelta

import pytest

from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.day import DayBegun, DayClosed, DayOver, NothingToPublish, RouteChanged
from fuel_app.dispatch.service import day_plan, publication, truck_routes
from fuel_app.dispatch.tables import PublishedDay
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, SHIFTS, listening
from tests.helpers import outbox
from tests.helpers.bookings import STAFF, TODAY, at
from tests.helpers.dispatch import (
    TOMORROW,
    a_day,
    change_stop,
    close,
    day_now,
    revisions,
    route,
    undo,
)
from tests.helpers.people import rows
from tests.helpers.stored_bookings import change, stored

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def publish() -> int:
    return await day_plan.publish(STAFF, TOMORROW, await revisions())


async def unpublish() -> str:
    return await publication.unpublish(STAFF, TOMORROW, await revisions())


async def test_day_is_opened_again_and_undo_publishes_it():
    shift, [a, b] = await a_day(1, 2)
    assert await unpublish() == ""
    await publish()
    await change(b, state="cancelled")
    known = (await route(shift))[1].told_at
    async with listening(SHIFTS, BOOKINGS) as heard:
        action = await unpublish()
        assert await heard.next(0) == {SHIFTS, BOOKINGS}
    assert ((await day_now()).published_at, (await stored(a)).state) == (None, "booked")
    assert [stop.told_at for stop in await route(shift)] == [None, known]
    assert [stop.id for stop in (await day_now()).routes[0].left] == [a.id]  # it is still there
    assert len(await rows(BookingEvent, kind="unpublish")) == 1
    assert not await outbox.stored()
    await undo(action)
    assert (await stored(a)).state == "dispatched"
    assert len(await rows(PublishedDay)) == 1


async def test_what_customers_were_told_stays_true_until_it_changes():
    shift, [a] = await a_day(1)
    await publish()
    [stop] = await route(shift)
    told = stop.begins_at + timedelta(hours=1)
    async with transaction() as session:
        booking = (await day_now()).routes[0].stops[0].booking
        assert booking
        await queries.set_notified_arrival(session, booking, "mail", told)
    await unpublish()
    await publish()
    async with transaction() as session:
        known = await queries.notified_arrivals(session, [a.id])
    assert list(known.values()) == [told]
    [waits] = await outbox.stored()  # an hour earlier than the customer knows, in the window
    assert (waits.kind, waits.channel) == ("arrival_moved", "mail")


async def test_board_says_beforehand_whom_publishing_tells():
    shift, bookings = await a_day(*range(1, 7))
    begun = (
        bookings[0].ends_at + timedelta(minutes=10),  # too little to be told
        bookings[1].ends_at + timedelta(minutes=30),
        bookings[2].ends_at + timedelta(minutes=45),
        *(bookings[each].ends_at + timedelta(minutes=n) for each, n in ((3, 60), (4, 75))),
        shift.ends_at + timedelta(minutes=20),
    )
    free_at = shift.starts_at
    for stop, begins_at in zip(await route(shift), begun, strict=True):
        leg_s = int((begins_at - free_at).total_seconds())
        await change_stop(stop, leg_s=leg_s, begins_at=begins_at)
        free_at = begins_at + timedelta(minutes=11)
    day = await day_now()
    async with transaction() as session:
        for stop, told in ((day.routes[0].stops[3], begun[3]), (day.routes[0].stops[4], begun[1])):
            assert stop.booking
            await queries.set_notified_arrival(session, stop.booking, "mail", told)
    board = await truck_routes.read_board(STAFF, TOMORROW)
    assert board.told == {bookings[each].id for each in (1, 2, 4, 5)}
    await publish()
    queued = await outbox.stored()
    assert {each.payload["booking"] for each in queued} == board.told
    assert (await truck_routes.read_board(STAFF, TOMORROW)).told == frozenset()


async def test_day_stays_published_once_a_technician_has_set_off():
    shift, _ = await a_day(1, 2)
    await publish()
    [first, _] = await route(shift)
    await change_stop(first, driving_at=first.begins_at)
    with pytest.raises(DayBegun):
        await unpublish()
    assert len(await rows(PublishedDay)) == 1


async def test_day_that_is_over_closed_or_another_one_by_now_is_not_opened(monkeypatch):
    shift, _ = await a_day(1)
    await publish()
    with pytest.raises(RouteChanged):
        await publication.unpublish(STAFF, TOMORROW, {})
    with pytest.raises(DayOver):
        await publication.unpublish(STAFF, TODAY - timedelta(1), {})
    action = await unpublish()
    at(monkeypatch, shift.starts_at + timedelta(days=2))
    with pytest.raises(DayOver):
        await undo(action)
    at(monkeypatch, shift.starts_at - timedelta(hours=12))
    await close(TOMORROW)
    with pytest.raises(DayClosed):
        await unpublish()


async def test_undo_publishes_no_day_that_was_planned_anew_meanwhile():
    shift, _ = await a_day(1)
    await publish()
    action = await unpublish()
    async with transaction() as session:
        await queries.increment_revisions(session, [shift.id])
    with pytest.raises(RouteChanged):
        await undo(action)
    assert not await rows(PublishedDay)


async def test_undo_of_a_day_that_has_no_stop_any_more_is_refused():
    _, [a] = await a_day(1)
    await publish()
    action = await unpublish()
    await change(a, state="cancelled")
    with pytest.raises(NothingToPublish):
        await undo(action)
