"""The ledger of fills on both databases: each fill is taken once, and none that is not there."""

import asyncio
from datetime import date

import pytest
from sqlalchemy import update

from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import reading, transaction
from fuel_app.plans.rules.ledger import GUEST, PLAN, NoFillsLeft, quarter_of
from fuel_app.plans.rules.plans import PAST_DUE
from fuel_app.plans.service import ledger
from fuel_app.plans.tables import Subscription
from tests.helpers import plans
from tests.helpers.plans import actor, balance, chosen, entries, started, today

pytestmark = pytest.mark.usefixtures("database")


async def reserve(person_id: str, booking: str, day: date, *, bucket: str = PLAN) -> date:
    async with transaction() as session:
        return await plans.reserve(session, person_id, day, booking, bucket=bucket)


async def release(person_id: str, booking: str, revision: int = 2) -> None:
    async with transaction() as session:
        await ledger.release_fill(session, booking, revision, actor(person_id))


async def use(person_id: str, booking: str) -> None:
    async with transaction() as session:
        await ledger.use_fill(session, booking, actor(person_id))


async def left(person_id: str, day: date) -> int | None:
    async with reading() as session:
        found = await ledger.allowance(session, person_id, day)
        return found.left if found else None


async def change(person_id: str, **values: object) -> None:
    async with transaction() as session:
        await session.execute(update(Subscription).values(values))


async def test_sixty_tasks_at_once_reserve_exactly_the_four_fills():
    person_id = await started()

    async def one(number: int) -> bool:
        try:
            await reserve(person_id, f"b{number}", today())
        except NoFillsLeft:
            return False
        return True

    taken = await asyncio.gather(*[one(number) for number in range(60)])
    assert sum(taken) == 4
    assert await balance(person_id, today()) == 0
    assert await entries(person_id) == [("granted", 4), *[("reserved", -1)] * 4]


async def test_reserves_releases_and_reserves_again():
    person_id = await started("solo")
    assert await reserve(person_id, "a", today()) == today()
    await reserve(person_id, "b", today())
    with pytest.raises(NoFillsLeft):
        await reserve(person_id, "c", today())
    await release(person_id, "a")
    await reserve(person_id, "c", today())
    assert await left(person_id, today()) == 0


async def test_next_period_is_reserved_ahead_up_to_its_fills_and_no_further():
    person_id = await started("solo")
    following = months_later(today(), 1)
    assert await left(person_id, following) == 2
    assert await reserve(person_id, "a", following) == following
    await reserve(person_id, "b", following)
    with pytest.raises(NoFillsLeft):
        await reserve(person_id, "c", following)
    with pytest.raises(NoFillsLeft):
        await reserve(person_id, "c", months_later(today(), 2))
    assert (await left(person_id, today()), await left(person_id, following)) == (2, 0)
    assert await left(person_id, months_later(today(), 2)) is None


async def test_concurrent_first_reservations_of_the_next_period_grant_it_once():
    person_id = await started()
    following = months_later(today(), 1)
    await asyncio.gather(*[reserve(person_id, f"b{n}", following) for n in range(4)])
    assert await balance(person_id, following) == 0


async def test_same_key_reserves_releases_and_uses_once():
    person_id = await started()
    await reserve(person_id, "a", today())
    await reserve(person_id, "a", today())
    assert await left(person_id, today()) == 3
    await release(person_id, "a")
    await release(person_id, "a")
    assert await left(person_id, today()) == 4
    await reserve(person_id, "b", today())
    await use(person_id, "b")
    await use(person_id, "b")
    await release(person_id, "b")
    assert await left(person_id, today()) == 3
    assert (await entries(person_id))[-2:] == [("reserved", -1), ("used", 0)]


async def test_move_to_the_next_period_returns_the_fill_of_this_one():
    person_id, following = await started(), months_later(today(), 1)
    await reserve(person_id, "a", today())
    async with transaction() as session:
        await ledger.release_fill(session, "a", 2, actor(person_id))
        await plans.reserve(session, person_id, following, "a", revision=2)
    assert (await left(person_id, today()), await left(person_id, following)) == (4, 3)
    await release(person_id, "a", 3)
    assert (await left(person_id, today()), await left(person_id, following)) == (4, 4)


async def test_refused_reservation_leaves_the_transaction_usable_and_nothing_behind():
    person_id = await started("solo")
    for booking in "ab":
        await reserve(person_id, booking, today())
    async with transaction() as session:
        with pytest.raises(NoFillsLeft):
            await plans.reserve(session, person_id, today(), "c")
        await ledger.release_fill(session, "a", 2, actor(person_id))
    assert await left(person_id, today()) == 1
    assert len(await entries(person_id)) == 4


async def test_booking_without_a_reservation_has_nothing_to_release_or_use():
    person_id = await started()
    await release(person_id, "paid")
    await use(person_id, "paid")
    assert await entries(person_id) == [("granted", 4)]


@pytest.mark.parametrize("has_chosen", [True, False])
async def test_plan_that_is_not_started_has_no_allowance(has_chosen: bool):
    person_id = await chosen() if has_chosen else "nobody"
    assert await left(person_id, today()) is None
    with pytest.raises(NoFillsLeft):
        await reserve(person_id, "a", today())


async def test_plan_that_ends_with_its_period_or_is_past_due_reaches_no_further():
    person_id = await started()
    await change(person_id, cancel_at_period_end=True)
    assert await left(person_id, months_later(today(), 1)) is None
    assert await left(person_id, today()) == 4
    await change(person_id, state=PAST_DUE)
    assert await left(person_id, today()) is None


async def test_big_family_has_one_guest_fill_each_quarter():
    person_id = await started("big-family")
    async with reading() as session:
        found = await ledger.allowance(session, person_id, today(), GUEST)
    assert found
    assert (found.period, found.left) == (quarter_of(today()), 1)
    await reserve(person_id, "a", today(), bucket=GUEST)
    with pytest.raises(NoFillsLeft):
        await reserve(person_id, "b", today(), bucket=GUEST)
    assert await left(person_id, today()) == 10


async def test_other_plans_have_no_guest_fills():
    person_id = await started("family")
    async with reading() as session:
        assert await ledger.allowance(session, person_id, today(), GUEST) is None
    with pytest.raises(NoFillsLeft):
        await reserve(person_id, "a", today(), bucket=GUEST)
