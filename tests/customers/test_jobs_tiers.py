"""The members of a neighborhood who count for money, and the messages about its tier."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.tables import Person
from fuel_app.customers import jobs
from fuel_app.customers.service import neighborhood as own
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import reading, transaction
from fuel_app.neighborhoods.rules import MemberQuery
from fuel_app.office import service as office
from fuel_app.plans.tables import Subscription
from tests.helpers.bookings import STAFF
from tests.helpers.neighborhoods import neighborhood
from tests.helpers.people import messages
from tests.helpers.plan_money import a_customer, join

pytestmark = pytest.mark.usefixtures("database")


async def change(person_id: str, **values: Any) -> None:
    async with transaction() as session:
        theirs = update(Person).where(col(Person.id) == person_id)
        await session.execute(theirs.values(**values))


async def told(kind: str) -> set[str]:
    return {str(each.person_id) for each in await messages(kind)}


async def test_only_open_accounts_with_a_verified_email_count():
    palms = await neighborhood("Palms", members=30)  # on the waitlist alone
    oaks = await neighborhood("Oaks")
    mine, unverified, closed, other = [await a_customer(number) for number in range(4)]
    outside = await a_customer(4)
    await join(palms, mine, unverified, closed)
    await join(oaks, other)
    await change(unverified, email_verified_at=None)
    await change(closed, deactivated_at=now())
    async with reading() as session:
        found = await own.confirmed_members(session, [mine, unverified, other, outside, "nobody"])
    assert found == {mine: ("Palms", 1), unverified: ("Palms", 1), other: ("Oaks", 1)}
    detail = await office.neighborhood_detail(palms, MemberQuery(), actor=STAFF)
    assert detail
    assert (detail.neighborhood.members, detail.confirmed) == (33, 1)
    membership = await own.membership(mine)
    assert (membership.confirmed, membership.tier.level) == (1, 0)


async def test_tier_that_is_reached_and_lost_is_told_to_subscribers_once():
    palms = await neighborhood("Palms", members=30)
    people = [await a_customer(number) for number in range(6)]
    await join(palms, *people[:5])
    async with transaction() as session:
        for person_id, state in ((people[0], "active"), (people[1], "past_due")):
            row = await session.get_one(Subscription, person_id)
            row.state, row.started_at = state, now()
            row.period_starts = row.period_ends = row.anchor = now().date()
    assert [await jobs.tell_tiers(now()) for _ in range(2)] == [1, 0]
    assert await told("tier_reached") == set(people[:2])
    reached = (await messages("tier_reached"))[0].payload
    assert reached == {
        "neighborhood": "Palms",
        "tier": "Tier 1",
        "saving": "$5 a month, $60 a year",
    }
    await change(people[4], email_verified_at=None)
    await asyncio.gather(*[jobs.tell_tiers(now()) for _ in range(2)])
    assert len(await messages("tier_lost")) == 2
    assert await told("tier_lost") == set(people[:2])
    assert (await messages("tier_lost"))[0].payload == {
        "neighborhood": "Palms",
        "tier": "Tier 1",
        "change": "your discount is $0 a month now, no longer $5",
        "missing": "1 more neighbor with a confirmed e-mail",
    }


async def test_tier_without_subscribers_is_noted_and_told_to_nobody():
    palms = await neighborhood("Palms")
    await join(palms, *[await a_customer(number) for number in range(5)])
    assert await jobs.tell_tiers(now()) == 1
    assert await told("tier_reached") == set()
