"""Tables of service areas: ZIPs, delivery windows, exceptions, fuel prices."""

from datetime import date, datetime

from sqlalchemy import CheckConstraint, Index, false
from sqlmodel import Field

from fuel_app.areas.rules.areas import AREA_NAME_MAX, AREA_STATUSES
from fuel_app.areas.rules.hours import REASON_MAX
from fuel_app.areas.rules.prices import GRADES
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, digits, new_id, one_of

_ALL_GRADES = ",".join(GRADES)


class Area(TableModel, table=True):
    """A service area. The company is open as soon as one has been opened."""

    __tablename__ = "areas"
    __table_args__ = (CheckConstraint(one_of("status", AREA_STATUSES), name="status_known"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    name: str = Field(max_length=AREA_NAME_MAX, unique=True)
    status: str = Field(max_length=10)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    opened_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    grades: str = Field(  # on offer
        default=_ALL_GRADES, max_length=60, sa_column_kwargs={"server_default": _ALL_GRADES}
    )
    streets_allowed: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    # Of fee and plan lines; fuel prices contain their taxes.
    tax_basis_points: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class AreaZip(TableModel, table=True):
    """A ZIP of an area; it belongs to one area at most."""

    __tablename__ = "area_zips"
    __table_args__ = (CheckConstraint(digits("zip_code", "= 5"), name="zip_five_digits"),)

    zip_code: str = Field(primary_key=True, max_length=5)
    area_id: str = Field(foreign_key="areas.id", ondelete="CASCADE", max_length=36, index=True)


class AreaWindow(TableModel, table=True):
    """A delivery window of a weekday, in hours on the clocks of New York."""

    __tablename__ = "area_windows"
    __table_args__ = (
        CheckConstraint("weekday BETWEEN 0 AND 6", name="weekday_known"),  # 0 is Monday
        CheckConstraint("opens >= 0 AND opens < closes AND closes <= 24", name="hours_in_order"),
        CheckConstraint("capacity > 0", name="capacity_positive"),
    )

    area_id: str = Field(
        primary_key=True, foreign_key="areas.id", ondelete="CASCADE", max_length=36
    )
    weekday: int = Field(primary_key=True)
    opens: int = Field(primary_key=True)
    closes: int
    capacity: int


class AreaException(TableModel, table=True):
    """Another capacity on one day, for one window or (`opens` is -1) for all; 0 is a closure."""

    __tablename__ = "area_exceptions"
    __table_args__ = (
        CheckConstraint("opens BETWEEN -1 AND 23", name="opens_known"),
        CheckConstraint("capacity >= 0", name="capacity_not_negative"),
    )

    area_id: str = Field(
        primary_key=True, foreign_key="areas.id", ondelete="CASCADE", max_length=36
    )
    day: date = Field(primary_key=True)
    opens: int = Field(primary_key=True)
    capacity: int
    reason: str = Field(default="", max_length=REASON_MAX)


class StoredPrice(TableModel, table=True):
    """A fuel price of an area from `effective_at` on, all motor-fuel taxes included."""

    __tablename__ = "fuel_prices"
    __table_args__ = (
        CheckConstraint(one_of("grade", GRADES), name="grade_known"),
        CheckConstraint("mills > 0", name="mills_positive"),
        Index(None, "area_id", "grade", "effective_at"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    area_id: str = Field(foreign_key="areas.id", ondelete="CASCADE", max_length=36)
    grade: str = Field(max_length=10)
    mills: int  # per gallon
    cost_mills: int | None = None  # what the company pays for a gallon; None: not said
    effective_at: datetime = Field(sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    source: str = Field(max_length=100)
    set_by: str = Field(max_length=100)  # as the audit log names an actor
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class ProposedPrice(TableModel, table=True):
    """A week's published price of a grade, proposed to staff and never applied by itself."""

    __tablename__ = "proposed_prices"
    __table_args__ = (CheckConstraint(one_of("grade", GRADES), name="grade_known"),)

    grade: str = Field(primary_key=True, max_length=10)
    week: date = Field(primary_key=True)  # its Monday
    mills: int
    source: str = Field(max_length=100)
    fetched_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
