"""Create waves and invitations; index the waitlist by ZIP, and who has had a fill."""

import sqlalchemy as sa
from alembic import op

revision = "0006_launch"
down_revision = "0005_dispatch"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_COMPLETED = sa.text("state = 'completed'")


def upgrade() -> None:
    op.create_table(
        "waves",
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.CheckConstraint("state IN ('running', 'paused')", name=op.f("ck_waves_state_known")),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name=op.f("fk_waves_area_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("area_id", name=op.f("pk_waves")),
    )
    op.create_table(
        "invitations",
        sa.Column("submission_id", sa.String(36), nullable=False),
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name=op.f("fk_invitations_area_id"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"],
            ["waitlist_submissions.id"],
            name=op.f("fk_invitations_submission_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("submission_id", name=op.f("pk_invitations")),
    )
    with op.batch_alter_table("invitations") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_invitations_area_id_day"), ["area_id", "day"], unique=False
        )
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.create_index(
            "ix_bookings_person_id_completed",
            ["person_id"],
            unique=False,
            sqlite_where=_COMPLETED,
            postgresql_where=_COMPLETED,
        )
    with op.batch_alter_table("waitlist_submissions") as batch_op:
        batch_op.create_index(
            batch_op.f("ix_waitlist_submissions_zip_code_status_id"),
            ["zip_code", "status", "id"],
            unique=False,
        )


def downgrade() -> None:
    with op.batch_alter_table("waitlist_submissions") as batch_op:
        batch_op.drop_index(batch_op.f("ix_waitlist_submissions_zip_code_status_id"))
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.drop_index(
            "ix_bookings_person_id_completed",
            sqlite_where=_COMPLETED,
            postgresql_where=_COMPLETED,
        )
    op.drop_table("invitations")
    op.drop_table("waves")
