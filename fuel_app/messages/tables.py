"""Tables of preferences, consents to text messages, and addresses that get no mail."""

from datetime import datetime

from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.contact import EMAIL_MAX
from fuel_app.kit.db.tables import TableModel, UtcTime


class StoredPreferences(TableModel, table=True):
    """The nine switches of a person; without a row the defaults hold."""

    __tablename__ = "preferences"

    person_id: str = Field(
        primary_key=True, foreign_key="people.id", ondelete="CASCADE", max_length=36
    )
    fill_reminder: bool
    day_before: bool
    hour_before: bool
    completion: bool
    marketing: bool
    newsletter: bool
    sms: bool
    email: bool
    push: bool


class SmsConsent(TableModel, table=True):
    """A phone's consent to text messages, in its words, and its STOP."""

    __tablename__ = "sms_consents"

    phone: str = Field(primary_key=True, max_length=10)
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36, index=True
    )
    wording: str = Field(default="", max_length=500)
    agreed_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    stopped_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]


class RefusedAddress(TableModel, table=True):
    """A mail address that its server has refused for good: nothing more is sent there."""

    __tablename__ = "refused_addresses"

    address: str = Field(primary_key=True, max_length=EMAIL_MAX)
    reason: str = Field(max_length=300)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]


class UnsubscribedAddress(TableModel, table=True):
    """A mail address of no person that wants only what is about money, security or safety."""

    __tablename__ = "unsubscribed_addresses"

    address: str = Field(primary_key=True, max_length=EMAIL_MAX)
    at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
