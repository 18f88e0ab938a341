"""Tables of jobs and of schedules."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, text
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of

_OPEN = text("ended_at IS NULL")
_SUSPECT = text("ended_at IS NULL AND attempts > 0 AND error IS NULL")
OUTCOMES = ("done", "dead")
ERROR_MAX = 500


class StoredJob(TableModel, table=True):
    """Work to do at `run_at`, written in the transaction of what causes it.

    A worker that claims a job moves `run_at` to the end of its lease and adds 1 to `attempts`, so
    the job of a worker that died is due again by itself. `attempts` is also the fencing token: a
    worker that has lost its lease can change nothing. A due job with attempts and without an error
    is a suspect: its process has died.
    """

    __tablename__ = "jobs"
    __table_args__ = (
        Index(None, "run_at", sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index("ix_jobs_suspect", "run_at", sqlite_where=_SUSPECT, postgresql_where=_SUSPECT),
        CheckConstraint(one_of("outcome", OUTCOMES), name="outcome_known"),
        CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    kind: str = Field(max_length=100)
    key: str | None = Field(default=None, max_length=200, unique=True)
    payload: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)
    run_at: datetime = Field(sa_type=UtcTime, nullable=False)
    attempts: int = 0
    failures: int = Field(default=0, sa_column_kwargs={"server_default": "0"})  # of the attempts
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)
    outcome: str | None = Field(default=None, max_length=10)
    error: str | None = Field(default=None, max_length=ERROR_MAX)


class StoredSchedule(TableModel, table=True):
    """When a schedule runs next. The process that moves `next_at` forward enqueues the run."""

    __tablename__ = "schedules"

    name: str = Field(primary_key=True, max_length=100)
    next_at: datetime = Field(sa_type=UtcTime, nullable=False)
