"""Add the booking whose guest accepts the terms by adding a card."""

import sqlalchemy as sa
from alembic import op

revision = "0028_terms_with_card"
down_revision = "0029_fills_elsewhere"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("card_setups", sa.Column("accepted_for", sa.String(36), nullable=True))


def downgrade() -> None:
    op.drop_column("card_setups", "accepted_for")
