"""The pause before customers are told of a changed arrival: it begins anew, but not for ever."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from tests.dispatch.test_service_arrivals import (
    MINUTE,
    PAUSE,
    _pause,
    a_day,
    follow,
    sent,
    told,
)
from tests.helpers.bookings import NOW, at
from tests.helpers.dispatch import change_stop
from tests.helpers.outbox import run_worker

__all__ = ["_pause"]
pytestmark = pytest.mark.usefixtures("database", "_clock", "_pause")


async def test_pause_begins_anew_as_the_arrival_changes_again_but_not_for_ever(monkeypatch):
    _, (stop,) = await a_day()
    minutes = (0, 30, 60, 90, 120, 150, 900)  # seconds after the first change
    for number, seconds in enumerate(minutes[:-1]):
        at(monkeypatch, NOW + timedelta(seconds=seconds))
        await change_stop(stop, leg_s=3600 + 600 * number)
        await follow()
        await run_worker()  # the job comes when the first pause is over
        [waits] = await told()
        assert (waits.state, waits.send_at) == ("queued", clock.now() + PAUSE)
    await follow()
    [waits] = await told()
    assert waits.send_at == NOW + timedelta(seconds=150) + PAUSE  # nothing has changed
    at(monkeypatch, waits.send_at - timedelta(seconds=1))
    await run_worker()
    assert await sent() == []
    at(monkeypatch, waits.send_at)
    await run_worker()
    assert await sent() == ["Your fill-up is now expected today between 11:45 AM and 12:10 PM"]


async def test_customer_is_told_within_ten_minutes_of_the_first_change(monkeypatch):
    _, (stop,) = await a_day()
    for number in range(22):
        at(monkeypatch, NOW + number * PAUSE / 2)
        await change_stop(stop, leg_s=3600 + 300 * number)
        await follow()
        await run_worker()
        told_now = await sent()
        assert bool(told_now) == (clock.now() >= NOW + 10 * MINUTE)


async def test_change_there_and_back_and_there_again_waits_from_the_last_one(monkeypatch):
    _, (stop,) = await a_day()
    for seconds, leg_s in ((0, 3600), (30, 600), (50, 3600)):
        at(monkeypatch, NOW + timedelta(seconds=seconds))
        await change_stop(stop, leg_s=leg_s)
        await follow()
    [waits] = await told()
    assert waits.send_at == NOW + timedelta(seconds=50) + PAUSE


async def test_message_of_a_former_release_waits_no_longer_than_it_was_to(monkeypatch):
    _, (stop,) = await a_day()
    await change_stop(stop, leg_s=3600)
    await follow()
    async with transaction() as session:
        row = (await session.scalars(select(Message))).one()
        row.payload = {name: said for name, said in row.payload.items() if name != "settles_by"}
    at(monkeypatch, NOW + PAUSE / 2)
    await change_stop(stop, leg_s=7200)
    await follow()
    [waits] = await told()
    assert waits.send_at == NOW + PAUSE
