"""Tables of service areas and their ZIPs."""

# pyright: reportAssignmentType=false
# (SQLModel declares __tablename__ as a method and takes a text)

from datetime import datetime

from sqlalchemy import CheckConstraint
from sqlmodel import Field, SQLModel

from fuel_app.areas.rules.areas import AREA_NAME_MAX, AREA_STATUSES
from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import UtcTime, digits, new_id, one_of


class Area(SQLModel, table=True):
    """A service area. The company is open as soon as one has been opened."""

    __tablename__ = "areas"
    __table_args__ = (CheckConstraint(one_of("status", AREA_STATUSES), name="status_known"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    name: str = Field(max_length=AREA_NAME_MAX, unique=True)
    status: str = Field(max_length=10)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    opened_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]


class AreaZip(SQLModel, table=True):
    """A ZIP of an area; it belongs to one area at most."""

    __tablename__ = "area_zips"
    __table_args__ = (CheckConstraint(digits("zip_code", "= 5"), name="zip_five_digits"),)

    zip_code: str = Field(primary_key=True, max_length=5)
    area_id: str = Field(foreign_key="areas.id", ondelete="CASCADE", max_length=36, index=True)
