"""The migration that drops balances: only where they are the sums of their entries."""

from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import Connection

from tests.conftest import alembic_config
from tests.dispatch.test_migration_tickets import _insert
from tests.kit.test_db_migrations import look

BEFORE = "0014_ticket_keys"
MARCH = date(2027, 3, 1)


def _former_release(connection: Connection) -> None:
    """Store a customer with fills and credit, an invoice, and the schedule that compared them."""
    _insert(connection, "people", id="ada", phone="", email="ada@example.com")
    fills = {"person_id": "ada", "period": MARCH, "bucket": "plan"}
    for key, kind, count in (("a", "granted", 4), ("b", "reserved", -1)):
        _insert(connection, "ledger_entries", id=key, key=key, kind=kind, fills=count, **fills)
    _insert(connection, "ledger_balances", balance=3, **fills)
    card = {"card_id": "", "card_last4": "", "credit_cents": 1500}
    _insert(connection, "payers", id="payer", key="person:ada", person_id="ada", **card)
    _insert(connection, "credit_entries", id="c", key="c", payer_id="payer", amount_cents=1500)
    draft = {"kind": "fill", "state": "draft", "number": None, "opened_at": None, "period": None}
    amounts = dict.fromkeys(("total_cents", "paid_cents", "waived_cents", "refunded_cents"), 0)
    _insert(connection, "invoices", id="i", key="i", payer_id="payer", **draft, **amounts)
    _insert(connection, "schedules", name="plans.compare_ledger")


def _rows(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    asked = {
        "fills": "SELECT sum(fills) FROM ledger_entries",
        "credit": "SELECT sum(amount_cents) FROM credit_entries",
        "invoices": "SELECT payer_id FROM invoices",
        "schedules": "SELECT name FROM schedules WHERE name LIKE 'plans.%'",
    }
    return {
        name: [tuple(r) for r in connection.execute(sa.text(sql))] for name, sql in asked.items()
    }


def _balances(connection: Connection) -> list[tuple[Any, ...]]:
    sql = "SELECT balance, credit_cents FROM ledger_balances, payers"
    return [tuple(row) for row in connection.execute(sa.text(sql))]


@pytest.mark.parametrize(
    "engine_name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def test_balances_that_are_the_sums_of_their_entries_go_and_come_back(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, BEFORE)
    look(empty_database_url, _former_release)
    command.upgrade(config, "head")
    kept = {"fills": [(3,)], "credit": [(1500,)], "invoices": [("payer",)], "schedules": []}
    assert look(empty_database_url, _rows) == kept
    command.downgrade(config, BEFORE)
    assert look(empty_database_url, _balances) == [(3, 1500)]


@pytest.mark.parametrize(
    "engine_name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "wrong", ["UPDATE ledger_balances SET balance = 2", "UPDATE payers SET credit_cents = 1499"]
)
def test_difference_keeps_all_as_it_was(empty_database_url, wrong):
    config = alembic_config(empty_database_url)
    command.upgrade(config, BEFORE)
    look(empty_database_url, _former_release)
    look(empty_database_url, lambda connection: connection.execute(sa.text(wrong)).close())
    before = look(empty_database_url, _balances)
    with pytest.raises(RuntimeError, match="Not the sum"):
        command.upgrade(config, "head")
    assert look(empty_database_url, _balances) == before
