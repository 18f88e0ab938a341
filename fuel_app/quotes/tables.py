"""Quote requests of fleets and businesses."""

from sqlalchemy import JSON, CheckConstraint, Column, Numeric
from sqlmodel import Field

from fuel_app.kit import contact
from fuel_app.kit.db.tables import one_of
from fuel_app.leads import rules as leads
from fuel_app.leads.tables import LeadFields, lead_not_blank
from fuel_app.quotes import rules


class _Quote(LeadFields):
    company_name: str = Field(max_length=leads.COMPANY_MAX)
    contact_name: str = Field(max_length=contact.NAME_MAX)
    email: str = Field(max_length=contact.EMAIL_MAX)
    phone: str = Field(max_length=leads.PHONE_MAX)
    service_location: str = Field(max_length=rules.LOCATION_MAX)
    notes: str = Field(default="", max_length=rules.NOTES_MAX)


class FleetQuote(_Quote, table=True):
    __tablename__ = "fleet_quotes"
    __table_args__ = (
        *lead_not_blank("company_name", "contact_name", "email"),
        CheckConstraint("vehicle_count >= 1", name="vehicle_count_positive"),
        CheckConstraint("estimated_fuel_amount >= 0.1", name="fuel_amount_positive"),
        CheckConstraint(
            one_of("fill_frequency", rules.FILL_FREQUENCIES), name="fill_frequency_known"
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
        *lead_not_blank("company_name", "contact_name", "email"),
        CheckConstraint("employee_count >= 1", name="employee_count_positive"),
    )

    employee_count: int
    industry: str = Field(max_length=100)
