"""Tables of repeats: the series, its cars, and the visits that it has booked."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, CheckConstraint, Column, Index, UniqueConstraint
from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id, one_of
from fuel_app.repeats.rules import ENDS, STATES, WEEKS

WORDING_MAX = 400


class StoredSeries(TableModel, table=True):
    """A series of visits: every so many weeks, in the same window at the same place."""

    __tablename__ = "series"
    __table_args__ = (
        CheckConstraint(one_of("state", STATES), name="state_known"),
        CheckConstraint(one_of("ended", ("", *ENDS)), name="ended_known"),
        CheckConstraint("(state = 'ended') = (ended <> '')", name="ended_has_reason"),
        CheckConstraint(f"weeks IN {WEEKS}", name="weeks_known"),
        Index(None, "person_id"),
        Index(None, "state"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36)
    weeks: int = 1
    first_day: date  # of the visit from which it was started: dates are counted from it
    next_day: date  # the next date that is to be booked
    opens: int  # the window's hours on New York's clocks
    closes: int
    place: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    state: str = Field(default="active", max_length=10)
    ended: str = Field(default="", max_length=10)  # why
    wording: str = Field(max_length=WORDING_MAX)  # of the button that started it, and its terms
    actor: str = Field(max_length=100)  # who has started it, as the audit log names one
    started_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class SeriesCar(TableModel, table=True):
    """A car of a series that has not ended: a car has one at most."""

    __tablename__ = "series_cars"

    # No foreign key, as that of a fill: a vehicle that was removed can be put back.
    vehicle_id: str = Field(primary_key=True, max_length=36)
    series_id: str = Field(foreign_key="series.id", ondelete="CASCADE", max_length=36, index=True)


class SeriesVisit(TableModel, table=True):
    """A booking of a series that has not ended, once for each date."""

    __tablename__ = "series_visits"
    __table_args__ = (UniqueConstraint("series_id", "day"),)

    booking_id: str = Field(
        primary_key=True, foreign_key="bookings.id", ondelete="CASCADE", max_length=36
    )
    series_id: str = Field(foreign_key="series.id", ondelete="CASCADE", max_length=36)
    day: date
