"""Schedules of dispatch: arrivals as time passes, days that close, positions and photos that go."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event, select
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.dispatch import jobs, queries
from fuel_app.dispatch.tables import (
    FillPhoto,
    PublishedDay,
    StoredShift,
    StoredStop,
    TechnicianAction,
)
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs.registry import SCHEDULES
from tests.helpers import outbox
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route, shift_now
from tests.helpers.stored_bookings import a_booking, change

NIGHT = datetime(2026, 11, 24, 8, tzinfo=UTC)  # 3:00 in New York, after today
HOUR = timedelta(hours=1)

pytestmark = pytest.mark.usefixtures("database", "_clock")


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def a_day(*, published: bool = True) -> tuple[StoredShift, Any, StoredStop]:
    """Store today's shift with one stop."""
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    booking = await a_booking(await an_area(), days=0, opens=10)
    (stop,) = await on_route(shift, booking, published=published)
    return shift, booking, stop


async def closed_at() -> list[datetime | None]:
    async with reading() as session:
        return list(await session.scalars(select(col(PublishedDay.closed_at))))


@pytest.mark.parametrize(
    ("now", "runs"),
    [
        (datetime(2026, 11, 23, 15, tzinfo=UTC), datetime(2026, 11, 24, 8, tzinfo=UTC)),
        (datetime(2026, 11, 1, 4, tzinfo=UTC), datetime(2026, 11, 1, 8, tzinfo=UTC)),  # 25 hours
        (datetime(2026, 3, 8, 5, tzinfo=UTC), datetime(2026, 3, 8, 7, tzinfo=UTC)),  # 23 hours
    ],
)
def test_days_close_at_three_whatever_the_clocks_do(now, runs):
    assert SCHEDULES["dispatch.close"](now) == runs


def test_arrivals_are_followed_every_five_minutes():
    assert SCHEDULES["dispatch.follow"](NOW) == NOW + timedelta(minutes=5)


async def test_customer_is_told_of_a_delay_though_no_step_is_taken(monkeypatch):
    await a_day()
    at(monkeypatch, NOW + HOUR)
    await jobs.follow(NOW + HOUR)
    await jobs.follow(NOW + HOUR)
    assert [each.kind for each in await outbox.stored()] == ["arrival_moved"]


async def test_day_whose_stops_have_ended_is_closed_once():
    _, _, stop = await a_day()
    await change_stop(stop, ended_at=NOW)
    await jobs.close(NIGHT)
    await jobs.close(NIGHT + HOUR)
    assert await closed_at() == [NIGHT]


async def test_day_with_an_open_stop_is_closed_by_a_later_run():
    _, _, stop = await a_day()
    await change_stop(stop, driving_at=NOW, arrived_at=NOW, fueling_at=NOW)
    await jobs.close(NIGHT)
    assert await closed_at() == [None]
    await change_stop(stop, ended_at=NOW)  # sent when the phone found a line
    await jobs.close(NIGHT + 24 * HOUR)
    assert await closed_at() == [NIGHT + 24 * HOUR]


@pytest.mark.parametrize(
    "gone", [{"state": "cancelled"}, {"state": "failed"}, {"slot_id": "another"}]
)
async def test_stop_whose_booking_has_ended_or_moved_keeps_no_day_open(gone):
    _, booking, _ = await a_day()
    await change(booking, **gone)
    await jobs.close(NIGHT)
    assert await closed_at() == [NIGHT]


async def test_refill_that_was_left_out_keeps_no_day_open():
    shift, _, stop = await a_day()
    await change_stop(stop, ended_at=NOW)
    async with transaction() as session:
        session.add(StoredStop(shift_id=shift.id, place=2, leg_s=600, begins_at=NOW))
    await jobs.close(NIGHT)
    assert await closed_at() == [NIGHT]


async def test_today_stays_open():
    _, _, stop = await a_day()
    await change_stop(stop, ended_at=NOW)
    await jobs.close(NOW + 8 * HOUR)
    assert await closed_at() == [None]


async def test_day_that_was_never_published_is_not_closed():
    await a_day(published=False)
    await jobs.close(NIGHT)
    assert await closed_at() == []


async def test_positions_are_emptied_after_24_hours(monkeypatch):
    monkeypatch.setattr(jobs, "CHUNK", 1)
    where: dict[str, Any] = {"lat": 27.3, "lng": -82.5}
    old = [
        await a_shift(await a_truck(), None, date(2026, 11, day), position_at=NOW - 25 * HOUR)
        for day in (20, 21)
    ]
    fresh = await a_shift(await a_truck(), None, position_at=NOW - 23 * HOUR, **where)
    await jobs.purge(NOW)
    assert [(await shift_now(each)).position_at for each in old] == [None, None]
    assert (await shift_now(fresh)).lat == 27.3


async def test_photos_are_deleted_after_ninety_days():
    _, booking, _ = await a_day()
    async with transaction() as session:
        for name, days in (("old", 91), ("new", 89)):
            taken = NOW - timedelta(days=days)
            photo = FillPhoto(id=name, booking_id=booking.id, taken_at=taken, file=b"x")
            session.add(photo)
    await jobs.purge(NOW)
    async with reading() as session:
        assert list(await session.scalars(select(col(FillPhoto.id)))) == ["new"]


async def test_what_was_typed_at_a_stop_of_no_booking_is_emptied_after_thirty_days():
    person_id = (await a_technician(3)).person_id
    booking = await a_booking(await an_area(), person_id)
    async with transaction() as session:
        for name, stop, days in (
            ("old", "unknown", 31),
            ("nowhere", "", 31),
            ("booked", booking.id, 31),
            ("new", "other", 29),
        ):
            sent = NOW - timedelta(days=days)
            said = {"kind": "fail", "data": {"note": "Ada's dog"}, "at": sent, "received_at": sent}
            session.add(TechnicianAction(id=name, stop_id=stop, **said))
    await jobs.purge(NOW)
    async with reading() as session:
        left = {each.id: each.data for each in await session.scalars(select(TechnicianAction))}
    note = {"note": "Ada's dog"}
    assert left == {"old": {}, "nowhere": {}, "booked": note, "new": note}


async def typed(*stops: str, ago: timedelta) -> None:
    """Store what was typed at stops so long ago."""
    async with transaction() as session:
        for stop in stops:
            sent = NOW - ago
            said = {"kind": "fail", "data": {"note": "Ada's dog"}, "at": sent, "received_at": sent}
            session.add(TechnicianAction(id=stop, stop_id=stop, **said))


async def data_left() -> dict[str, dict[str, Any]]:
    async with reading() as session:
        return {each.id: each.data for each in await session.scalars(select(TechnicianAction))}


async def of_emptied_account(area: str, *opens: int) -> list[str]:
    """Store bookings of a person whose account is emptied."""
    person_id = (await a_technician(2)).person_id
    async with transaction() as session:
        (await session.get_one(Person, person_id)).deleted_at = NOW
    return sorted([(await a_booking(area, person_id, opens=each)).id for each in opens])


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_is_emptied_stays_so_though_a_later_part_fails(monkeypatch, is_known):
    monkeypatch.setattr(jobs, "CHUNK", 2)
    theirs = await of_emptied_account(await an_area(), 8, 10, 12)
    first, second, third = theirs if is_known else "abc"
    await typed(first, second, third, ago=HOUR if is_known else timedelta(days=31))
    empty = queries.empty_actions

    async def fails(session: Any, stop_ids: Any) -> None:
        if third in stop_ids:
            raise TimeoutError
        await empty(session, stop_ids)

    with monkeypatch.context() as patched:
        patched.setattr(queries, "empty_actions", fails)
        with pytest.raises(TimeoutError):
            await jobs.purge(NOW)
    assert await data_left() == {first: {}, second: {}, third: {"note": "Ada's dog"}}
    await jobs.purge(NOW)
    assert await data_left() == {first: {}, second: {}, third: {}}


async def test_what_is_empty_is_not_written_again(database):
    area = await an_area()
    [theirs] = await of_emptied_account(area, 8)
    guests = (await a_booking(area, opens=10)).id
    await typed(theirs, ago=HOUR)
    await typed("unknown", guests, ago=timedelta(days=31))
    written: list[int] = []

    def note(_c: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE technician_actions"):
            written.append(cursor.rowcount)

    event.listen(database.sync_engine, "after_cursor_execute", note)
    await jobs.purge(NOW)
    first = sum(written)
    await jobs.purge(NOW)
    event.remove(database.sync_engine, "after_cursor_execute", note)
    assert await data_left() == {theirs: {}, guests: {}, "unknown": {}}
    assert (first, sum(written)) == (3, 3)


async def test_what_a_phone_sends_after_an_account_was_emptied_goes_by_the_next_night():
    area = await an_area()
    gone, here = (await a_technician(2)).person_id, (await a_technician(3)).person_id
    async with transaction() as session:
        (await session.get_one(Person, gone)).deleted_at = NOW - timedelta(days=1)
    theirs = [
        (await a_booking(area, each, opens=opens)).id for each, opens in ((gone, 8), (here, 10))
    ]
    async with transaction() as session:
        for stop in theirs:
            said = {"kind": "fail", "data": {"note": "Ada's dog"}, "at": NOW - HOUR}
            row = TechnicianAction(id=stop, stop_id=stop, received_at=NOW - HOUR, **said)
            session.add(row)
            session.add(FillPhoto(id=stop, booking_id=stop, taken_at=NOW - HOUR, file=b"x"))
    await jobs.purge(NOW)
    async with reading() as session:
        left = {each.id: each.data for each in await session.scalars(select(TechnicianAction))}
        photos = list(await session.scalars(select(col(FillPhoto.id))))
    assert left == {theirs[0]: {}, theirs[1]: {"note": "Ada's dog"}}
    assert photos == theirs[1:]


async def test_what_was_noted_at_a_guests_stop_goes_after_thirty_days_and_the_figures_stay():
    area = await an_area()
    figures = {"ticket": "T-1", "meter_end": "12"}
    data = figures | {"note": "Gus's dog", "reason": "blocked"}
    stops = [(await a_booking(area, opens=opens)).id for opens in (8, 10)]
    async with transaction() as session:
        for name, stop, days in (("old", stops[0], 31), ("new", stops[1], 29)):
            sent = NOW - timedelta(days=days)
            said = {"kind": "fail", "data": data, "at": sent, "received_at": sent}
            said |= {"stop_id": stop, "refused": "No."}
            session.add(TechnicianAction(id=name, **said))
    await jobs.purge(NOW)
    await jobs.purge(NOW)
    async with reading() as session:
        left = {each.id: each for each in await session.scalars(select(TechnicianAction))}
    assert (left["old"].data, left["old"].refused) == (figures, "No.")
    assert left["new"].data == data
