"""Tables of dispatch: trucks, shifts with their routes, published days, what phones have sent."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    Index,
    LargeBinary,
    UniqueConstraint,
    false,
    text,
)
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, numbered

TRUCK_NAME_MAX = 40
_PLACED = text("position_at IS NOT NULL")


def _time(*, nullable: bool = False) -> Any:
    if nullable:
        return Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    return Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class StoredTruck(TableModel, table=True):
    """A truck, its tanks, its meter, and its home: there shifts begin and end, there it refills."""

    __tablename__ = "trucks"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    name: str = Field(max_length=TRUCK_NAME_MAX, unique=True)
    license_plate: str = Field(max_length=12)
    # Thousandths of a gallon by grade; a grade that is left out is not on board.
    tanks: dict[str, int] = Field(sa_column=Column(JSON, nullable=False))
    meter_number: str = Field(max_length=40)
    meter_sealed_on: date
    home: str = Field(max_length=200)  # its address
    home_lat: float
    home_lng: float
    is_active: bool = True
    revision: int = 1
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class StoredShift(TableModel, table=True):
    """A technician's hours on a truck. Its route is in `route_stops`, counted by `revision`."""

    __tablename__ = "shifts"
    __table_args__ = (
        CheckConstraint("starts_at < ends_at", name="hours_in_order"),
        UniqueConstraint("day", "truck_id"),
        UniqueConstraint("day", "technician_id"),
        Index(None, "position_at", sqlite_where=_PLACED, postgresql_where=_PLACED),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    day: date
    truck_id: str = Field(foreign_key="trucks.id", ondelete="RESTRICT", max_length=36)
    technician_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36
    )
    starts_at: datetime = _time()
    ends_at: datetime = _time()
    revision: int = 1  # of its hours and its route
    broken_at: datetime | None = _time(nullable=True)  # the truck has broken down
    # The provider of the driving times of its last plan.
    timed_by: str = Field(default="", max_length=20, sa_column_kwargs={"server_default": ""})
    # Where the technician is, as the phone said last; emptied after 24 hours.
    lat: float | None = None
    lng: float | None = None
    position_at: datetime | None = _time(nullable=True)


class StoredStop(TableModel, table=True):
    """One stop of a shift's route: a booking, or without one a refill at the truck's home."""

    __tablename__ = "route_stops"
    __table_args__ = (
        CheckConstraint("place > 0", name="place_positive"),
        CheckConstraint("leg_s >= 0", name="leg_not_negative"),
        CheckConstraint("(booking_id IS NULL) = (slot_id = '')", name="slot_of_booking"),
        UniqueConstraint("shift_id", "place"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    shift_id: str = Field(foreign_key="shifts.id", ondelete="CASCADE", max_length=36)
    place: int  # in driving order, from 1
    booking_id: str | None = Field(
        default=None, foreign_key="bookings.id", ondelete="CASCADE", max_length=36, unique=True
    )
    slot_id: str = Field(default="", max_length=60)  # it was planned for; another one: moved
    is_pinned: bool = False  # stays on this truck
    leg_s: int  # driving from the stop before, or from where the truck starts
    begins_at: datetime = _time()  # as planned
    # Planned as it was dispatched: what the customer knows until a message says otherwise.
    told_at: datetime | None = _time(nullable=True)
    # As the technician's phone says.
    driving_at: datetime | None = _time(nullable=True)
    arrived_at: datetime | None = _time(nullable=True)
    fueling_at: datetime | None = _time(nullable=True)
    ended_at: datetime | None = _time(nullable=True)
    # Of a refill: thousandths of a gallon by grade; None while nobody has said it.
    loaded: dict[str, int] | None = Field(
        default=None, sa_column=Column(JSON(none_as_null=True), nullable=True)
    )
    # Where its booking's car stood when the drive there was timed; None of a refill.
    lat: float | None = None
    lng: float | None = None


class UnservedBooking(TableModel, table=True):
    """Why the last plan of its day left a booking out; it goes as soon as a route has it."""

    __tablename__ = "unserved_bookings"

    booking_id: str = Field(
        primary_key=True, foreign_key="bookings.id", ondelete="CASCADE", max_length=36
    )
    slot_id: str = Field(max_length=60)  # it was planned for
    reason: str = Field(max_length=200)


class NotifiedArrival(TableModel, table=True):
    """The arrival that the last message on a channel told a booking's customer."""

    __tablename__ = "notified_arrivals"

    booking_id: str = Field(
        primary_key=True, foreign_key="bookings.id", ondelete="CASCADE", max_length=36
    )
    channel: str = Field(primary_key=True, max_length=10)
    slot_id: str = Field(max_length=60)  # of the booking then; moved, the customer knows another
    begins_at: datetime = _time()


class PublishedDay(TableModel, table=True):
    """A day whose routes technicians see. A day without a row is open."""

    __tablename__ = "published_days"

    day: date = Field(primary_key=True)
    published_at: datetime = _time()
    closed_at: datetime | None = _time(nullable=True)


class TechnicianAction(TableModel, table=True):
    """One action that a phone has sent. Its id is made there, so that it happens once."""

    __tablename__ = "technician_actions"
    __table_args__ = (Index(None, "stop_id"), Index(None, "received_at"))

    number: int | None = numbered()  # in the order of arrival
    id: str = Field(max_length=36, unique=True)
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36
    )
    stop_id: str = Field(max_length=36)  # a booking's id, or that of a refill
    kind: str = Field(max_length=20)
    data: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    at: datetime = _time()  # by the phone's clock, never later than `received_at`
    received_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    refused: str = Field(default="", max_length=300)  # why it changed nothing


class FillPhoto(TableModel, table=True):
    """A technician's photo of a fill; its file follows the action that announces it."""

    __tablename__ = "fill_photos"
    __table_args__ = (Index(None, "booking_id"), Index(None, "taken_at"))

    id: str = Field(primary_key=True, max_length=36)  # made on the phone
    booking_id: str = Field(foreign_key="bookings.id", ondelete="CASCADE", max_length=36)
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36
    )
    taken_at: datetime = _time()
    # Of another's stop: shown with what was pumped beside the booking, as its photo once charged.
    is_beside: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    file: bytes | None = Field(default=None, sa_column=Column(LargeBinary))
