"""Tables of the launch: the waves of areas, and the invitations that they have sent."""

from datetime import date, datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, one_of
from fuel_app.launch.rules import STATES


class Waves(TableModel, table=True):
    """The waves of an area, which admins start and pause."""

    __tablename__ = "waves"
    __table_args__ = (CheckConstraint(one_of("state", STATES), name="state_known"),)

    area_id: str = Field(
        primary_key=True, foreign_key="areas.id", ondelete="CASCADE", max_length=36
    )
    state: str = Field(max_length=10)
    changed_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class Invitation(TableModel, table=True):
    """A submission that was invited, once for ever. Its mail is in the outbox."""

    __tablename__ = "invitations"
    __table_args__ = (Index(None, "area_id", "day"),)

    submission_id: str = Field(
        primary_key=True, foreign_key="waitlist_submissions.id", ondelete="CASCADE", max_length=36
    )
    # An area that has been open is not deleted.
    area_id: str = Field(foreign_key="areas.id", ondelete="RESTRICT", max_length=36)
    day: date  # of the wave, in New York
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
