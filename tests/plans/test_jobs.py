"""The nightly comparison of balances with the ledger."""

import pytest
from sqlalchemy import delete, update

from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.plans.jobs import compare
from fuel_app.plans.tables import LedgerBalance
from tests.helpers.plans import balance, started, today

pytestmark = pytest.mark.usefixtures("database")


async def test_equal_balances_are_no_difference(logged):
    await started()
    assert await compare(clock.now()) == 0
    assert not [entry for entry in logged if entry["event"] == "ledger.differs"]


async def test_forged_balance_is_logged_and_not_repaired(logged):
    person_id = await started()
    async with transaction() as session:
        await session.execute(update(LedgerBalance).values(balance=9))
    assert await compare(clock.now()) == 1
    [told] = [entry for entry in logged if entry["event"] == "ledger.differs"]
    assert (told["person_id"], told["more"], told["log_level"]) == (person_id, "5", "error")
    assert await balance(person_id, today()) == 9


async def test_entries_without_a_balance_are_a_difference():
    await started()
    async with transaction() as session:
        await session.execute(delete(LedgerBalance))
    assert await compare(clock.now()) == 1
