"""The staff's list: one row for each lead of any kind, and what was changed in it."""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    text,
)
from sqlmodel import Field, SQLModel

from fuel_app.kit import contact
from fuel_app.kit.db.tables import UtcTime, new_id, now, numbered, one_of, sorted_text
from fuel_app.leads import rules as leads

_IMPORTED = text("import_id IS NOT NULL")
QUOTED = text("type <> 'waitlist'")


def _of_quotes(*columns: str) -> Index:
    return Index(None, *columns, sqlite_where=QUOTED, postgresql_where=QUOTED)


def lead_not_blank(*columns: str) -> tuple[CheckConstraint, ...]:
    return tuple(
        CheckConstraint(f"trim({name}) <> ''", name=f"{name}_not_blank")
        for name in ("status", "lead_source", *columns)
    )


class LeadFields(SQLModel):
    """What every kind of lead has.

    The status has no fixed set of values here: the lead-source control may write to it
    (`FUEL_LEAD_SOURCE_WRITES`).
    """

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    status: str = Field(default=leads.STATUSES[0], max_length=100)
    lead_source: str = Field(default=leads.DEFAULT_SOURCE, max_length=100)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class Lead(SQLModel, table=True):
    """What the staff's list shows, sorts by and searches in: written with each lead.

    The lead itself is in the table of its type. One row here per lead keeps each question about
    all of them a walk along one index; the type is the last column of each, so that a filter by
    it needs no look at the row. Quotes are few beside the waitlist, and have indexes of their own.
    `db/lead_rows.py` keeps the two alike, triggers keep the totals and what the search knows.
    """

    __tablename__ = "leads"
    __table_args__ = (
        CheckConstraint(one_of("type", leads.TYPES), name="type_known"),
        ForeignKeyConstraint(["import_id"], ["lead_imports.id"], ondelete="SET NULL"),
        Index(None, "created_at", "number", "type"),
        Index(None, "type", "created_at", "number"),
        Index(None, "shown_status", "created_at", "number", "type"),
        Index(None, "lead_source", "created_at", "number", "type"),
        Index(None, "name_key", "number", "type"),
        _of_quotes("type", "shown_status", "created_at", "number"),
        _of_quotes("type", "lead_source", "created_at", "number"),
        _of_quotes("type", "name_key", "number"),
        Index(None, "import_id", sqlite_where=_IMPORTED, postgresql_where=_IMPORTED),
        {"sqlite_autoincrement": True},  # a number is never used again: the search index keeps it
    )

    number: int | None = numbered()
    id: str = Field(max_length=36, unique=True)
    type: str = Field(max_length=10)
    status: str = Field(max_length=100)
    shown_status: str = Field(max_length=100)
    lead_source: str = Field(max_length=100)
    created_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    name: str = Field(max_length=2 * contact.NAME_MAX + 1)
    name_key: str = Field(sa_column=Column(sorted_text(200), nullable=False))
    company: str = Field(max_length=leads.COMPANY_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX)
    phone: str = Field(max_length=leads.PHONE_MAX)
    search: str  # name, company, e-mail and phone, folded, one a line
    revision: int = 0  # counts changes, so that nobody overwrites what they have not seen
    import_id: str | None = Field(default=None, max_length=36)


class LeadTotal(SQLModel, table=True):
    """A part of how many leads of a type there are: the sum of its rows. Written by triggers."""

    __tablename__ = "lead_totals"
    __table_args__ = (CheckConstraint(one_of("type", leads.TYPES), name="type_known"),)

    number: int | None = numbered()
    type: str = Field(max_length=10)
    leads: int = Field(sa_type=BigInteger)
