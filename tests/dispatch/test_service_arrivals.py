"""Customers are told when their arrival moves, when the technician leaves and is there."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.dispatch.service import arrivals, reading
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.messages.rules.kinds import BLANK
from tests.helpers import outbox
from tests.helpers.bookings import NOW, TODAY, a_customer, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route, route
from tests.helpers.outbox import run_worker
from tests.helpers.stored_bookings import a_booking

MINUTE = timedelta(minutes=1)  # the window opens at NOW, at 10:00

pytestmark = pytest.mark.usefixtures("database", "_clock")


@pytest.fixture
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def a_day(*, published: bool = True, guests: int = 1) -> tuple[StoredShift, Any]:
    """Store today's shift with stops of guests from 10:00 to 12:00."""
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    bookings = [
        await a_booking(area, days=0, opens=10 + number, starts_at=NOW) for number in range(guests)
    ]
    return shift, await on_route(shift, *bookings, published=published)


async def follow(day: Any = TODAY) -> None:
    async with transaction() as session:
        await arrivals.follow(session, day)


async def told(kind: str = "arrival_moved") -> list[Message]:
    return [each for each in await outbox.stored() if each.kind == kind]


async def told_at(shift: StoredShift) -> list[datetime | None]:
    return [each.told_at for each in await route(shift)]


async def step(shift: StoredShift, tell: Any, place: int = 0) -> None:
    """Tell the news of a stop as it is stored."""
    async with transaction() as session:
        day = await reading.read(session, TODAY)
        theirs = next(each for each in day.routes if each.shift.id == shift.id)
        await tell(session, theirs, theirs.stops[place])


async def test_customer_is_told_once_of_an_arrival_that_has_moved(monkeypatch):
    shift, _ = await a_day()
    at(monkeypatch, NOW + 10 * MINUTE)  # without a step yet: 10:20
    await follow()
    await follow()
    (only,) = await told()
    assert only.payload["arrives"] == "between 10:10 and 10:35 AM"
    assert (only.channel, only.recipient) == ("mail", "gus@example.com")
    assert await told_at(shift) == [NOW + 20 * MINUTE]
    at(monkeypatch, NOW + 25 * MINUTE)  # 10:35 is no more than 15 minutes later
    await follow()
    assert await told_at(shift) == [NOW + 20 * MINUTE]
    at(monkeypatch, NOW + 26 * MINUTE)
    await follow()
    assert len(await told()) == 2


async def test_customer_with_an_account_is_mailed_and_texted_a_link_that_no_row_holds(monkeypatch):
    area, customer = await an_area(), await a_customer()
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    await on_route(shift, await a_booking(area, customer.id, days=0, opens=10), published=True)
    at(monkeypatch, NOW + 10 * MINUTE)
    await follow()
    assert {each.channel for each in await told()} == {"mail", "sms"}
    await run_worker()
    (mail,) = [each for each in await told() if each.channel == "mail"]
    assert mail.state == "sent"
    assert f"/track/{BLANK}" in (mail.body or "")


async def test_step_that_makes_up_for_a_delay_is_told_too(monkeypatch):
    shift, (stop, _) = await a_day(guests=2)
    at(monkeypatch, NOW + 10 * MINUTE)
    await follow()  # the second: 10:41
    done = NOW + 12 * MINUTE
    await change_stop(stop, driving_at=NOW, arrived_at=NOW, fueling_at=NOW, ended_at=done)
    at(monkeypatch, done)
    await follow()
    assert (await told_at(shift))[1] == NOW + 22 * MINUTE
    assert len(await told()) == 3


@pytest.mark.parametrize(
    "differs",
    [
        {"driving_at": NOW},
        {"ended_at": NOW},
        {"slot_id": "another"},  # moved meanwhile
    ],
)
async def test_only_waiting_customers_are_told(monkeypatch, differs):
    _, (stop,) = await a_day()
    await change_stop(stop, **differs)
    at(monkeypatch, NOW + 60 * MINUTE)
    await follow()
    assert not await told()


async def test_refill_is_told_to_no_one(monkeypatch):
    shift, _ = await a_day(guests=0)
    async with transaction() as session:
        session.add(StoredStop(shift_id=shift.id, place=1, leg_s=600, begins_at=NOW))
    at(monkeypatch, NOW + 60 * MINUTE)
    await follow()
    assert await told_at(shift) == [None]


async def test_time_after_the_shift_is_promised_to_no_customer(monkeypatch):
    await a_day()
    at(monkeypatch, NOW + timedelta(hours=9))  # the shift ends at 19:00
    await follow()
    assert not await told()


@pytest.mark.parametrize(
    "day", [{"published": False}, {"closed_at": NOW}, {"passes": timedelta(days=1)}]
)
async def test_day_that_is_not_on_the_road_tells_nothing(monkeypatch, day):
    await a_day(published=day.get("published", True))
    if "closed_at" in day:
        async with transaction() as session:
            await session.execute(update(PublishedDay).values(closed_at=NOW))
    at(monkeypatch, NOW + day.get("passes", 60 * MINUTE))
    await follow()
    assert not await told()


async def test_several_processes_at_once_tell_a_move_once(monkeypatch):
    await a_day()
    moments = iter(NOW + 30 * MINUTE + timedelta(seconds=n) for n in range(1000))
    monkeypatch.setattr(clock, "now", lambda: next(moments))
    await asyncio.gather(*(follow() for _ in range(6)))
    assert len(await told()) == 1


async def test_technician_who_leaves_and_is_there_is_told_once_each():
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW, arrived_at=NOW + MINUTE)
    for tell in (arrivals.on_the_way, arrivals.on_the_way, arrivals.arrived, arrivals.arrived):
        await step(shift, tell)
    (leaves,), (there,) = await told("on_the_way"), await told("arrived")
    assert leaves.payload["technician"] == there.payload["technician"] == "Tech1"
    assert leaves.payload["arrives"] == "between 10:00 and 10:15 AM"
    assert await told_at(shift) == [NOW + MINUTE]


async def test_second_trip_to_a_stop_is_told_again():
    shift, (stop,) = await a_day()
    for driving in (NOW, NOW + 30 * MINUTE):  # in between the step was undone
        await change_stop(stop, driving_at=driving, arrived_at=driving)
        await step(shift, arrivals.on_the_way)
        await step(shift, arrivals.arrived)
    assert len(await told("on_the_way")) == len(await told("arrived")) == 2


async def test_steps_that_a_phone_sends_late_are_not_told(monkeypatch):
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW, arrived_at=NOW + 10 * MINUTE)
    at(monkeypatch, NOW + 40 * MINUTE)
    await step(shift, arrivals.on_the_way)
    await step(shift, arrivals.arrived)
    await run_worker()
    news = [*await told("on_the_way"), *await told("arrived")]
    assert {each.state for each in news} == {"skipped"}


async def test_step_that_was_not_taken_is_not_told():
    shift, _ = await a_day()
    await step(shift, arrivals.on_the_way)
    await step(shift, arrivals.arrived)
    assert not await told("on_the_way") + await told("arrived")


async def test_technician_without_an_account_stays_nameless():
    shift, (stop,) = await a_day()
    await change_stop(stop, driving_at=NOW)
    async with transaction() as session:
        theirs = update(StoredShift).where(col(StoredShift.id) == shift.id)
        await session.execute(theirs.values(technician_id=None))
    await step(shift, arrivals.on_the_way)
    (only,) = await told("on_the_way")
    assert only.payload["technician"] == "Your technician"
