"""Changes at a period's end, plans that are not paid, and the end of plans."""

import pytest

from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NothingToUndo
from fuel_app.plans.rules.plans import (
    ACTIVE,
    CANCELLED,
    PAST_DUE,
    NoPlan,
    Period,
    PlanNotActive,
)
from fuel_app.plans.service import subscriptions
from tests.helpers.people import history, messages
from tests.helpers.periods import (
    APRIL_1,
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
from tests.helpers.plans import actor, chosen

__all__ = ["march_1"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "march_1")


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
