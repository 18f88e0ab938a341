"""Tables of forecasts: fills elsewhere, due bookings, and the seats that these propose."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, text
from sqlmodel import Field

from fuel_app.forecasts.rules.due_bookings import ENDS, STATES
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of

WORDING_MAX = 400
SLOT_ID_MAX = 60
CAR_MAX = 90
_ON, _OPEN = text("ended = ''"), text("state = 'open'")


class FillElsewhere(TableModel, table=True):
    """A day on which a customer has filled a car elsewhere, once for each car and day."""

    __tablename__ = "fills_elsewhere"

    # No foreign key, as that of a fill: a vehicle that was removed can be put back.
    vehicle_id: str = Field(primary_key=True, max_length=36)
    day: date = Field(primary_key=True)  # in New York
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36, index=True)


class DueBooking(TableModel, table=True):
    """A customer's consent that a seat is held for a car when it is due; a car has one at most."""

    __tablename__ = "due_bookings"
    __table_args__ = (
        CheckConstraint(one_of("ended", ("", *ENDS)), name="ended_known"),
        Index(
            "ix_due_bookings_car_on",
            "vehicle_id",
            unique=True,
            sqlite_where=_ON,
            postgresql_where=_ON,
        ),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36, index=True)
    vehicle_id: str = Field(max_length=36)  # no foreign key, the same
    ended: str = Field(default="", max_length=10)  # why; '' while it is on
    wording: str = Field(max_length=WORDING_MAX)  # of the switch that has started it
    actor: str = Field(max_length=100)  # who has, as the audit log names one
    started_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class SeatProposal(TableModel, table=True):
    """A seat that is held for a car until its customer answers; a car has one at a time.

    Its id is also that of the slot hold, and the key of the booking that confirms it.
    """

    __tablename__ = "seat_proposals"
    __table_args__ = (
        CheckConstraint(one_of("state", STATES), name="state_known"),
        Index(
            "ix_seat_proposals_car_open",
            "vehicle_id",
            unique=True,
            sqlite_where=_OPEN,
            postgresql_where=_OPEN,
        ),
        Index(None, "due_booking_id", "since"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    due_booking_id: str = Field(foreign_key="due_bookings.id", ondelete="CASCADE", max_length=36)
    vehicle_id: str = Field(max_length=36)
    car: str = Field(max_length=CAR_MAX)  # its name
    # Of the forecast: the refill from which it counts, and the day. There is one for each tank.
    since: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    due_day: date
    slot_id: str = Field(max_length=SLOT_ID_MAX)
    starts_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    ends_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    until: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    place: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    state: str = Field(default="open", max_length=10)
