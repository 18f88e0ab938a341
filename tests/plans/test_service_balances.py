"""The ledger as the staff read and adjust it, on both databases."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.limits import Room
from fuel_app.plans.rules.ledger import Adjustment, LedgerView, NoPeriod, TooFewLeft
from fuel_app.plans.service import ledger, subscriptions
from tests.factories import UNKNOWN_ID
from tests.helpers.people import a_person, history
from tests.helpers.plans import actor, balance, chosen, entries, started, today

pytestmark = pytest.mark.usefixtures("database")


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
    assert refused.value.messages["fills"].startswith("Enter fills to add")


async def test_adjustment_without_a_reason_is_refused():
    with pytest.raises(InvalidForm):
        form("1", " ")


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
