"""Tables of bookings: places in slots, bookings with their fills and events, free first fills."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, Text, UniqueConstraint, text
from sqlmodel import Field, Relationship

from fuel_app.areas.rules.prices import GRADES
from fuel_app.bookings.rules.fills import QUESTION_KINDS
from fuel_app.bookings.rules.states import OUTCOMES, PAYS_BY, STATES
from fuel_app.kit.clock import now
from fuel_app.kit.contact import EMAIL_MAX
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, numbered, one_of

SLOT_ID_MAX = 60
TICKET_KEY_MAX = 131  # a meter of 40, a ticket of 30: capitals can be three times as long
_HELD, _COMPLETED = text("hold_id IS NOT NULL"), text("state = 'completed'")
_FILLED = text("outcome = 'filled'")
_CHECKED, _OPEN = text("gallons_asked_at IS NOT NULL"), text("answer = ''")
_TICKET = text("ticket_key <> ''")
_GUEST = text("guest_search <> ''")


def _json() -> Any:
    return Field(sa_column=Column(JSON, nullable=False))


class SlotSeat(TableModel, table=True):
    """One place of a slot: free, held until a time, or a booking's. It lapses by itself."""

    __tablename__ = "slot_places"
    __table_args__ = (
        CheckConstraint("place > 0", name="place_positive"),
        CheckConstraint("(hold_id IS NULL) = (held_until IS NULL)", name="held_until_set"),
        CheckConstraint("hold_id IS NULL OR booking_id IS NULL", name="held_or_booked"),
        Index(None, "held_for", sqlite_where=_HELD, postgresql_where=_HELD),
    )

    slot_id: str = Field(primary_key=True, max_length=SLOT_ID_MAX)
    place: int = Field(primary_key=True)
    hold_id: str | None = Field(default=None, max_length=36, unique=True)
    held_until: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    held_for: str = Field(default="", max_length=64)  # the network address, for its limit
    booking_id: str | None = Field(
        default=None, foreign_key="bookings.id", ondelete="SET NULL", max_length=36, unique=True
    )


class SlotWait(TableModel, table=True):
    """A customer's wait for a place in a full slot; a seat is offered to them once.

    The seat is then held under the wait's id. The wait ends as they book, leave, or let it lapse.
    """

    __tablename__ = "slot_waits"
    __table_args__ = (UniqueConstraint("person_id", "slot_id"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    slot_id: str = Field(max_length=SLOT_ID_MAX, index=True)
    starts_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    offered_until: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]

    def is_over(self, at: datetime) -> bool:
        """Return whether the window has begun, or the offer has lapsed."""
        return min(self.starts_at, self.offered_until or self.starts_at) <= at


class StoredBooking(TableModel, table=True):
    """A visit: one place, one window, one or more cars, each with a fill of its own.

    The place is a copy: a later change of it changes no booking.
    """

    __tablename__ = "bookings"
    __table_args__ = (
        CheckConstraint(one_of("state", STATES), name="state_known"),
        CheckConstraint("starts_at < ends_at", name="window_in_order"),
        Index(None, "person_id", "starts_at"),
        Index(None, "area_id", "starts_at"),
        Index(None, "starts_at"),
        Index(None, "slot_id"),
        Index(None, "guest_email"),
        # A search reads the bookings of guests alone.
        Index("ix_bookings_guests", "guest_email", sqlite_where=_GUEST, postgresql_where=_GUEST),
        Index(  # who has had a fill
            "ix_bookings_person_id_completed",
            "person_id",
            sqlite_where=_COMPLETED,
            postgresql_where=_COMPLETED,
        ),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=36, unique=True)  # made by the wizard: a second press finds it
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36
    )
    guest_email: str = Field(default="", max_length=EMAIL_MAX)  # '' for a customer
    # What staff find a guest by, as a search compares it; '' once the booking is a customer's.
    guest_search: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    contact: dict[str, Any] = _json()  # of a guest: first_name, last_name, email, phone
    terms_version: str = Field(default="", max_length=20)  # that a guest has accepted
    payer_id: str | None = Field(default=None, max_length=36)  # a guest's; a customer has one
    area_id: str = Field(foreign_key="areas.id", ondelete="RESTRICT", max_length=36)
    slot_id: str = Field(max_length=SLOT_ID_MAX)
    starts_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    ends_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    state: str = Field(default="booked", max_length=20)
    revision: int = 1
    place: dict[str, Any] = _json()
    late_fee_agreed_cents: int  # of a late cancellation, by the figure when it was booked
    late_fee_cents: int = 0  # charged
    ended_by: str = Field(default="", max_length=10)  # one of WHO
    reason: str = Field(default="", max_length=200)
    # When the card is authorised for the last time; declined then, the booking is cancelled.
    card_due_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    completed_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]

    fills: list["StoredFill"] = Relationship(
        sa_relationship_kwargs={
            "lazy": "selectin",
            "order_by": "StoredFill.position",
            "passive_deletes": "all",
        }
    )


class StoredFill(TableModel, table=True):
    """A car of a visit: a copy of the vehicle, how its fill is paid, and what became of it."""

    __tablename__ = "fills"
    __table_args__ = (
        UniqueConstraint("booking_id", "position"),
        CheckConstraint("position > 0", name="position_positive"),
        CheckConstraint(one_of("outcome", OUTCOMES), name="outcome_known"),
        CheckConstraint(one_of("pays_by", PAYS_BY), name="pays_by_known"),
        CheckConstraint(one_of("grade", GRADES), name="grade_known"),
        CheckConstraint(
            "(pays_by IN ('allowance', 'guest_fill')) = (period IS NOT NULL)",
            name="period_of_allowance",
        ),
        Index(  # the last ones of a vehicle
            "ix_fills_vehicle_id_filled",
            "vehicle_id",
            sqlite_where=_FILLED,
            postgresql_where=_FILLED,
        ),
        Index(
            "ix_fills_booking_id_checked",
            "booking_id",
            sqlite_where=_CHECKED,
            postgresql_where=_CHECKED,
        ),
        Index(None, "ticket_key", sqlite_where=_TICKET, postgresql_where=_TICKET),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    booking_id: str = Field(foreign_key="bookings.id", ondelete="CASCADE", max_length=36)
    position: int = 1
    vehicle_id: str | None = Field(default=None, max_length=36)  # None for one that is not saved
    vehicle: dict[str, Any] = _json()
    grade: str = Field(max_length=10)
    price_mills: int  # per gallon, as shown when it was booked; stays through moves
    estimated_milligallons: int
    pays_by: str = Field(max_length=12)
    period: date | None = None  # of the allowance, its first day
    fee_cents: int = 0  # convenience fee
    tax_cents: int = 0
    free_cap_cents: int | None = None  # of a free first fill; None: the whole fill
    # For what a promised free first fill was used before: 'plate', 'phone number'.
    free_fill_used: str = Field(default="", max_length=20)
    # Since the plan does not cover it any more the customer chooses: pay the fee, or cancel.
    fee_asked_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    outcome: str = Field(default="", max_length=10)  # '' until the car is filled, or is not
    reason: str = Field(default="", max_length=200)  # why it was not filled
    filled_milligallons: int | None = None
    ticket: dict[str, Any] = Field(
        default_factory=dict, sa_column=Column(JSON, nullable=False)
    )  # number, meter_start, meter_end (thousandths of a gallon), meter's own number
    ticket_key: str = Field(
        default="", max_length=TICKET_KEY_MAX
    )  # of the meter and the ticket's number; the office is asked about two fills that share it
    # More than two tanks, or than one unconfirmed: until staff confirm them there is no bill.
    gallons_asked_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    total_cents: int | None = None


class BookingEvent(TableModel, table=True):
    """One step in a booking's life."""

    __tablename__ = "booking_events"
    __table_args__ = (Index(None, "booking_id", "number"),)

    number: int | None = numbered()
    booking_id: str = Field(foreign_key="bookings.id", ondelete="CASCADE", max_length=36)
    revision: int  # after the step
    kind: str = Field(max_length=20)
    state: str = Field(max_length=20)  # after the step
    actor: str = Field(max_length=100)  # as the audit log names one
    at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    before: dict[str, Any] = _json()  # what the step replaced, such as the former slot
    note: str = Field(default="", max_length=500)


class FillQuestion(TableModel, table=True):
    """A question to the office about what was pumped; answered once, then it stays."""

    __tablename__ = "fill_questions"
    __table_args__ = (
        CheckConstraint(one_of("kind", QUESTION_KINDS), name="kind_known"),
        Index(None, "booking_id"),
        Index("ix_fill_questions_open", "number", sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index(None, "ticket_key", sqlite_where=_TICKET, postgresql_where=_TICKET),
    )

    number: int | None = numbered()
    id: str = Field(default_factory=new_id, max_length=36, unique=True)  # the action's, if kept
    kind: str = Field(max_length=10)
    booking_id: str = Field(foreign_key="bookings.id", ondelete="CASCADE", max_length=36)
    fill_id: str | None = Field(  # of the car; None for what was pumped for none of the visit
        default=None, foreign_key="fills.id", ondelete="CASCADE", max_length=36
    )
    person_id: str | None = Field(  # who recorded it
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36
    )
    # What was pumped beside the booking; other questions are about the booking's own fill.
    milligallons: int | None = None
    ticket: dict[str, Any] = _json()
    ticket_key: str = Field(default="", max_length=TICKET_KEY_MAX)
    why: str = Field(default="", max_length=200)
    at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]  # of the fill
    answer: str = Field(default="", max_length=10)  # as the rules name them
    answered_by: str = Field(default="", max_length=100)  # as the audit log names one
    answered_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    reason: str = Field(default="", max_length=200)


class FreeFill(TableModel, table=True):
    """A free first fill, once per person, plate and phone. It goes with a cancelled booking."""

    __tablename__ = "free_fills"

    person_id: str = Field(
        primary_key=True, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    license_plate: str = Field(max_length=12, unique=True)
    phone: str = Field(max_length=10, unique=True)
    booking_id: str = Field(
        foreign_key="bookings.id", ondelete="CASCADE", max_length=36, unique=True
    )
