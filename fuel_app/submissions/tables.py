"""Imports of leads, and the rows that they rejected."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, Column, ForeignKeyConstraint, Index, false
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, numbered, one_of
from fuel_app.submissions.rules import imports


class LeadImport(TableModel, table=True):
    """One file of leads: its progress and its outcome."""

    __tablename__ = "lead_imports"
    __table_args__ = (CheckConstraint(one_of("state", imports.STATES), name="state_known"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    file_name: str = Field(max_length=200)
    header: list[str] = Field(sa_column=Column(JSON, nullable=False))
    actor: str = Field(max_length=36)
    started_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False, index=True)
    finished_at: datetime | None = Field(default=None, sa_type=UtcTime)
    places: dict[str, int] | None = Field(default=None, sa_column=Column(JSON))  # None: guessed
    keeps_rest: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    state: str = Field(default="running", max_length=10)
    under_way: bool | None = Field(default=True, unique=True)  # or NULL: so there is one at a time
    message: str = Field(default="", max_length=300)
    rows: int = 0
    rows_done: int = 0
    imported: int = 0
    duplicates: int = 0
    invalid: int = 0
    removed: int = 0


class LeadImportUpload(TableModel, table=True):
    """A file that a member of the staff has sent and looks at: one each, for a day at most."""

    __tablename__ = "lead_import_uploads"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    actor: str = Field(max_length=36, index=True)
    file_name: str = Field(max_length=200)
    compressed: bytes
    sent_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)


class LeadImportFile(TableModel, table=True):
    """A file while it is imported, compressed: the process that goes on may be another one."""

    __tablename__ = "lead_import_files"
    __table_args__ = (ForeignKeyConstraint(["import_id"], ["lead_imports.id"], ondelete="CASCADE"),)

    import_id: str = Field(primary_key=True, max_length=36)
    compressed: bytes


class LeadImportReject(TableModel, table=True):
    """A row of a file that was not imported, as it stands in the file. Kept for 30 days."""

    __tablename__ = "lead_import_rejects"
    __table_args__ = (
        ForeignKeyConstraint(["import_id"], ["lead_imports.id"], ondelete="CASCADE"),
        Index(None, "import_id", "number"),
    )

    number: int | None = numbered()
    import_id: str = Field(max_length=36)
    line: int
    cells: list[str] = Field(sa_column=Column(JSON, nullable=False))
    reason: str = Field(max_length=300)
