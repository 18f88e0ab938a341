"""Let a challenge be the code that a caller reads out to staff."""

import sqlalchemy as sa
from alembic import op

revision = "0020_callers_emails"
down_revision = "0020_search_of_guests"
branch_labels = None
depends_on = None

_FORMER = "'verify', 'reset', 'email'"
_OTHERS = "'email undo', 'invite', 'factor', 'sms', 'phone', 'passkey'"
_CHALLENGES = sa.table("challenges", sa.column("purpose", sa.String))


def upgrade() -> None:
    _allow(f"purpose IN ({_FORMER}, 'callers email', {_OTHERS})")


def downgrade() -> None:
    op.execute(sa.delete(_CHALLENGES).where(_CHALLENGES.c.purpose == "callers email"))
    _allow(f"purpose IN ({_FORMER}, {_OTHERS})")


def _allow(known: str) -> None:
    with op.batch_alter_table("challenges") as batch:
        batch.drop_constraint(op.f("ck_challenges_purpose_known"), type_="check")
        batch.create_check_constraint(op.f("ck_challenges_purpose_known"), known)
