"""Index the places of addresses: who lives near a day's stops."""

from alembic import op

revision = "0037_places_of_addresses"
down_revision = "0036_proposals"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_addresses_lat_lng", "addresses", ["lat", "lng"])


def downgrade() -> None:
    op.drop_index("ix_addresses_lat_lng", "addresses")
