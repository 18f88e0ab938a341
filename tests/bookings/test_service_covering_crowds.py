"""Changes of a plan beside changes of its bookings at one moment, on both databases."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.bookings.service import changes
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.plans import queries
from tests.bookings.test_service_covering import ENDS, STARTED, subscriber
from tests.helpers.bookings import NOW, TODAY, an_area, at, booked, slot, stored
from tests.helpers.periods import active_again, balances, later, past_due, renew, switch, undo
from tests.helpers.plans import all_fills_left
from tests.helpers.statements import noted

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def differences():
    return [left for left in await all_fills_left() if left < 0]


async def test_period_renewed_by_many_workers_begins_once(monkeypatch):
    area, who = await an_area(), await subscriber()
    await booked(who, slot(area, 4))
    at(monkeypatch, NOW + timedelta(days=3))
    found = await asyncio.gather(*[renew(who.id) for _ in range(8)])
    assert len([each for each in found if each]) == 1
    assert await balances(who.id) == {ENDS: 3}


async def test_switch_pressed_many_times_moves_reservations_once():
    area, who = await an_area(), await subscriber("solo")
    for day in (2, 4):
        await booked(who, slot(area, day))
    await asyncio.gather(*[switch(who.id, "family", TODAY) for _ in range(8)])
    assert await balances(who.id) == {STARTED: 0, ENDS: 0, TODAY: 2}
    assert {row.fills[0].period for row in await stored()} == {TODAY}


async def test_plan_and_bookings_changed_at_once_never_deadlock():
    area, who = await an_area(), await subscriber()
    made = [await booked(who, slot(area, day)) for day in (1, 2, 4, 5)]

    async def tried(change):
        try:
            await change
        except Refusal as refusal:
            return type(refusal)

    cancels = (changes.cancel(who.actor, each.id, 1, seen_fee=Money(0)) for each in made[::2])
    moves = (changes.move(who.actor, each.id, 1, slot(area, 7)) for each in made[1::2])
    plan_changes = [past_due(who.id), active_again(who.id), later(who.id, "solo"), undo(who.id)]
    booking = booked(who, slot(area, 8))
    await asyncio.gather(
        *map(tried, [*cancels, *plan_changes, *moves, booking, switch(who.id, "big-family", TODAY)])
    )
    assert await differences() == []
    async with transaction() as session:
        rows = {row.fills[0].id: row for row in await stored()}
        held = await queries.reservations(session, list(rows))
    for fill_id, entries in held.items():
        row = rows[fill_id]
        is_held = row.state == "booked" and row.fills[0].fee_asked_at is None
        period = row.fills[0].period if is_held else None
        assert (entries.where and entries.where[1]) == period


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_moving_locks_the_plan_before_the_booking():
    """Whoever changes a plan locks them in this order; SQLite has one writer."""
    area, who = await an_area(), await subscriber()
    found = await booked(who, slot(area, 2))
    with noted() as statements:
        await changes.move(who.actor, found.id, 1, slot(area, 4))
    locked = [each.partition("FROM ")[2].split()[0] for each in statements if "FOR " in each]
    assert locked.index("subscriptions") < locked.index("bookings")
