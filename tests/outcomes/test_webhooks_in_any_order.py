"""Webhooks in any order and repetition end as they do once and in order."""

import random

import pytest

from tests.outcomes.webhook_history import Deliveries, history

PAID = {
    "invoices": [("start", "paid", 4400, 0)],
    "payments": [("succeeded", 4400, 0, "")],
    "refunds": [],
    "accounts": {"stripe": 4400, "plans": -4400},
    "plan": "active",
    "fills": 4,
    "problem": "",
}
NOTHING = PAID | {"invoices": [], "accounts": {}, "plan": "incomplete", "fills": 0}
DECLINED = NOTHING | {
    "invoices": [("start", "void", 0, 0)],
    "payments": [("failed", 0, 0, "")],
    "problem": "insufficient_funds",
}
REFUNDED = PAID | {
    "invoices": [("start", "paid", 4400, 1000)],
    "payments": [("succeeded", 4400, 1000, "")],
    "refunds": [(1000, "succeeded")],
    "accounts": {"stripe": 3400, "plans": -4400, "returns": 1000},
}
NOT_REFUNDED = REFUNDED | {
    "payments": [("succeeded", 4400, 0, "")],
    "refunds": [(1000, "failed")],
    "accounts": {"stripe": 4400, "plans": -4400, "returns": 1000, "receivable": -1000},
}
WON = PAID | {"payments": [("succeeded", 4400, 0, "won")]}
LOST = PAID | {
    "payments": [("succeeded", 4400, 0, "lost")],
    "accounts": {"disputed": 4400, "plans": -4400},
}
EXPIRED = NOTHING | {"payments": [("cancelled", 0, 0, "")]}
CAPTURED = NOTHING | {
    "invoices": [("fill", "paid", 7000, 0)],
    "payments": [("succeeded", 7000, 0, "")],
    "accounts": {"stripe": 7000, "fuel": -7000},
}
END = [PAID, DECLINED, REFUNDED, NOT_REFUNDED, WON, LOST, EXPIRED, CAPTURED]


@pytest.mark.usefixtures("sqlite_database")
async def test_webhooks_tell_what_lost_answers_did_not():
    assert await history(Deliveries()) == END


@pytest.mark.usefixtures("sqlite_database")
async def test_webhooks_five_times_each_and_shuffled_end_in_the_same_state():
    assert await history(Deliveries(random.Random(1))) == END


@pytest.mark.long
@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("seed", range(25))
async def test_any_order_of_webhooks_ends_in_the_same_state(seed):
    assert await history(Deliveries(random.Random(seed))) == END
