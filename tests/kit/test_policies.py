"""Policies: how they are typed and shown, stored and changed."""

import asyncio

import pytest

from fuel_app.kit import policies
from fuel_app.kit.audit import Action
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.policies import POLICIES, Policy, PolicyChanged

FEE = Policy("fee", "Fee", "cents", 1500, 0, 250_000)
DAYS = Policy("days", "Days", "days", 30, 1, 90)


@pytest.fixture(autouse=True)
def _registered(monkeypatch) -> None:
    for each in (FEE, DAYS):
        monkeypatch.setitem(POLICIES, each.name, each)


@pytest.mark.parametrize(
    ("policy", "typed", "value"),
    [
        (FEE, "15.00", 1500),
        (FEE, " $ 15 ", 1500),
        (FEE, "0", 0),
        (FEE, "$1,234.50", 123_450),
        (DAYS, " 7 ", 7),
        (DAYS, "090", 90),
    ],
)
def test_a_policy_is_read_as_people_type_it(policy, typed, value):
    assert policy.parse(typed) == value


@pytest.mark.parametrize(
    "typed",
    ["", None, 7, "15.5", "1,5", "15,000,000", "-1", "nan", "1e3", "9" * 5000, "\u0663", "2500.01"],
)
def test_another_text_is_no_amount(typed):
    with pytest.raises(ValueError, match=r"Enter an amount from \$0 to \$2,500"):
        FEE.parse(typed)


@pytest.mark.parametrize("typed", ["", None, 7, "1.5", "0", "91", "-1", "9" * 5000, "²", "\u0663"])
def test_another_text_is_no_number(typed):
    with pytest.raises(ValueError, match="Enter a whole number from 1 to 90"):
        DAYS.parse(typed)


def test_a_policy_is_shown_with_its_unit_and_its_range():
    assert (FEE.text(1550), FEE.typed(1550), FEE.hint) == (
        "$15.50",
        "15.50",
        "$0 to $2,500. Default: $15.",
    )
    assert (DAYS.text(1), DAYS.text(30), DAYS.typed(30)) == ("1 day", "30 days", "30")
    assert DAYS.hint == "1 to 90 days. Default: 30 days."


async def set_fee(seen: int, wanted: int) -> list[str]:
    async with transaction() as session:
        action = Action("figure", "change", "somebody")
        values = {"fee": seen, "days": 30}
        return await policies.change(session, action, values, values | {"fee": wanted})


async def test_a_policy_is_its_default_until_it_is_changed(database):
    async with reading() as session:
        assert await policies.value(session, FEE) == 1500
    assert await set_fee(1500, 900) == ["fee"]
    async with reading() as session:
        assert await policies.value(session, FEE) == 900
        values = await policies.values(session)
    assert (values["fee"], values["days"]) == (900, 30)


async def test_two_changes_at_once_do_not_overwrite_each_other(database):
    outcomes = await asyncio.gather(
        *(set_fee(1500, 900 + n) for n in range(4)), return_exceptions=True
    )
    refused = [each for each in outcomes if isinstance(each, PolicyChanged)]
    assert len(refused) == 3
    assert str(refused[0]) == (
        "Somebody else has changed 'Fee' meanwhile. You now see the new value."
    )
