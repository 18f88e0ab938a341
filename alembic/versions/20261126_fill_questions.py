"""Create questions about fills, and where fills note their ticket and gallons to be checked."""

import sqlalchemy as sa
from alembic import op

revision = "0013_fill_questions"
down_revision = "0012_booking_payments"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_OPEN, _CHECKED = sa.text("answer = ''"), sa.text("gallons_asked_at IS NOT NULL")
_TICKET = sa.text("ticket_key <> ''")


def upgrade() -> None:
    op.add_column(
        "bookings", sa.Column("ticket_key", sa.String(131), nullable=False, server_default="")
    )
    op.add_column("bookings", sa.Column("gallons_asked_at", _TIME, nullable=True))
    op.create_index(
        "ix_bookings_person_id_checked",
        "bookings",
        ["person_id"],
        sqlite_where=_CHECKED,
        postgresql_where=_CHECKED,
    )
    op.create_index(
        "ix_bookings_ticket_key",
        "bookings",
        ["ticket_key"],
        sqlite_where=_TICKET,
        postgresql_where=_TICKET,
    )
    op.add_column(  # in place: a table made anew would copy every photo
        "fill_photos",
        sa.Column("is_beside", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "fill_questions",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("milligallons", sa.Integer(), nullable=True),
        sa.Column("ticket", sa.JSON(), nullable=False),
        sa.Column("ticket_key", sa.String(131), nullable=False),
        sa.Column("why", sa.String(200), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("answer", sa.String(10), nullable=False),
        sa.Column("answered_by", sa.String(100), nullable=False),
        sa.Column("answered_at", _TIME, nullable=True),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.CheckConstraint(
            "kind IN ('kept', 'gallons', 'ticket')", name=op.f("ck_fill_questions_kind_known")
        ),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_fill_questions_booking_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_fill_questions_person_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_fill_questions")),
        sa.UniqueConstraint("id", name=op.f("uq_fill_questions_id")),
    )
    op.create_index("ix_fill_questions_booking_id", "fill_questions", ["booking_id"])
    op.create_index(
        "ix_fill_questions_open",
        "fill_questions",
        ["number"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_index(
        "ix_fill_questions_ticket_key",
        "fill_questions",
        ["ticket_key"],
        sqlite_where=_TICKET,
        postgresql_where=_TICKET,
    )


def downgrade() -> None:
    op.drop_table("fill_questions")
    with op.batch_alter_table("fill_photos") as batch_op:
        batch_op.drop_column("is_beside")
    op.drop_index("ix_bookings_ticket_key", table_name="bookings")
    op.drop_index("ix_bookings_person_id_checked", table_name="bookings")
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.drop_column("gallons_asked_at")
        batch_op.drop_column("ticket_key")
