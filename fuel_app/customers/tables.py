"""Tables of customers: the account beside the person, and the staff's notes."""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from datetime import datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field, SQLModel

from fuel_app.customers.rules.listing import NOTE_MAX
from fuel_app.kit.clock import now
from fuel_app.kit.contact import NAME_MAX
from fuel_app.kit.db.tables import UtcTime, new_id, one_of
from fuel_app.plans.rules import PLANS

PLAN_STATES = ("incomplete",)  # the others come with subscriptions


class StoredCustomer(SQLModel, table=True):
    """A person's customer account: the chosen plan and the postal address."""

    __tablename__ = "customers"
    __table_args__ = (
        CheckConstraint(one_of("plan_id", tuple(plan.id for plan in PLANS)), name="plan_known"),
        CheckConstraint(one_of("plan_state", PLAN_STATES), name="plan_state_known"),
        Index(None, "created_at", "person_id"),
        Index(None, "plan_id", "created_at", "person_id"),
    )

    person_id: str = Field(
        primary_key=True, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    plan_id: str = Field(max_length=20)
    plan_state: str = Field(default="incomplete", max_length=20)
    address: str = Field(default="", max_length=200)
    city: str = Field(default="", max_length=NAME_MAX)
    state: str = Field(default="", max_length=40)
    zip_code: str = Field(default="", max_length=5, index=True)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class CustomerNote(SQLModel, table=True):
    """A note of the staff about a customer."""

    __tablename__ = "customer_notes"
    __table_args__ = (Index(None, "person_id", "id"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    author: str = Field(max_length=100)  # as the audit log names an actor
    text: str = Field(max_length=NOTE_MAX)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
