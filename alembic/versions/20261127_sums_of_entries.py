"""Drop the balances of fills and of credit: what is left is the sum of the entries.

Both records have to agree, or nothing is dropped: the difference is a bug to be found first. The
release before needs both, so this one is deployed with a stop (docs/deploying.md).
"""

import sqlalchemy as sa
from alembic import op

revision = "0015_sums_of_entries"
down_revision = "0014_ticket_keys"
branch_labels = None
depends_on = None

_KEY = ("person_id", "period", "bucket")


def _fills(table: str, amount: str) -> sa.TableClause:
    where = sa.column("person_id", sa.String), sa.column("period", sa.Date)
    return sa.table(table, *where, sa.column("bucket", sa.String), sa.column(amount, sa.Integer))


_ENTRIES, _BALANCES = _fills("ledger_entries", "fills"), _fills("ledger_balances", "balance")
_CREDITS = sa.table(
    "credit_entries", sa.column("payer_id", sa.String), sa.column("amount_cents", sa.Integer)
)
_PAYERS = sa.table("payers", sa.column("id", sa.String), sa.column("credit_cents", sa.Integer))
_COMPARED = ("plans.compare_ledger",)


def upgrade() -> None:
    connection = op.get_bind()
    _refuse_differences(connection)
    op.drop_table("ledger_balances")
    with op.batch_alter_table("payers") as batch:
        batch.drop_constraint(op.f("ck_payers_credit_not_negative"), type_="check")
        batch.drop_column("credit_cents")
    schedules = sa.table("schedules", sa.column("name"))
    connection.execute(sa.delete(schedules).where(schedules.c.name.in_(_COMPARED)))


def _refuse_differences(connection: sa.Connection) -> None:
    """Raise if a balance is not the sum of its entries."""
    entries = [_ENTRIES.c[name] for name in _KEY]
    balances = [_BALANCES.c[name] for name in _KEY]
    fills = sa.union_all(
        sa.select(*entries, _ENTRIES.c.fills),
        sa.select(*balances, -_BALANCES.c.balance),
    ).subquery()
    credit = sa.union_all(
        sa.select(_CREDITS.c.payer_id, _CREDITS.c.amount_cents),
        sa.select(_PAYERS.c.id, -_PAYERS.c.credit_cents),
    ).subquery()
    for rows in (fills, credit):
        *key, amount = rows.c
        wrong = sa.select(*key).group_by(*key).having(sa.func.sum(amount) != 0).order_by(*key)
        if found := connection.execute(wrong.limit(10)).fetchall():
            raise RuntimeError(f"Not the sum of their entries: {[tuple(row) for row in found]}")


def downgrade() -> None:
    op.create_table(
        "ledger_balances",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("period", sa.Date(), nullable=False),
        sa.Column("bucket", sa.String(10), nullable=False),
        sa.Column("balance", sa.Integer(), nullable=False),
        sa.CheckConstraint("balance >= 0", name=op.f("ck_ledger_balances_balance_not_negative")),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_ledger_balances_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(*_KEY, name=op.f("pk_ledger_balances")),
    )
    connection = op.get_bind()
    entries = [_ENTRIES.c[name] for name in _KEY]
    sums = sa.select(*entries, sa.func.sum(_ENTRIES.c.fills)).group_by(*entries)
    connection.execute(sa.insert(_BALANCES).from_select([*_KEY, "balance"], sums))
    with op.batch_alter_table("payers") as batch:
        batch.add_column(
            sa.Column("credit_cents", sa.Integer(), nullable=False, server_default="0")
        )
        batch.create_check_constraint(op.f("ck_payers_credit_not_negative"), "credit_cents >= 0")
    credit = sa.select(sa.func.coalesce(sa.func.sum(_CREDITS.c.amount_cents), 0))
    credit = credit.where(_CREDITS.c.payer_id == _PAYERS.c.id).scalar_subquery()
    connection.execute(sa.update(_PAYERS).values(credit_cents=credit))
    with op.batch_alter_table("payers") as batch:
        batch.alter_column("credit_cents", server_default=None)
