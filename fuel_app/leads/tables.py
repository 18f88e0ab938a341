"""The staff's list: one row for each lead of any kind, and its search index."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import CheckConstraint, Column, ForeignKeyConstraint, Index, event, text
from sqlalchemy.engine import Connection
from sqlmodel import Field

from fuel_app.kit import contact
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, numbered, one_of, sorted_text
from fuel_app.leads import rules as leads

_IMPORTED = text("import_id IS NOT NULL")


def _blank(longest: int) -> Any:
    return Field(default="", max_length=longest, sa_column_kwargs={"server_default": ""})


def lead_not_blank(*columns: str) -> tuple[CheckConstraint, ...]:
    return tuple(
        CheckConstraint(f"trim({name}) <> ''", name=f"{name}_not_blank")
        for name in ("status", "lead_source", *columns)
    )


class LeadFields(TableModel):
    """The columns of every kind of lead.

    The status has no fixed set of values here: the lead-source control may write to it
    (`FUEL_LEAD_SOURCE_WRITES`).
    """

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    status: str = Field(default=leads.STATUSES[0], max_length=100)
    lead_source: str = Field(default=leads.DEFAULT_SOURCE, max_length=100)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)


class Lead(TableModel, table=True):
    """One line of the staff's list, stored with the submission that it shows.

    The submission itself is in the table of its type. Each sort has an index, in which the type is
    the last column, so that filtering by it reads no rows.
    """

    __tablename__ = "leads"
    __table_args__ = (
        CheckConstraint(one_of("type", leads.TYPES), name="type_known"),
        ForeignKeyConstraint(["import_id"], ["lead_imports.id"], ondelete="SET NULL"),
        Index(None, "created_at", "number", "type"),
        Index(None, "type", "created_at", "number"),
        Index(None, "shown_status", "created_at", "number", "type"),
        Index(None, "status", "created_at", "number", "type"),  # a filter; the sort is by the shown
        Index(None, "lead_source", "created_at", "number", "type"),
        Index(None, "name_key", "number", "type"),
        Index(None, "zip_code", "created_at", "number"),
        Index(None, "import_id", sqlite_where=_IMPORTED, postgresql_where=_IMPORTED),
        {"sqlite_autoincrement": True},  # so that a number is not used again
    )

    number: int | None = numbered()
    id: str = Field(max_length=36, unique=True)
    type: str = Field(max_length=10)
    status: str = Field(max_length=100)
    shown_status: str = Field(max_length=100)
    lead_source: str = Field(max_length=100)
    created_at: datetime = Field(sa_type=UtcTime, nullable=False)
    name: str = Field(max_length=2 * contact.NAME_MAX + 1)
    name_key: str = Field(sa_column=Column(sorted_text(200), nullable=False))
    company: str = Field(max_length=leads.COMPANY_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX)
    phone: str = Field(max_length=leads.PHONE_MAX)
    zip_code: str = _blank(contact.ZIP_DIGITS)
    search: str  # name, company, e-mail, phone and ZIP, folded, one a line (`search_text`)
    revision: int = 0  # counts changes, to detect that a newer one would be overwritten
    import_id: str | None = Field(default=None, max_length=36)
    # Of a quote alone: who of the staff answers it, what comes next, why it was lost.
    owner_id: str | None = Field(default=None, max_length=36)  # as the audit log names an actor
    next_step: str = _blank(leads.NEXT_STEP_MAX)
    next_step_on: date | None = None
    lost_reason: str = _blank(20)
    lost_note: str = _blank(leads.LOST_NOTE_MAX)


class LeadNote(TableModel, table=True):
    """A note of the staff about a quote, or a call or mail that they log."""

    __tablename__ = "lead_notes"
    __table_args__ = (
        CheckConstraint(one_of("kind", tuple(leads.NOTE_KINDS)), name="kind_known"),
        Index(None, "lead_id", "id"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    lead_id: str = Field(foreign_key="leads.id", ondelete="CASCADE", max_length=36)
    kind: str = Field(max_length=10)
    outcome: str = Field(default="", max_length=20)  # of a call
    text: str = Field(max_length=leads.NOTE_MAX)
    author: str = Field(max_length=100)  # as the audit log names an actor
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)


# The trigram indexes. No model can describe them: `has_no_model` keeps Alembic from dropping them.
_SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE lead_search USING"
    " fts5(search, content='leads', content_rowid='number', tokenize='trigram')",
    "CREATE TRIGGER lead_search_insert AFTER INSERT ON leads BEGIN"
    " INSERT INTO lead_search(rowid, search) VALUES (NEW.number, NEW.search); END",
    "CREATE TRIGGER lead_search_delete AFTER DELETE ON leads BEGIN"
    " INSERT INTO lead_search(lead_search, rowid, search)"
    " VALUES ('delete', OLD.number, OLD.search); END",
)
_POSTGRESQL_SEARCH = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX ix_leads_search_trigrams ON leads USING gin (search gin_trgm_ops)",
)
_HAS_TRIGRAMS = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'")


def create_search(connection: Connection) -> None:
    """Create the search index. A PostgreSQL without `pg_trgm` has none and scans the table."""
    if connection.dialect.name == "sqlite":
        statements = _SQLITE_SEARCH
    else:
        statements = _POSTGRESQL_SEARCH if connection.scalar(_HAS_TRIGRAMS) else ()
    for statement in statements:
        connection.exec_driver_sql(statement)


@event.listens_for(Lead.__table__, "after_create")
def _after_create(_table: Any, connection: Connection, **_options: Any) -> None:
    create_search(connection)
