"""Tables of staff sessions."""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from datetime import datetime

from sqlmodel import Field, SQLModel

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import UtcTime, new_id


class StaffSession(SQLModel, table=True):
    """The session of a signed-in browser; only the hash of its token is stored."""

    __tablename__ = "staff_sessions"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    token_hash: str = Field(max_length=64, unique=True)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    last_seen_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    expires_at: datetime = Field(sa_type=UtcTime, nullable=False, index=True)  # type: ignore[call-overload]
