"""Neighborhoods, and the redirects of those that became part of another."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint, Index
from sqlmodel import Field

from fuel_app.kit import contact
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, digits, new_id, sorted_text


class NeighborhoodRedirect(TableModel, table=True):
    """A neighborhood that became part of another: its join link leads there."""

    __tablename__ = "neighborhood_redirects"
    __table_args__ = (
        ForeignKeyConstraint(["neighborhood_id"], ["neighborhoods.id"], ondelete="CASCADE"),
        Index(None, "neighborhood_id"),
    )

    id: str = Field(primary_key=True, max_length=36)
    neighborhood_id: str = Field(max_length=36)


class Neighborhood(TableModel, table=True):
    """Neighbors of one ZIP who save together; the pioneer created it."""

    __tablename__ = "neighborhoods"
    __table_args__ = (
        CheckConstraint("trim(name) <> '' AND name_key <> ''", name="name_not_blank"),
        CheckConstraint(digits("zip_code", f"= {contact.ZIP_DIGITS}"), "zip_digits"),
        # The two tables point at each other, so this key is added after both exist.
        ForeignKeyConstraint(
            ["pioneer_id"], ["waitlist_submissions.id"], ondelete="SET NULL", use_alter=True
        ),
        Index(None, "zip_code", "name_key", unique=True),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    name: str = Field(max_length=contact.NAME_MAX)
    name_key: str = Field(max_length=2 * contact.NAME_MAX)  # casefold may lengthen
    zip_code: str = Field(max_length=contact.ZIP_DIGITS)
    pioneer_id: str | None = Field(default=None, max_length=36, index=True)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)
    # The tier that its members were last told of: of those with a verified e-mail.
    told_tier: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    search_name: str = Field(sa_column=Column(sorted_text(), nullable=False))  # folded
