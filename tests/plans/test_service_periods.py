"""Renewal, switches and the end of plans, and what they do to the ledger."""

import asyncio
from datetime import date, time

import pytest

from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.plans.rules.ledger import GUEST
from fuel_app.plans.rules.plans import (
    ACTIVE,
    CANCELLED,
    PAST_DUE,
    NoPlan,
    Period,
    PlanNotActive,
)
from fuel_app.plans.service import ledger, subscriptions
from tests.helpers.people import history, messages
from tests.helpers.periods import (
    APRIL_1,
    BIG,
    FAMILY,
    MARCH_1,
    MAY_1,
    SOLO,
    active_again,
    balances,
    begun,
    end,
    info,
    later,
    march_1,
    on,
    past_due,
    renew,
    reserve,
    start,
    switch,
    undo,
)
from tests.helpers.plans import actor, chosen, entries

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


async def told():
    return sorted(
        (each.payload["what"], each.payload["since"])
        for each in await messages("plan_changed")
        if each.channel == "mail"
    )


async def test_switch_down_waits_for_the_periods_end_and_can_be_undone(monkeypatch):
    person_id = await begun(MARCH_1)
    assert (await later(person_id, "solo")).pending == SOLO
    assert await undo(person_id) == await info(person_id)
    assert (await info(person_id)).pending is None
    with pytest.raises(NothingToUndo):
        await undo(person_id)
    await later(person_id, "solo")
    await later(person_id, "solo")
    on(monkeypatch, APRIL_1)
    assert await renew(person_id) == (SOLO, Period(APRIL_1, MAY_1))
    assert await balances(person_id) == {MARCH_1: 0, APRIL_1: 3}  # one rolled over
    assert await told() == [
        ("Family Plan kept", "April 1, 2027"),
        *[("Switch to the Solo Plan", "April 1, 2027")] * 2,
    ]


async def test_fills_granted_ahead_follow_the_plan_that_will_be(monkeypatch):
    person_id = await begun(MARCH_1)
    await reserve(person_id, APRIL_1, "ahead")
    assert await balances(person_id) == {MARCH_1: 4, APRIL_1: 3}
    for change, left in (("solo", 1), ("", 0), ("big-family", 9)):
        await later(person_id, change)
        assert await balances(person_id) == {MARCH_1: 4, APRIL_1: left}
    await undo(person_id)
    assert await balances(person_id) == {MARCH_1: 4, APRIL_1: 3}


async def test_cancelled_plan_ends_with_its_period(monkeypatch):
    person_id = await begun(MARCH_1)
    assert (await later(person_id)).following is None
    assert (await info(person_id)).is_active
    on(monkeypatch, APRIL_1)
    assert await renew(person_id) == (None, Period(MARCH_1, APRIL_1))
    assert await renew(person_id) is None
    assert (await info(person_id)).state == CANCELLED
    assert await balances(person_id) == {MARCH_1: 0}
    assert await told() == [
        ("Family Plan cancelled", "April 1, 2027"),
        ("Family Plan ended", "April 1, 2027"),
    ]
    for change in (later(person_id), later(person_id, "solo"), switch(person_id, "solo", APRIL_1)):
        with pytest.raises(PlanNotActive):
            await change


async def test_past_due_plan_keeps_its_fills_and_gives_none_until_it_is_active(monkeypatch):
    person_id = await begun(MARCH_1)
    for _ in range(2):
        await past_due(person_id)
    assert (await info(person_id)).state == PAST_DUE
    assert (await info(person_id)).in_reach(MARCH_1) is None
    on(monkeypatch, APRIL_1)
    assert await renew(person_id) is None
    assert await balances(person_id) == {MARCH_1: 4}
    await active_again(person_id)
    assert (await info(person_id)).state == ACTIVE
    kinds = [kind for kind, _ in await history(person_id)]
    assert kinds == ["plan_started", "plan_past_due", "plan_active"]


async def test_payment_of_a_former_period_changes_nothing_in_this_one(monkeypatch):
    person_id = await begun(MARCH_1)
    on(monkeypatch, APRIL_1)
    assert await renew(person_id)
    async with transaction() as session:
        await subscriptions.set_paid(session, person_id, MARCH_1, is_paid=False)
    assert (await info(person_id)).state == ACTIVE
    await past_due(person_id)
    async with transaction() as session:
        await subscriptions.set_paid(session, person_id, MARCH_1, is_paid=True)
    assert (await info(person_id)).state == PAST_DUE


async def test_unpaid_plan_is_ended_and_its_customer_told():
    person_id = await begun(MARCH_1)
    await past_due(person_id)
    for _ in range(2):
        await end(person_id)
    assert await told() == [("Family Plan ended", "March 1, 2027")]
    assert await balances(person_id) == {MARCH_1: 0}


async def test_ended_plan_starts_again_as_another_one():
    person_id = await begun(MARCH_1)
    await reserve(person_id, MARCH_1, "a")
    await end(person_id, actor(person_id))
    assert (await start(person_id, MARCH_1, "solo")).plan == SOLO
    assert await balances(person_id) == {MARCH_1: 1}
    assert await told() == []  # who ends it by closing the account hears of that


@pytest.mark.parametrize("plan_id", ["", "gold"])
async def test_unknown_plan_is_refused(plan_id):
    person_id = await begun(MARCH_1)
    for change in (later(person_id, plan_id or "gold"), switch(person_id, plan_id, MARCH_1)):
        with pytest.raises(NoPlan):
            await change
    waiting = await chosen_other()
    with pytest.raises(NoPlan):
        await start(waiting, MARCH_1, plan_id)


async def chosen_other():
    return await chosen("solo", email="other@example.com")


async def test_account_without_a_plan_has_nothing_to_renew_or_change():
    assert await renew("nobody") is None
    await past_due("nobody")
    await end("nobody")
    with pytest.raises(NoPlan):
        await later("nobody")
    waiting = await chosen()
    assert await renew(waiting) is None
    with pytest.raises(PlanNotActive):
        await undo(waiting)
