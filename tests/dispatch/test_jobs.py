"""Schedules of dispatch: arrivals as time passes, days that close, positions and photos that go."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event

from fuel_app.accounts.tables import Person
from fuel_app.dispatch import jobs, queries
from fuel_app.dispatch.tables import (
    FillPhoto,
    PublishedDay,
    StoredShift,
    StoredStop,
    TechnicianAction,
)
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.registry import SCHEDULES
from tests.helpers import outbox
from tests.helpers.bookings import NOW, TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route, shift_now
from tests.helpers.people import rows
from tests.helpers.stored_bookings import a_booking, change

NIGHT = datetime(2026, 11, 24, 8, tzinfo=UTC)  # 3:00 in New York, after today
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOTE = {"note": "Ada's dog"}

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def a_day(*, published: bool = True) -> tuple[StoredShift, Any, StoredStop]:
    """Store today's shift with one stop."""
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    booking = await a_booking(await an_area(), days=0, opens=10)
    (stop,) = await on_route(shift, booking, published=published)
    return shift, booking, stop


async def closed_at() -> list[datetime | None]:
    return [each.closed_at for each in await rows(PublishedDay)]


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


async def test_customer_is_told_of_a_delay_though_no_step_is_taken(monkeypatch):
    await a_day()
    at(monkeypatch, NOW + HOUR)
    await jobs.follow(NOW + HOUR)
    await jobs.follow(NOW + HOUR)
    assert [each.kind for each in await outbox.stored()] == ["arrival_moved"]
    assert SCHEDULES["dispatch.follow"](NOW) == NOW + timedelta(minutes=5)


async def test_day_is_closed_once_by_the_first_run_after_all_its_stops_have_ended():
    shift, _, stop = await a_day()
    async with transaction() as session:  # a refill that was left out keeps no day open
        session.add(StoredStop(shift_id=shift.id, place=2, leg_s=600, begins_at=NOW))
    await change_stop(stop, driving_at=NOW, arrived_at=NOW, fueling_at=NOW)
    await jobs.close(NIGHT)
    assert await closed_at() == [None]
    await change_stop(stop, ended_at=NOW)  # sent when the phone found a line
    await jobs.close(NOW + 8 * HOUR)  # today stays open
    assert await closed_at() == [None]
    for now in (NIGHT + DAY, NIGHT + 2 * DAY):
        await jobs.close(now)
    assert await closed_at() == [NIGHT + DAY]


@pytest.mark.parametrize(
    "gone", [{"state": "cancelled"}, {"state": "failed"}, {"slot_id": "another"}]
)
async def test_stop_whose_booking_has_ended_or_moved_keeps_no_day_open(gone):
    _, booking, _ = await a_day()
    await change(booking, **gone)
    await jobs.close(NIGHT)
    assert await closed_at() == [NIGHT]


async def test_day_that_was_never_published_is_not_closed():
    await a_day(published=False)
    await jobs.close(NIGHT)
    assert await closed_at() == []


async def test_positions_are_emptied_after_24_hours():
    old = await a_shift(
        await a_truck(), None, date(2026, 11, 20), position_at=NOW - 25 * HOUR, lat=27.3, lng=-82.5
    )
    fresh = await a_shift(await a_truck(), None, position_at=NOW - 23 * HOUR, lat=27.3, lng=-82.5)
    await jobs.purge(NOW)
    assert ((await shift_now(old)).lat, (await shift_now(fresh)).lat) == (None, 27.3)


async def test_photos_are_deleted_after_ninety_days():
    _, booking, _ = await a_day()
    await photographed(booking.id, old=91 * DAY, new=89 * DAY)
    await jobs.purge(NOW)
    assert [each.id for each in await rows(FillPhoto)] == ["new"]


async def photographed(booking_id: str, **ago: timedelta) -> None:
    async with transaction() as session:
        for name, age in ago.items():
            about = {"booking_id": booking_id, "taken_at": NOW - age, "file": b"x"}
            session.add(FillPhoto(id=name, **about))


async def typed(*stops: str, ago: timedelta, data: dict[str, str] = NOTE) -> None:
    """Store what was typed at stops so long ago."""
    async with transaction() as session:
        for stop in stops:
            about = {"kind": "fail", "data": data, "refused": "No.", "at": NOW - ago}
            row = TechnicianAction(id=stop or "-", stop_id=stop, received_at=NOW - ago, **about)
            session.add(row)


async def data_left() -> dict[str, dict[str, Any]]:
    return {each.stop_id: each.data for each in await rows(TechnicianAction)}


async def of_emptied_account(area: str, *opens: int) -> list[str]:
    """Store bookings of a person whose account is emptied."""
    person_id = (await a_technician(2)).person_id
    async with transaction() as session:
        (await session.get_one(Person, person_id)).deleted_at = NOW - DAY
    return sorted([(await a_booking(area, person_id, opens=each)).id for each in opens])


async def test_what_was_typed_at_a_stop_of_no_booking_is_emptied_after_thirty_days():
    person_id = (await a_technician(3)).person_id
    booked = (await a_booking(await an_area(), person_id)).id
    await typed("unknown", "", booked, ago=31 * DAY)
    await typed("other", ago=29 * DAY)
    await jobs.purge(NOW)
    assert await data_left() == {"unknown": {}, "": {}, booked: NOTE, "other": NOTE}


@pytest.mark.parametrize("is_known", [True, False])
async def test_what_is_emptied_stays_so_though_a_later_part_fails(monkeypatch, is_known):
    monkeypatch.setattr(jobs, "CHUNK", 2)
    theirs = await of_emptied_account(await an_area(), 8, 10, 12)
    first, second, third = theirs if is_known else "abc"
    await typed(first, second, third, ago=HOUR if is_known else 31 * DAY)
    empty = queries.empty_actions

    async def fails(session: Any, stop_ids: Any) -> None:
        if third in stop_ids:
            raise TimeoutError
        await empty(session, stop_ids)

    with monkeypatch.context() as patched:
        patched.setattr(queries, "empty_actions", fails)
        with pytest.raises(TimeoutError):
            await jobs.purge(NOW)
    assert await data_left() == {first: {}, second: {}, third: NOTE}
    await jobs.purge(NOW)
    assert await data_left() == {first: {}, second: {}, third: {}}


async def test_what_is_empty_is_not_written_again(database):
    area = await an_area()
    [theirs] = await of_emptied_account(area, 8)
    guests = (await a_booking(area, opens=10)).id
    await typed(theirs, ago=HOUR)
    await typed("unknown", guests, ago=31 * DAY)
    written: list[int] = []

    def note(_c: Any, cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("UPDATE technician_actions"):
            written.append(cursor.rowcount)

    event.listen(database.sync_engine, "after_cursor_execute", note)
    await jobs.purge(NOW)
    first = sum(written)
    await jobs.purge(NOW)
    event.remove(database.sync_engine, "after_cursor_execute", note)
    assert (first, sum(written)) == (3, 3)


async def test_what_a_phone_sends_after_an_account_was_emptied_goes_by_the_next_night():
    area, here = await an_area(), (await a_technician(3)).person_id
    [gone], kept = await of_emptied_account(area, 8), (await a_booking(area, here, opens=10)).id
    await typed(gone, kept, ago=HOUR)
    await photographed(gone, gone=HOUR)
    await photographed(kept, kept=HOUR)
    await jobs.purge(NOW)
    assert await data_left() == {gone: {}, kept: NOTE}
    assert [each.id for each in await rows(FillPhoto)] == ["kept"]


async def test_what_was_noted_at_a_guests_stop_goes_after_thirty_days_and_the_figures_stay():
    area, figures = await an_area(), {"ticket": "T-1", "meter_end": "12"}
    data = figures | {"note": "Gus's dog", "reason": "blocked"}
    old, new = [(await a_booking(area, opens=opens)).id for opens in (8, 10)]
    await typed(old, ago=31 * DAY, data=data)
    await typed(new, ago=29 * DAY, data=data)
    await jobs.purge(NOW)
    await jobs.purge(NOW)
    assert await data_left() == {old: figures, new: data}
    assert {each.refused for each in await rows(TechnicianAction)} == {"No."}
