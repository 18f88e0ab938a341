"""Tables of preferences, consents to text messages, devices, and addresses that get no mail."""

from datetime import datetime

from sqlmodel import Field

from fuel_app.kit.clock import now
from fuel_app.kit.contact import EMAIL_MAX
from fuel_app.kit.db.tables import TableModel, UtcTime, new_id
from fuel_app.messages.rules.push import AUTH_MAX, ENDPOINT_MAX, KEY_MAX


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
    """A phone's consents to text messages, and to offers among them, in their words; its STOP."""

    __tablename__ = "sms_consents"

    phone: str = Field(primary_key=True, max_length=10)
    person_id: str | None = Field(
        default=None, foreign_key="people.id", ondelete="SET NULL", max_length=36, index=True
    )
    wording: str = Field(default="", max_length=500)
    agreed_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    # Gone with a STOP: a START brings back the messages about fill-ups alone.
    offers_wording: str = Field(default="", max_length=500, sa_column_kwargs={"server_default": ""})
    offers_agreed_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    stopped_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]


class PushSubscription(TableModel, table=True):
    """A browser that shows notifications of one person, as long as their session there lasts."""

    __tablename__ = "push_subscriptions"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = Field(foreign_key="people.id", ondelete="CASCADE", max_length=36, index=True)
    session_id: str = Field(
        foreign_key="sessions.id", ondelete="CASCADE", max_length=36, index=True
    )
    endpoint: str = Field(max_length=ENDPOINT_MAX, unique=True)
    p256dh: str = Field(max_length=KEY_MAX)
    auth: str = Field(max_length=AUTH_MAX)
    device: str = Field(default="", max_length=100)
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False)  # type: ignore[call-overload]
    last_used_at: datetime | None = Field(default=None, sa_type=UtcTime)  # type: ignore[call-overload]
    failures: int = 0  # refusals in a row


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
