"""Renewal, switches and the end of plans, and what they do to the ledger."""

import asyncio
from datetime import date, time

import pytest

from fuel_app.kit.db.session import transaction
from fuel_app.plans.rules.ledger import GUEST
from fuel_app.plans.rules.plans import Period
from fuel_app.plans.service import ledger
from tests.helpers.people import history
from tests.helpers.periods import (
    APRIL_1,
    BIG,
    FAMILY,
    MARCH_1,
    MAY_1,
    balances,
    begun,
    later,
    march_1,
    on,
    renew,
    reserve,
    switch,
    undo,
)
from tests.helpers.plans import actor, entries

__all__ = ["march_1"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "march_1")


async def test_period_is_renewed_on_its_last_day_plus_one_in_new_york(monkeypatch):
    person_id = await begun(MARCH_1)
    on(monkeypatch, date(2027, 3, 31), time(23, 59))
    assert await renew(person_id) is None
    on(monkeypatch, APRIL_1, time(0, 0))
    assert await renew(person_id) == (FAMILY, Period(APRIL_1, MAY_1))
    assert await renew(person_id) is None


async def test_renewal_ends_what_is_left_rolls_one_fill_over_and_grants_a_month(monkeypatch):
    person_id = await begun(MARCH_1)
    await reserve(person_id, MARCH_1, "a")
    on(monkeypatch, APRIL_1)
    await renew(person_id)
    assert await balances(person_id) == {MARCH_1: 0, APRIL_1: 5}
    added = [("rolled", -1), ("rolled", 1), ("expired", -2), ("granted", 4)]
    assert (await entries(person_id))[2:] == added


@pytest.mark.parametrize(("used", "rolled"), [(4, 0), (3, 1), (0, 1)])
async def test_at_most_one_unused_fill_rolls_over(monkeypatch, used, rolled):
    person_id = await begun(MARCH_1)
    for number in range(used):
        await reserve(person_id, MARCH_1, f"b{number}")
    on(monkeypatch, APRIL_1)
    await renew(person_id)
    assert await balances(person_id) == {MARCH_1: 0, APRIL_1: 4 + rolled}


async def test_other_plans_roll_nothing_over(monkeypatch):
    person_id = await begun(MARCH_1, "solo")
    on(monkeypatch, APRIL_1)
    await renew(person_id)
    assert await balances(person_id) == {MARCH_1: 0, APRIL_1: 2}


async def test_renewal_by_many_workers_at_once_happens_once(monkeypatch):
    person_id = await begun(MARCH_1)
    on(monkeypatch, APRIL_1)
    found = await asyncio.gather(*[renew(person_id) for _ in range(5)])
    assert len([each for each in found if each]) == 1
    assert await balances(person_id) == {MARCH_1: 0, APRIL_1: 5}


async def test_missed_periods_begin_one_at_a_time(monkeypatch):
    person_id = await begun(date(2027, 1, 31), "solo")
    on(monkeypatch, date(2027, 4, 2))
    found = [await renew(person_id) for _ in range(3)]
    starts = [each and each[1].starts for each in found]
    assert starts == [date(2027, 2, 28), date(2027, 3, 31), None]
    assert await balances(person_id) == {
        date(2027, 1, 31): 0,
        date(2027, 2, 28): 0,
        date(2027, 3, 31): 2,
    }


@pytest.mark.parametrize(
    ("first", "starts"),
    [
        ("2027-01-31", ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]),
        ("2028-01-31", ["2028-02-29", "2028-03-31", "2028-04-30"]),
        ("2028-02-29", ["2028-03-29", "2028-04-29"]),
        ("2026-10-01", ["2026-11-01", "2026-12-01"]),  # the clock goes back on November 1
        ("2027-02-14", ["2027-03-14", "2027-04-14"]),  # it goes forward on March 14
    ],
)
async def test_billing_day_is_kept_through_short_months_and_clock_changes(
    monkeypatch, first, starts
):
    person_id = await begun(date.fromisoformat(first), "solo")
    for day in map(date.fromisoformat, starts):
        on(monkeypatch, Period.of(date.fromisoformat(first), day).starts, time(0, 0))
        found = await renew(person_id)
        assert found
        assert found[1].starts == day


async def test_fills_reserved_ahead_stay_reserved_across_the_renewal(monkeypatch):
    person_id = await begun(MARCH_1)
    await reserve(person_id, date(2027, 4, 3), "ahead")
    on(monkeypatch, APRIL_1)
    await renew(person_id)
    assert await balances(person_id) == {MARCH_1: 0, APRIL_1: 4}


async def test_switch_up_begins_a_period_today_and_ends_the_unused_fills():
    person_id = await begun(date(2027, 2, 10), "solo")
    found = await switch(person_id, "big-family", MARCH_1)
    assert (found.plan, found.anchor) == (BIG, MARCH_1)
    assert (found.period_starts, found.period_ends) == (MARCH_1, APRIL_1)
    assert await balances(person_id) == {date(2027, 2, 10): 0, MARCH_1: 10}


async def test_switch_up_from_family_rolls_one_unused_fill_over():
    person_id = await begun(date(2027, 2, 10))
    await switch(person_id, "big-family", MARCH_1)
    assert await balances(person_id) == {date(2027, 2, 10): 0, MARCH_1: 11}


async def test_switch_pressed_twice_switches_once():
    person_id = await begun(date(2027, 2, 10), "solo")
    await asyncio.gather(*[switch(person_id, "family", MARCH_1) for _ in range(5)])
    assert await balances(person_id) == {date(2027, 2, 10): 0, MARCH_1: 4}
    assert [kind for kind, _ in await history(person_id)] == ["plan_started", "plan_switched"]


async def test_switch_up_on_the_first_day_gives_the_new_plans_fills_and_no_more():
    person_id = await begun(MARCH_1, "solo")
    await reserve(person_id, MARCH_1, "a")
    await switch(person_id, "family", MARCH_1)
    assert await balances(person_id) == {MARCH_1: 3}
    await switch(person_id, "big-family", MARCH_1)
    assert await balances(person_id) == {MARCH_1: 9}


async def test_switch_up_on_the_last_day_gains_nothing(monkeypatch):
    person_id = await begun(MARCH_1, "solo")
    await switch(person_id, "family", date(2027, 3, 31))
    assert await balances(person_id) == {MARCH_1: 0, date(2027, 3, 31): 4}
    on(monkeypatch, APRIL_1)
    assert await renew(person_id) is None
    on(monkeypatch, date(2027, 4, 30))
    assert await renew(person_id) == (FAMILY, Period(date(2027, 4, 30), date(2027, 5, 31)))


async def test_switch_ends_what_was_granted_ahead_for_a_period_that_will_not_come():
    person_id = await begun(date(2027, 2, 10), "solo")
    await reserve(person_id, date(2027, 3, 12), "ahead")
    await switch(person_id, "family", MARCH_1)
    assert await balances(person_id) == {date(2027, 2, 10): 0, date(2027, 3, 10): 0, MARCH_1: 4}


async def test_switch_forgets_a_cancellation():
    person_id = await begun(date(2027, 2, 10), "solo")
    await later(person_id)
    found = await switch(person_id, "family", MARCH_1)
    assert found.following == FAMILY


async def test_guest_fill_of_the_quarter_is_granted_once_whatever_the_plan_was(monkeypatch):
    person_id = await begun(MARCH_1, "big-family")
    await reserve(person_id, MARCH_1, "guest", bucket=GUEST)
    await later(person_id, "solo")
    on(monkeypatch, APRIL_1)
    await renew(person_id)
    await switch(person_id, "big-family", APRIL_1)
    await reserve(person_id, APRIL_1, "second", bucket=GUEST)
    assert await balances(person_id, GUEST) == {date(2027, 1, 1): 0, APRIL_1: 0}
    await later(person_id, "solo")
    await undo(person_id)
    assert await balances(person_id, GUEST) == {date(2027, 1, 1): 0, APRIL_1: 0}


async def test_unused_guest_fill_ends_with_its_quarter_or_its_plan(monkeypatch):
    person_id = await begun(MARCH_1, "big-family")
    await reserve(person_id, MARCH_1, "guest", bucket=GUEST)
    async with transaction() as session:
        await ledger.release_fill(session, "guest", 2, actor(person_id))
    await later(person_id, "family")
    assert await balances(person_id, GUEST) == {date(2027, 1, 1): 1}
    on(monkeypatch, APRIL_1)
    await renew(person_id)
    assert await balances(person_id, GUEST) == {date(2027, 1, 1): 0}
