"""Create payers, invoices, payments, credit, the journal; vehicles may be inactive; find suspects."""

import sqlalchemy as sa
from alembic import op

revision = "0004_money"
down_revision = "0003_bookings"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_SUSPECT = sa.text("ended_at IS NULL AND attempts > 0 AND error IS NULL")


def upgrade() -> None:
    op.create_table(
        "counters",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.create_table(
        "journal_entries",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("debit", sa.String(20), nullable=False),
        sa.Column("credit", sa.String(20), nullable=False),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("invoice_id", sa.String(36), nullable=True),
        sa.Column("text", sa.String(200), nullable=False),
        sa.CheckConstraint(
            "credit IN ('stripe', 'receivable', 'customer_credit', 'tax', 'plans', 'fuel', 'fees', 'discounts', 'promotions', 'returns', 'bad_debt', 'disputed')",
            name=op.f("ck_journal_entries_credit_known"),
        ),
        sa.CheckConstraint(
            "debit IN ('stripe', 'receivable', 'customer_credit', 'tax', 'plans', 'fuel', 'fees', 'discounts', 'promotions', 'returns', 'bad_debt', 'disputed')",
            name=op.f("ck_journal_entries_debit_known"),
        ),
        sa.CheckConstraint(
            "amount_cents > 0 AND debit <> credit", name=op.f("ck_journal_entries_moves_money")
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_journal_entries")),
        sa.UniqueConstraint("key", name=op.f("uq_journal_entries_key")),
    )
    with op.batch_alter_table("journal_entries") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_journal_entries_day_number"), ["day", "number"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_journal_entries_invoice_id"), ["invoice_id"], unique=False
        )

    op.create_table(
        "stand_in_keys",
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_stand_in_keys")),
    )
    op.create_table(
        "stand_in_objects",
        sa.Column("id", sa.String(100), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("owner", sa.String(60), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stand_in_objects")),
    )
    with op.batch_alter_table("stand_in_objects") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_stand_in_objects_kind_owner"), ["kind", "owner"], unique=False
        )

    op.create_table(
        "webhook_events",
        sa.Column("id", sa.String(100), nullable=False),
        sa.Column("type", sa.String(100), nullable=False),
        sa.Column("object_id", sa.String(100), nullable=False),
        sa.Column("outcome", sa.String(10), nullable=False),
        sa.Column("received_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_events")),
    )
    with op.batch_alter_table("webhook_events") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_webhook_events_outcome_received_at"),
            ["outcome", "received_at"],
            unique=False,
        )

    op.create_table(
        "payers",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("key", sa.String(60), nullable=False),
        sa.Column("provider_id", sa.String(60), nullable=False),
        sa.Column("card_id", sa.String(60), nullable=False),
        sa.Column("card_brand", sa.String(20), nullable=False),
        sa.Column("card_last4", sa.String(4), nullable=False),
        sa.Column("card_month", sa.Integer(), nullable=False),
        sa.Column("card_year", sa.Integer(), nullable=False),
        sa.Column("card_fingerprint", sa.String(60), nullable=False),
        sa.Column("card_problem", sa.String(60), nullable=False),
        sa.Column("credit_cents", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint("(card_id = '') = (card_last4 = '')", name=op.f("ck_payers_card_whole")),
        sa.CheckConstraint("credit_cents >= 0", name=op.f("ck_payers_credit_not_negative")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_payers_person_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payers")),
        sa.UniqueConstraint("key", name=op.f("uq_payers_key")),
        sa.UniqueConstraint("person_id", name=op.f("uq_payers_person_id")),
    )
    with op.batch_alter_table("payers") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_payers_card_fingerprint"), ["card_fingerprint"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_payers_provider_id"), ["provider_id"], unique=False)

    op.create_table(
        "card_setups",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("payer_id", sa.String(36), nullable=False),
        sa.Column("session_id", sa.String(100), nullable=True),
        sa.Column("done_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["payer_id"], ["payers.id"], name=op.f("fk_card_setups_payer_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_card_setups")),
        sa.UniqueConstraint("session_id", name=op.f("uq_card_setups_session_id")),
    )
    with op.batch_alter_table("card_setups") as batch_op:
        batch_op.create_index(batch_op.f("ix_card_setups_payer_id"), ["payer_id"], unique=False)

    op.create_table(
        "credit_entries",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("payer_id", sa.String(36), nullable=False),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(200), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["payer_id"],
            ["payers.id"],
            name=op.f("fk_credit_entries_payer_id"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credit_entries")),
        sa.UniqueConstraint("key", name=op.f("uq_credit_entries_key")),
    )
    with op.batch_alter_table("credit_entries") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_credit_entries_payer_id_id"), ["payer_id", "id"], unique=False
        )

    op.create_table(
        "invoices",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("payer_id", sa.String(36), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=True),
        sa.Column("period", sa.Date(), nullable=True),
        sa.Column("total_cents", sa.Integer(), nullable=False),
        sa.Column("paid_cents", sa.Integer(), nullable=False),
        sa.Column("waived_cents", sa.Integer(), nullable=False),
        sa.Column("refunded_cents", sa.Integer(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("opened_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "(number IS NULL) = (opened_at IS NULL) AND (state IN ('draft', 'void') OR number IS NOT NULL)",
            name=op.f("ck_invoices_number_when_opened"),
        ),
        sa.CheckConstraint(
            "(state = 'paid') = (opened_at IS NOT NULL AND paid_cents + waived_cents = total_cents)",
            name=op.f("ck_invoices_paid_in_full"),
        ),
        sa.CheckConstraint(
            "kind IN ('start', 'switch', 'renewal', 'fill', 'late_fee')",
            name=op.f("ck_invoices_kind_known"),
        ),
        sa.CheckConstraint(
            "state IN ('draft', 'open', 'paid', 'void', 'uncollectible')",
            name=op.f("ck_invoices_state_known"),
        ),
        sa.CheckConstraint(
            "paid_cents + waived_cents <= total_cents", name=op.f("ck_invoices_not_overpaid")
        ),
        sa.CheckConstraint(
            "paid_cents >= 0 AND waived_cents >= 0", name=op.f("ck_invoices_amounts_not_negative")
        ),
        sa.CheckConstraint(
            "refunded_cents BETWEEN 0 AND paid_cents", name=op.f("ck_invoices_refund_paid")
        ),
        sa.CheckConstraint("total_cents >= 0", name=op.f("ck_invoices_total_not_negative")),
        sa.ForeignKeyConstraint(
            ["payer_id"], ["payers.id"], name=op.f("fk_invoices_payer_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoices")),
        sa.UniqueConstraint("key", name=op.f("uq_invoices_key")),
        sa.UniqueConstraint("number", name=op.f("uq_invoices_number")),
    )
    with op.batch_alter_table("invoices") as batch_op:
        batch_op.create_index(batch_op.f("ix_invoices_booking_id"), ["booking_id"], unique=False)
        batch_op.create_index(
            "ix_invoices_open",
            ["payer_id"],
            unique=False,
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
        )
        batch_op.create_index(batch_op.f("ix_invoices_opened_at"), ["opened_at"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_invoices_payer_id_id"), ["payer_id", "id"], unique=False
        )

    op.create_table(
        "credit_notes",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("invoice_id", sa.String(36), nullable=False),
        sa.Column("way", sa.String(10), nullable=False),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.CheckConstraint(
            "way IN ('waived', 'card', 'credit')", name=op.f("ck_credit_notes_way_known")
        ),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_credit_notes_amount_positive")),
        sa.ForeignKeyConstraint(
            ["invoice_id"],
            ["invoices.id"],
            name=op.f("fk_credit_notes_invoice_id"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_credit_notes")),
        sa.UniqueConstraint("key", name=op.f("uq_credit_notes_key")),
        sa.UniqueConstraint("number", name=op.f("uq_credit_notes_number")),
    )
    with op.batch_alter_table("credit_notes") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_credit_notes_invoice_id"), ["invoice_id"], unique=False
        )

    op.create_table(
        "invoice_lines",
        sa.Column("invoice_id", sa.String(36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("text", sa.String(200), nullable=False),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("milligallons", sa.Integer(), nullable=True),
        sa.Column("price_mills", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "(kind = 'fuel') = (milligallons IS NOT NULL)",
            name=op.f("ck_invoice_lines_gallons_of_fuel"),
        ),
        sa.CheckConstraint(
            "kind IN ('plan', 'proration', 'discount', 'fuel', 'convenience_fee', 'late_fee', 'free_fill', 'tax', 'credit')",
            name=op.f("ck_invoice_lines_kind_known"),
        ),
        sa.CheckConstraint(
            "(milligallons IS NULL) = (price_mills IS NULL)",
            name=op.f("ck_invoice_lines_price_of_gallons"),
        ),
        sa.ForeignKeyConstraint(
            ["invoice_id"],
            ["invoices.id"],
            name=op.f("fk_invoice_lines_invoice_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("invoice_id", "position", name=op.f("pk_invoice_lines")),
    )
    op.create_table(
        "payments",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("payer_id", sa.String(36), nullable=False),
        sa.Column("invoice_id", sa.String(36), nullable=True),
        sa.Column("booking_id", sa.String(36), nullable=True),
        sa.Column("card_id", sa.String(60), nullable=False),
        sa.Column("card_brand", sa.String(20), nullable=False),
        sa.Column("card_last4", sa.String(4), nullable=False),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("captured_cents", sa.Integer(), nullable=False),
        sa.Column("refunded_cents", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(60), nullable=False),
        sa.Column("provider_id", sa.String(60), nullable=True),
        sa.Column("capture_before", _TIME, nullable=True),
        sa.Column("dispute", sa.String(30), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("settled_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "(state = 'succeeded') = (captured_cents > 0)",
            name=op.f("ck_payments_captured_succeeded"),
        ),
        sa.CheckConstraint(
            "kind IN ('hold', 'charge', 'hosted')", name=op.f("ck_payments_kind_known")
        ),
        sa.CheckConstraint(
            "state IN ('new', 'authorized', 'succeeded', 'failed', 'cancelled')",
            name=op.f("ck_payments_state_known"),
        ),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_payments_amount_positive")),
        sa.CheckConstraint(
            "captured_cents BETWEEN 0 AND amount_cents", name=op.f("ck_payments_captured_of_amount")
        ),
        sa.CheckConstraint(
            "refunded_cents BETWEEN 0 AND captured_cents",
            name=op.f("ck_payments_refunded_of_captured"),
        ),
        sa.ForeignKeyConstraint(
            ["invoice_id"],
            ["invoices.id"],
            name=op.f("fk_payments_invoice_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["payer_id"], ["payers.id"], name=op.f("fk_payments_payer_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payments")),
        sa.UniqueConstraint("key", name=op.f("uq_payments_key")),
        sa.UniqueConstraint("provider_id", name=op.f("uq_payments_provider_id")),
    )
    with op.batch_alter_table("payments") as batch_op:
        batch_op.create_index(batch_op.f("ix_payments_booking_id"), ["booking_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_payments_invoice_id"), ["invoice_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_payments_payer_id_id"), ["payer_id", "id"], unique=False
        )
        batch_op.create_index(
            batch_op.f("ix_payments_state_created_at"), ["state", "created_at"], unique=False
        )
        batch_op.create_index(
            "ix_payments_disputed",
            ["created_at"],
            unique=False,
            sqlite_where=sa.text("dispute <> ''"),
            postgresql_where=sa.text("dispute <> ''"),
        )
        batch_op.create_index(
            "uq_payments_invoice_id_new",
            ["invoice_id"],
            unique=True,
            sqlite_where=sa.text("state = 'new' AND invoice_id IS NOT NULL"),
            postgresql_where=sa.text("state = 'new' AND invoice_id IS NOT NULL"),
        )

    op.create_table(
        "refunds",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("payment_id", sa.String(36), nullable=False),
        sa.Column("credit_note_id", sa.String(36), nullable=True),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("provider_id", sa.String(60), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "state IN ('new', 'succeeded', 'failed', 'retried')",
            name=op.f("ck_refunds_state_known"),
        ),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_refunds_amount_positive")),
        sa.ForeignKeyConstraint(
            ["credit_note_id"],
            ["credit_notes.id"],
            name=op.f("fk_refunds_credit_note_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["payment_id"], ["payments.id"], name=op.f("fk_refunds_payment_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_refunds")),
        sa.UniqueConstraint("provider_id", name=op.f("uq_refunds_provider_id")),
    )
    with op.batch_alter_table("refunds") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_refunds_credit_note_id"), ["credit_note_id"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_refunds_payment_id"), ["payment_id"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_refunds_state_created_at"), ["state", "created_at"], unique=False
        )

    with op.batch_alter_table("bookings") as batch_op:
        batch_op.add_column(sa.Column("payer_id", sa.String(36), nullable=True))
        batch_op.add_column(sa.Column("fee_asked_at", _TIME, nullable=True))
        batch_op.add_column(sa.Column("ticket", sa.JSON(), server_default="{}", nullable=False))

    with op.batch_alter_table("neighborhoods") as batch_op:
        batch_op.add_column(
            sa.Column("told_tier", sa.Integer(), server_default="0", nullable=False)
        )

    with op.batch_alter_table("vehicles") as batch_op:
        batch_op.add_column(
            sa.Column("is_active", sa.Boolean(), server_default=sa.true(), nullable=False)
        )
    op.execute("ALTER TABLE customers RENAME COLUMN has_test_card TO has_card")
    op.execute("UPDATE customers SET has_card = false")  # the switch was no card
    op.create_index(
        "ix_jobs_suspect", "jobs", ["run_at"], sqlite_where=_SUSPECT, postgresql_where=_SUSPECT
    )


def downgrade() -> None:
    op.drop_index("ix_jobs_suspect", "jobs")
    op.execute("ALTER TABLE customers RENAME COLUMN has_card TO has_test_card")
    with op.batch_alter_table("vehicles") as batch_op:
        batch_op.drop_column("is_active")
    with op.batch_alter_table("neighborhoods") as batch_op:
        batch_op.drop_column("told_tier")
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.drop_column("ticket")
        batch_op.drop_column("fee_asked_at")
        batch_op.drop_column("payer_id")
    op.drop_table("refunds")
    op.drop_table("payments")
    op.drop_table("invoice_lines")
    op.drop_table("credit_notes")
    op.drop_table("invoices")
    op.drop_table("credit_entries")
    op.drop_table("card_setups")
    op.drop_table("payers")
    op.drop_table("webhook_events")
    op.drop_table("stand_in_objects")
    op.drop_table("stand_in_keys")
    op.drop_table("journal_entries")
    op.drop_table("counters")
