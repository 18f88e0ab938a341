"""Tables of the stand-in for Stripe."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime


def _json() -> Any:
    return Field(default_factory=dict, sa_column=Column(JSON, nullable=False))


class StandInObject(TableModel, table=True):
    """An object of the stand-in for Stripe, as its API answers it."""

    __tablename__ = "stand_in_objects"
    __table_args__ = (Index(None, "kind", "owner"),)

    id: str = Field(primary_key=True, max_length=100)
    kind: str = Field(max_length=40)
    owner: str = Field(default="", max_length=60)  # Stripe's customer
    body: dict[str, Any] = _json()


class StandInKey(TableModel, table=True):
    """An idempotency key that the stand-in has answered, with its answer."""

    __tablename__ = "stand_in_keys"

    key: str = Field(primary_key=True, max_length=255)
    fingerprint: str = Field(max_length=64)  # of the request
    status: int
    body: dict[str, Any] = _json()
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
