"""Tables of customers: the account beside the person, vehicles, addresses, the staff's notes."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, Text, event, false, text, true
from sqlmodel import Field

from fuel_app.areas.rules.prices import GRADES
from fuel_app.customers.rules.customers import STAFF_NOTE_MAX
from fuel_app.customers.rules.locations import GATE_CODE_MAX, SPOTS, UNIT_MAX
from fuel_app.customers.rules.sign_up import NOTES_MAX, STREET_MAX
from fuel_app.customers.rules.vehicles import COLOR_MAX, FUEL_DOORS, MODEL_MAX, PLATE_MAX
from fuel_app.kit.clock import now
from fuel_app.kit.contact import NAME_MAX
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of
from fuel_app.kit.search import searchable


class StoredCustomer(TableModel, table=True):
    """A person's customer account: the postal address, and where the customer comes from."""

    __tablename__ = "customers"
    __table_args__ = (Index(None, "created_at", "person_id"),)

    person_id: str = Field(
        primary_key=True, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    address: str = Field(default="", max_length=200)
    city: str = Field(default="", max_length=NAME_MAX)
    state: str = Field(default="", max_length=40)
    zip_code: str = Field(default="", max_length=5, index=True)
    # Their waitlist submission, with its neighborhood and referrer; one belongs to one customer.
    submission_id: str | None = Field(
        default=None,
        foreign_key="waitlist_submissions.id",
        ondelete="SET NULL",
        max_length=36,
        unique=True,
    )
    # Billing keeps the card, and this in the same transaction.
    has_card: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class StoredVehicle(TableModel, table=True):
    """A customer's vehicle."""

    __tablename__ = "vehicles"
    __table_args__ = (
        CheckConstraint(one_of("grade", GRADES), name="grade_known"),
        CheckConstraint(one_of("fuel_door", FUEL_DOORS), name="fuel_door_known"),
        CheckConstraint("tank_tenths BETWEEN 10 AND 2000", name="tank_plausible"),
        Index(None, "person_id", "id"),
        Index(None, "license_plate"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    make: str = Field(max_length=MODEL_MAX)
    model: str = Field(max_length=MODEL_MAX)
    year: str = Field(max_length=4)
    color: str = Field(max_length=COLOR_MAX)
    license_plate: str = Field(max_length=PLATE_MAX)
    plate_state: str = Field(max_length=2)
    grade: str = Field(max_length=10)
    tank_tenths: int  # tenths of a gallon
    fuel_door: str = Field(max_length=30)
    image: str = Field(default="", sa_type=Text)  # a `data:` address
    # Not active: one more than the plan allows, after a switch down. It cannot be booked.
    is_active: bool = Field(default=True, sa_column_kwargs={"server_default": true()})
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


_IS_DEFAULT = text("is_default")


class StoredAddress(TableModel, table=True):
    """A place of a customer where a car may stand."""

    __tablename__ = "addresses"
    __table_args__ = (
        CheckConstraint(one_of("spot", SPOTS), name="spot_known"),
        CheckConstraint("lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180", name="on_earth"),
        Index(None, "person_id", "id"),
        Index(None, "lat", "lng"),
        Index(
            "uq_addresses_person_id_default",
            "person_id",
            unique=True,
            sqlite_where=_IS_DEFAULT,
            postgresql_where=_IS_DEFAULT,
        ),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    street: str = Field(max_length=STREET_MAX)
    unit: str = Field(default="", max_length=UNIT_MAX)
    city: str = Field(max_length=NAME_MAX)
    state: str = Field(max_length=2)
    zip_code: str = Field(max_length=5)
    gate_code: str = Field(default="", max_length=GATE_CODE_MAX)
    notes: str = Field(default="", max_length=NOTES_MAX)
    spot: str = Field(max_length=30)
    lat: float
    lng: float
    is_approximate: bool  # the ZIP's centre, until the customer has set the pin
    is_default: bool = False
    # Street, unit, city and ZIP as a search compares them; set as the row is written.
    search: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


@event.listens_for(StoredAddress, "before_insert")
@event.listens_for(StoredAddress, "before_update")
def _fold_address(_mapper: Any, _connection: Any, row: StoredAddress) -> None:
    row.search = searchable(f"{row.street} {row.unit} {row.city} {row.zip_code}")


class CustomerNote(TableModel, table=True):
    """A note of the staff about a customer."""

    __tablename__ = "customer_notes"
    __table_args__ = (Index(None, "person_id", "id"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    author: str = Field(max_length=100)  # as the audit log names an actor
    text: str = Field(max_length=STAFF_NOTE_MAX)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
