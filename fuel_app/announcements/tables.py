"""The table of announcements. What goes to each person is in the outbox, as a batch of its id."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Text
from sqlmodel import Field

from fuel_app.announcements.rules import DRAFT, KINDS, SEGMENT, STATES, SUBJECT_MAX
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of


class Announcement(TableModel, table=True):
    """A newsletter or an offer. Once it goes out, its texts and its audience do not change."""

    __tablename__ = "announcements"
    __table_args__ = (
        CheckConstraint(one_of("kind", KINDS), name="kind_known"),
        CheckConstraint(one_of("state", STATES), name="state_known"),
        CheckConstraint("state = 'draft' OR send_at IS NOT NULL", name="goes_sometime"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    kind: str = Field(max_length=20)
    subject: str = Field(max_length=SUBJECT_MAX)
    body: str = Field(sa_type=Text)
    text: str = Field(default="", max_length=SEGMENT)  # of an offer's text message
    # No foreign key: an area that is deleted leaves an announcement to nobody, not to everybody.
    area_id: str = Field(default="", max_length=36)
    plan_id: str = Field(default="", max_length=20)
    state: str = Field(default=DRAFT, max_length=10)
    revision: int = 1
    # The last person for whom it was queued: they come in the order of their ids.
    reached: str = Field(default="", max_length=36)
    changed_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    send_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
