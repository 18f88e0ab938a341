"""Add announcements, the batches of their messages, and the consent to offers by text message."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0033_announcements"
down_revision = "0034_sales_desk"
branch_labels = None
depends_on = None

_STATES = "state IN ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled')"


def upgrade() -> None:
    op.create_table(
        "announcements",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.String(120), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("text", sa.String(160), nullable=False),
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("plan_id", sa.String(20), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("reached", sa.String(36), nullable=False),
        sa.Column("changed_at", UtcTime(), nullable=False),
        sa.Column("send_at", UtcTime(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('newsletter', 'offer')", name=op.f("ck_announcements_kind_known")
        ),
        sa.CheckConstraint(_STATES, name=op.f("ck_announcements_state_known")),
        sa.CheckConstraint(
            "state = 'draft' OR send_at IS NOT NULL", name=op.f("ck_announcements_goes_sometime")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_announcements")),
    )
    op.add_column("messages", sa.Column("batch_id", sa.String(36), nullable=True))
    op.add_column(
        "sms_consents",
        sa.Column("offers_wording", sa.String(500), nullable=False, server_default=""),
    )
    op.add_column("sms_consents", sa.Column("offers_agreed_at", UtcTime(), nullable=True))


def downgrade() -> None:
    op.execute("DELETE FROM messages WHERE kind IN ('newsletter', 'offer', 'announcement_test')")
    op.drop_column("sms_consents", "offers_agreed_at")
    op.drop_column("sms_consents", "offers_wording")
    op.drop_column("messages", "batch_id")
    op.drop_table("announcements")
