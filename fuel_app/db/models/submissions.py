"""Those who wrote to us, and the groups that they form."""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from datetime import datetime

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    Numeric,
    String,
    text,
)
from sqlmodel import Field, SQLModel

from fuel_app.db.models.base import UtcTime, digits, new_id, now, one_of
from fuel_app.domain import contact, leads, quotes

_SORTED_TEXT = String().with_variant(String(collation="C"), "postgresql")


def _lead_not_blank(*columns: str) -> tuple[CheckConstraint, ...]:
    return tuple(
        CheckConstraint(f"trim({name}) <> ''", name=f"{name}_not_blank")
        for name in ("status", "lead_source", *columns)
    )


class _Lead(SQLModel):
    """What every kind of lead has.

    The status has no fixed set of values here: the lead-source control may write to it
    (`FUEL_LEAD_SOURCE_WRITES`).
    """

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    status: str = Field(default=leads.STATUSES[0], max_length=100)
    lead_source: str = Field(default=leads.DEFAULT_SOURCE, max_length=100)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class WaitlistSubmission(_Lead, table=True):
    """A visitor on the waitlist; with a neighborhood, also that group's member."""

    __tablename__ = "waitlist_submissions"
    __table_args__ = (
        *_lead_not_blank("first_name", "last_name"),
        CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email_normalised"),
        CheckConstraint(digits("phone_number", f"IN (0, {contact.PHONE_DIGITS})"), "phone_digits"),
        CheckConstraint(digits("zip_code", f"IN (0, {contact.ZIP_DIGITS})"), "zip_digits"),
        CheckConstraint("referred_by_id <> id", name="no_self_referral"),
        ForeignKeyConstraint(["neighborhood_id"], ["neighborhoods.id"], ondelete="SET NULL"),
        ForeignKeyConstraint(["referred_by_id"], ["waitlist_submissions.id"], ondelete="SET NULL"),
        Index(None, "neighborhood_id", "created_at", "id"),
    )

    first_name: str = Field(max_length=contact.NAME_MAX)
    last_name: str = Field(max_length=contact.NAME_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX, unique=True)
    phone_number: str = Field(default="", max_length=contact.PHONE_DIGITS)
    zip_code: str = Field(default="", max_length=contact.ZIP_DIGITS)
    neighborhood_id: str | None = Field(default=None, max_length=36)
    referred_by_id: str | None = Field(default=None, max_length=36, index=True)
    # SHA-256 of the secret by which the tab that joined comes back to its entry.
    resume_hash: str | None = Field(default=None, max_length=64, unique=True)


class Neighborhood(SQLModel, table=True):
    """A group of neighbors in one ZIP; its pioneer made it.

    All that the staff's table sorts by and searches in is in the row itself. `members` is kept by
    the database (`counting.py`) and has no index, which every join would have to change.
    """

    __tablename__ = "neighborhoods"
    __table_args__ = (
        CheckConstraint("trim(name) <> '' AND name_key <> ''", name="name_not_blank"),
        CheckConstraint(digits("zip_code", f"= {contact.ZIP_DIGITS}"), "zip_digits"),
        CheckConstraint("members >= 0", name="members_counted"),
        # The two tables point at each other, so this key is added after both exist.
        ForeignKeyConstraint(
            ["pioneer_id"], ["waitlist_submissions.id"], ondelete="SET NULL", use_alter=True
        ),
        Index(None, "zip_code", "name_key", unique=True),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    name: str = Field(max_length=contact.NAME_MAX)
    name_key: str = Field(max_length=2 * contact.NAME_MAX)  # casefold may lengthen
    zip_code: str = Field(max_length=contact.ZIP_DIGITS)
    pioneer_id: str | None = Field(default=None, max_length=36, index=True)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    members: int = Field(
        default=0, sa_column=Column(Integer, nullable=False, server_default=text("0"))
    )
    # Folded; the pioneer's is the last name, a line end, then the whole name. It stays while the
    # pioneer is away and may come back.
    search_name: str = Field(
        default="", sa_column=Column(_SORTED_TEXT, nullable=False, server_default="")
    )
    pioneer_key: str = Field(
        default="", sa_column=Column(_SORTED_TEXT, nullable=False, server_default="")
    )


class _Quote(_Lead):
    company_name: str = Field(max_length=quotes.COMPANY_MAX)
    contact_name: str = Field(max_length=contact.NAME_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX)
    phone: str = Field(max_length=quotes.PHONE_MAX)
    service_location: str = Field(max_length=quotes.LOCATION_MAX)
    notes: str = Field(default="", max_length=quotes.NOTES_MAX)


class FleetQuote(_Quote, table=True):
    __tablename__ = "fleet_quotes"
    __table_args__ = (
        *_lead_not_blank("company_name", "contact_name", "email"),
        CheckConstraint("vehicle_count >= 1", name="vehicle_count_positive"),
        CheckConstraint("estimated_fuel_amount >= 0.1", name="fuel_amount_positive"),
        CheckConstraint(
            one_of("fill_frequency", quotes.FILL_FREQUENCIES), name="fill_frequency_known"
        ),
    )

    vehicle_count: int
    fuel_types: list[str] = Field(sa_column=Column(JSON, nullable=False))
    fill_frequency: str = Field(max_length=20)
    # Gallons per fill, to a tenth.
    estimated_fuel_amount: float = Field(
        sa_column=Column(Numeric(10, 1, asdecimal=False), nullable=False)
    )


class BusinessQuote(_Quote, table=True):
    __tablename__ = "business_quotes"
    __table_args__ = (
        *_lead_not_blank("company_name", "contact_name", "email"),
        CheckConstraint("employee_count >= 1", name="employee_count_positive"),
    )

    employee_count: int
    industry: str = Field(max_length=100)
