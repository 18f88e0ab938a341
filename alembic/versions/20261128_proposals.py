"""Add proposals, their contacts, and the code that accepts one."""

import sqlalchemy as sa
from alembic import op

revision = "0036_proposals"
down_revision = "0033_batches_of_messages"
branch_labels = None
depends_on = None

_STATES = "'draft', 'sent', 'viewed', 'accepted', 'declined', 'superseded', 'withdrawn'"
_ACCEPTED = sa.text("state = 'accepted'")
_FORMER = "'verify', 'reset', 'email', 'callers email', 'email undo', 'invite', 'factor', 'sms'"
_LAST = "'phone', 'passkey'"
_CHALLENGES = sa.table("challenges", sa.column("purpose", sa.String))


def upgrade() -> None:
    op.create_table(
        "proposals",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("lead_id", sa.String(36), nullable=False),
        sa.Column(
            "company_name",
            sa.String(120).with_variant(sa.String(120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("search_name", sa.String(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("terms", sa.JSON(), nullable=False),
        sa.Column("valid_until", sa.Date(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_by", sa.String(100), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("sent_by", sa.String(100), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
        sa.Column("evidence", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("company_id", sa.String(36), nullable=True),
        sa.CheckConstraint(f"state IN ({_STATES})", name=op.f("ck_proposals_state_known")),
        sa.CheckConstraint("kind IN ('fleet', 'employer')", name=op.f("ck_proposals_kind_known")),
        sa.CheckConstraint(
            "state IN ('draft', 'withdrawn') OR sent_at IS NOT NULL", name=op.f("ck_proposals_sent")
        ),
        sa.ForeignKeyConstraint(
            ["company_id"],
            ["companies.id"],
            name=op.f("fk_proposals_company_id"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposals")),
        sa.UniqueConstraint("number", "version", name=op.f("uq_proposals_number_version")),
    )
    op.create_index(
        "ix_proposals_accepted",
        "proposals",
        ["number"],
        unique=True,
        sqlite_where=_ACCEPTED,
        postgresql_where=_ACCEPTED,
    )
    op.create_index(op.f("ix_proposals_lead_id"), "proposals", ["lead_id"])
    op.create_table(
        "proposal_contacts",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("proposal_id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("viewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("challenge_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["proposal_id"],
            ["proposals.id"],
            name=op.f("fk_proposal_contacts_proposal_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal_contacts")),
    )
    op.create_index(op.f("ix_proposal_contacts_proposal_id"), "proposal_contacts", ["proposal_id"])
    _allow(f"purpose IN ({_FORMER}, 'phone', 'proposal', 'passkey')")


def downgrade() -> None:
    op.execute(sa.delete(_CHALLENGES).where(_CHALLENGES.c.purpose == "proposal"))
    _allow(f"purpose IN ({_FORMER}, {_LAST})")
    op.drop_table("proposal_contacts")
    op.drop_table("proposals")


def _allow(known: str) -> None:
    with op.batch_alter_table("challenges") as batch:
        batch.drop_constraint(op.f("ck_challenges_purpose_known"), type_="check")
        batch.create_check_constraint(op.f("ck_challenges_purpose_known"), known)
