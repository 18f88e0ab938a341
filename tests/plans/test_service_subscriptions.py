"""Starting and ending a plan, and its own data, on both databases."""

import asyncio

import pytest
from sqlalchemy import update

from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import reading, transaction
from fuel_app.membership import service as membership
from fuel_app.outcomes.service import consequences
from fuel_app.plans.rules.plans import ACTIVE, CANCELLED, NoPlan
from fuel_app.plans.service import subscriptions
from fuel_app.plans.tables import Subscription
from tests.helpers.people import history, rows
from tests.helpers.plans import actor, balance, chosen, entries, start, started, today
from tests.helpers.signed_in import session_of
from tests.staff import HERE

pytestmark = pytest.mark.usefixtures("database")


async def the_subscription() -> Subscription:
    [found] = await rows(Subscription)
    return found


async def cancel(person_id: str) -> None:
    async with transaction() as session:
        ended = await subscriptions.end_plan(session, person_id, actor(person_id))
        await consequences.plans_changed(session, ended)


async def test_plan_starts_today_with_a_months_fills_wording_time_and_actor():
    person_id = await started()
    found = await the_subscription()
    assert (found.state, found.anchor, found.period_starts) == (ACTIVE, today(), today())
    assert found.period_ends == months_later(today(), 1)
    assert found.wording == "Start Family"
    assert found.started_at is not None
    assert (await entries(person_id), await balance(person_id, today())) == ([("granted", 4)], 4)
    [(kind, after)] = await history(person_id)
    assert (kind, after) == ("plan_started", {"what": found.wording, "state": ACTIVE})


async def test_plan_started_in_two_tabs_at_once_starts_once():
    person_id = await chosen()
    await asyncio.gather(*[start(person_id) for _ in range(5)])
    assert await balance(person_id, today()) == 4
    assert len(await history(person_id)) == 1


async def test_account_without_a_plan_cannot_start_one():
    with pytest.raises(NoPlan):
        await start("nobody")


async def test_closing_the_account_ends_the_plan_but_not_one_that_never_started():
    person_id = await started()
    await membership.close(await session_of(person_id), HERE)
    assert (await the_subscription()).state == CANCELLED
    async with transaction() as session:
        unstarted = {"started_at": None, "period_starts": None, "period_ends": None}
        await session.execute(update(Subscription).values(state="incomplete", **unstarted))
    await cancel(person_id)
    await cancel("nobody")
    assert (await the_subscription()).state == "incomplete"


async def test_own_data_holds_the_subscription_and_the_ledger():
    person_id = await started("solo")
    async with reading() as session:
        found = await subscriptions.export_person(session, person_id)
        none = await subscriptions.export_person(session, "nobody")
    assert (found["subscription"]["plan_id"], found["ledger"][0]["fills"]) == ("solo", 2)
    assert "person_id" not in found["subscription"] | found["ledger"][0]
    assert none == {"subscription": None, "ledger": []}
