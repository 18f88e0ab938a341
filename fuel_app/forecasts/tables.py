"""Table of forecasts: fills elsewhere, as customers have reported them."""

from datetime import date

from sqlmodel import Field

from fuel_app.kit.db.tables import TableModel


class FillElsewhere(TableModel, table=True):
    """A day on which a customer has filled a car elsewhere, once for each car and day."""

    __tablename__ = "fills_elsewhere"

    # No foreign key, as that of a fill: a vehicle that was removed can be put back.
    vehicle_id: str = Field(primary_key=True, max_length=36)
    day: date = Field(primary_key=True)  # in New York
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36, index=True)
