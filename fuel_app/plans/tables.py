"""Tables of subscriptions and of the ledger of fills."""

from datetime import date, datetime

from sqlalchemy import CheckConstraint, Index
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of
from fuel_app.plans.rules.ledger import BUCKETS, ENTRY_KINDS
from fuel_app.plans.rules.plans import PLANS, STATES

_PLAN_IDS = tuple(plan.id for plan in PLANS)


class Subscription(TableModel, table=True):
    """A person's plan: `incomplete` from sign-up until they start it."""

    __tablename__ = "subscriptions"
    __table_args__ = (
        CheckConstraint(one_of("plan_id", _PLAN_IDS), name="plan_known"),
        CheckConstraint(one_of("state", STATES), name="state_known"),
        CheckConstraint(
            "(state = 'incomplete') = (started_at IS NULL)", name="started_unless_incomplete"
        ),
        CheckConstraint(
            "(started_at IS NULL) = (period_starts IS NULL)"
            " AND (period_starts IS NULL) = (period_ends IS NULL)",
            name="period_when_started",
        ),
        Index(None, "plan_id", "person_id"),
        Index(None, "state", "period_ends"),
    )

    person_id: str = Field(
        primary_key=True, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    plan_id: str = Field(max_length=20)
    state: str = Field(default="incomplete", max_length=20)
    started_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    wording: str = Field(default="", max_length=200)  # of the button that started it
    anchor: date | None = None  # the first billing day: periods are counted from it
    period_starts: date | None = None  # days in New York; the end is the next period's first day
    period_ends: date | None = None
    cancel_at_period_end: bool = False
    pending_plan_id: str | None = Field(default=None, max_length=20)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class LedgerEntry(TableModel, table=True):
    """A change of a person's fills in one period. Never updated: a correction is a new entry.

    What is left of a period is the sum of its entries; who takes some has locked the subscription.
    """

    __tablename__ = "ledger_entries"
    __table_args__ = (
        CheckConstraint(one_of("kind", ENTRY_KINDS), name="kind_known"),
        CheckConstraint(one_of("bucket", BUCKETS), name="bucket_known"),
        Index(None, "person_id", "period", "id"),
        Index(None, "fill_id"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    key: str = Field(max_length=120, unique=True)  # makes it happen once
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    period: date  # its first day
    bucket: str = Field(max_length=10)
    kind: str = Field(max_length=10)
    fills: int  # added to what is left; 0 for what a reservation had taken before
    booking_id: str | None = Field(default=None, max_length=36)
    fill_id: str | None = Field(default=None, max_length=36)  # of the booking
    actor: str = Field(max_length=100)
    reason: str = Field(default="", max_length=200)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
