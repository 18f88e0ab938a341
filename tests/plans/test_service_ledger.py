"""The ledger of fills on both databases: each is taken once; how staff read and adjust it."""

import asyncio
from datetime import date, timedelta
from uuid import uuid4

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.kit import clock
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.limits import Room
from fuel_app.plans.rules.ledger import (
    GUEST,
    PLAN,
    Adjustment,
    LedgerView,
    NoFillsLeft,
    NoPeriod,
    TooFewLeft,
    quarter_of,
)
from fuel_app.plans.service import ledger, subscriptions
from tests.factories import UNKNOWN_ID
from tests.helpers import plans
from tests.helpers.people import a_person, history
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


def form(fills: str, reason: str = "The truck was late") -> Adjustment:
    return Adjustment.parse({"fills": fills, "reason": reason})


async def dispatcher(email: str = "zoe@example.com", role: Role = Role.DISPATCHER) -> Actor:
    person = await a_person(role, email=email, first_name="Zoe")
    return Actor(frozenset({role}), person.id)


def later(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    moment = clock.now() + timedelta(hours=hours)
    monkeypatch.setattr(ledger, "now", lambda: moment)


async def problem(by: Actor, person_id: str, fills: str) -> str:
    with pytest.raises(InvalidForm) as refused:
        await ledger.adjust_fills(by, person_id, form(fills), str(uuid4()))
    return refused.value.messages["fills"]


@pytest.mark.parametrize(("typed", "fills"), [("1", 1), (" +2 ", 2), ("-3", -3), ("\u22124", -4)])
async def test_fills_are_read_with_their_sign(typed, fills):
    assert form(typed).fills == fills


@pytest.mark.parametrize("typed", ["", "0", "21", "-21", "1.5", "one", "²", "9" * 500, None])
async def test_other_numbers_of_fills_are_refused(typed):
    with pytest.raises(InvalidForm) as refused:
        form(typed)
    assert refused.value.messages["fills"].startswith("Enter 1 to 20 fills")


async def test_adjustment_adds_an_entry_with_reason_and_audit():
    person_id, by = await started(), await dispatcher()
    await ledger.adjust_fills(by, person_id, form("2"), str(uuid4()))
    assert await balance(person_id, today()) == 6
    shown = await ledger.ledger_of(by, person_id)
    assert shown.current
    assert shown.following
    assert (shown.current.left, shown.current.fills, shown.following.left) == (6, 6, 4)
    newest = shown.entries[0]
    assert (newest.kind, newest.fills, newest.who) == ("adjusted", 2, "Zoe Lovelace")
    assert newest.reason == "The truck was late"
    assert (await history(person_id))[-1] == ("fills_adjusted", {"what": "+2, The truck was late"})


async def test_same_adjustment_pressed_twice_at_once_happens_once():
    person_id, by, key = await started(), await dispatcher(), str(uuid4())
    await asyncio.gather(*[ledger.adjust_fills(by, person_id, form("1"), key) for _ in range(4)])
    assert await balance(person_id, today()) == 5
    assert [kind for kind, _ in await history(person_id)].count("fills_adjusted") == 1


async def test_adjusting_below_zero_is_refused_and_leaves_nothing():
    person_id, by = await started("solo"), await dispatcher()
    with pytest.raises(TooFewLeft):
        await ledger.adjust_fills(by, person_id, form("-3"), str(uuid4()))
    await ledger.adjust_fills(by, person_id, form("-2"), str(uuid4()))
    assert await balance(person_id, today()) == 0
    assert await entries(person_id) == [("granted", 2), ("adjusted", -2)]


@pytest.mark.parametrize("has_chosen", [True, False])
async def test_plan_that_is_not_active_has_nothing_to_adjust(has_chosen):
    person_id = await chosen() if has_chosen else UNKNOWN_ID
    by = await dispatcher()
    with pytest.raises(NoPeriod):
        await ledger.adjust_fills(by, person_id, form("1"), str(uuid4()))
    assert await ledger.ledger_of(by, person_id) == LedgerView(
        None, None, None, room=Room(2, 2, "fills", "for this customer")
    )


async def test_customers_may_neither_read_nor_adjust_a_ledger():
    person_id = await started()
    with pytest.raises(NotAllowed):
        await ledger.ledger_of(actor(person_id), person_id)
    with pytest.raises(NotAllowed):
        await ledger.adjust_fills(actor(person_id), person_id, form("1"), str(uuid4()))


async def test_two_fills_in_24_hours_are_the_most_for_a_customer_over_all_dispatchers(monkeypatch):
    person_id, zoe, amy = await started(), await dispatcher(), await dispatcher("amy@example.com")
    assert "At most 2 fills in 24 hours" in await problem(zoe, person_id, "3")
    await ledger.adjust_fills(zoe, person_id, form("1"), str(uuid4()))
    said = await problem(amy, person_id, "2")
    assert said.startswith("1 of 2 fills is left for this customer until ")
    assert said.endswith("M. An admin can give more.")
    key = str(uuid4())
    for _ in range(2):  # the answer of the first press was lost
        await ledger.adjust_fills(amy, person_id, form("1"), key)
    shown = await ledger.ledger_of(amy, person_id)
    assert shown.room
    assert shown.room.hint.startswith("Nothing of 2 fills is left for this customer until ")
    later(monkeypatch, 25)
    await ledger.adjust_fills(amy, person_id, form("2"), str(uuid4()))
    assert await balance(person_id, today()) == 8


async def test_taking_fills_away_is_no_limits_matter_and_makes_no_room():
    person_id, by = await started(), await dispatcher()
    await ledger.adjust_fills(by, person_id, form("2"), str(uuid4()))
    await ledger.adjust_fills(by, person_id, form("-3"), str(uuid4()))
    assert (await problem(by, person_id, "1")).startswith("Nothing of 2 fills is left")
    assert await balance(person_id, today()) == 3


async def test_admins_add_any_number_of_fills_which_uses_up_nothing():
    person_id, by = await started(), await dispatcher("root@example.com", Role.ADMIN)
    await ledger.adjust_fills(by, person_id, form("20"), str(uuid4()))
    await ledger.adjust_fills(await dispatcher(), person_id, form("2"), str(uuid4()))
    assert (await ledger.ledger_of(by, person_id)).room is None


async def test_ten_dispatchers_at_once_add_two_fills():
    person_id = await started()
    people = [await dispatcher(f"{number}@example.com") for number in range(10)]

    async def one(by: Actor) -> bool:
        try:
            await ledger.adjust_fills(by, person_id, form("1"), str(uuid4()))
        except InvalidForm:
            return False
        return True

    assert sum(await asyncio.gather(*map(one, people))) == 2
    assert await balance(person_id, today()) == 6


async def test_emptied_account_keeps_the_numbers_without_what_staff_wrote():
    person_id, by = await started(), await dispatcher()
    await ledger.adjust_fills(by, person_id, form("1"), str(uuid4()))
    async with transaction() as session:
        await subscriptions.erase_person(session, person_id)
    shown = await ledger.ledger_of(by, person_id)
    assert [(entry.fills, entry.reason) for entry in shown.entries] == [(1, ""), (4, "")]
