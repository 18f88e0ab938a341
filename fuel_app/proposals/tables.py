"""Proposals, a row for each version, and the contacts to whom each version was sent."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from fuel_app.companies.rules.companies import COMPANY_MAX
from fuel_app.kit import contact
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of, sorted_text
from fuel_app.proposals.rules import states as rules

_ACCEPTED = text("state = 'accepted'")


class StoredProposal(TableModel, table=True):
    """One version of a proposal. What is sent never changes: an edit is another version."""

    __tablename__ = "proposals"
    __table_args__ = (
        CheckConstraint(one_of("state", rules.STATES), name="state_known"),
        CheckConstraint(one_of("kind", rules.KINDS), name="kind_known"),
        CheckConstraint("state IN ('draft', 'withdrawn') OR sent_at IS NOT NULL", name="sent"),
        ForeignKeyConstraint(["company_id"], ["companies.id"], ondelete="RESTRICT"),
        UniqueConstraint("number", "version"),
        Index(
            "ix_proposals_accepted",
            "number",
            unique=True,
            sqlite_where=_ACCEPTED,
            postgresql_where=_ACCEPTED,
        ),
        Index(None, "lead_id"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    number: int
    version: int = 1
    kind: str = Field(default=rules.FLEET, max_length=10)
    lead_id: str = Field(max_length=36)  # without a reference: a deleted lead may come back
    company_name: str = Field(sa_column=Column(sorted_text(COMPANY_MAX), nullable=False))
    search_name: str
    state: str = Field(default=rules.DRAFT, max_length=10)
    revision: int = 0  # counts changes of a draft
    terms: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))  # as they were typed
    valid_until: date
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)
    made_by: str = Field(max_length=100)  # an actor of the audit log, as `sent_by`
    sent_at: datetime | None = Field(default=None, sa_type=UtcTime)
    sent_by: str = Field(default="", max_length=100)
    # The PDF as it was sent, which its hash is of: a later release would draw another one.
    document: bytes | None = Field(default=None, sa_column=Column(LargeBinary))
    sha256: str = Field(default="", max_length=64)
    reason: str = Field(default="", max_length=rules.REASON_MAX)  # of a decline or withdrawal
    evidence: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    company_id: str | None = Field(default=None, max_length=36)


class StoredContact(TableModel, table=True):
    """Somebody to whom a version was sent: their link's token derives from the id."""

    __tablename__ = "proposal_contacts"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    proposal_id: str = Field(
        foreign_key="proposals.id", ondelete="CASCADE", max_length=36, index=True
    )
    name: str = Field(max_length=contact.NAME_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX)
    viewed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    challenge_id: str = Field(default="", max_length=36)  # of the code that was sent last
