"""What staff did to the groups, and where the links of groups that are gone lead."""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, ForeignKeyConstraint, Index
from sqlmodel import Field, SQLModel

from fuel_app.domain import neighborhood_changes
from fuel_app.kit.db.tables import UtcTime, new_id, now, one_of


class NeighborhoodChange(SQLModel, table=True):
    """One change by staff, with what it takes to undo it. Ids made later sort later."""

    __tablename__ = "neighborhood_changes"
    __table_args__ = (
        CheckConstraint(one_of("kind", neighborhood_changes.KINDS), name="kind_known"),
        Index(None, "neighborhood_id", "id"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    neighborhood_id: str = Field(max_length=36)
    kind: str = Field(max_length=10)
    by_session: str = Field(max_length=36)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    before: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    after: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    moved: int = 0  # members
    undone_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]


class NeighborhoodMove(SQLModel, table=True):
    """A member who moved when two groups became one."""

    __tablename__ = "neighborhood_moves"
    __table_args__ = (
        ForeignKeyConstraint(["change_id"], ["neighborhood_changes.id"], ondelete="CASCADE"),
        ForeignKeyConstraint(["submission_id"], ["waitlist_submissions.id"], ondelete="CASCADE"),
        Index(None, "submission_id"),
    )

    change_id: str = Field(primary_key=True, max_length=36)
    submission_id: str = Field(primary_key=True, max_length=36)


class NeighborhoodRedirect(SQLModel, table=True):
    """A group that became part of another: its join link leads there."""

    __tablename__ = "neighborhood_redirects"
    __table_args__ = (
        ForeignKeyConstraint(["neighborhood_id"], ["neighborhoods.id"], ondelete="CASCADE"),
        Index(None, "neighborhood_id"),
    )

    id: str = Field(primary_key=True, max_length=36)
    neighborhood_id: str = Field(max_length=36)
