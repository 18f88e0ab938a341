"""Tables of people: accounts, roles, sessions, sign-ups, challenges and second factors."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Column, Index, Text, event
from sqlmodel import Field

from fuel_app.accounts.rules import PURPOSES, ROLES
from fuel_app.kit.clock import now
from fuel_app.kit.contact import EMAIL_MAX, NAME_MAX
from fuel_app.kit.db.tables import TableModel, UtcTime, digits, new_id, one_of, sorted_text
from fuel_app.kit.search import searchable

EMAIL_NORMALISED = "email = lower(email) AND email LIKE '%_@_%'"
_DEVICE_MAX = 100
_HASH_MAX = 200


def _moment() -> Any:
    return Field(default_factory=now, sa_type=UtcTime, nullable=False)


def _maybe() -> Any:
    return Field(default=None, sa_type=UtcTime)


def _of_person(**more: Any) -> Any:
    return Field(foreign_key="people.id", ondelete="CASCADE", max_length=36, **more)


class Person(TableModel, table=True):
    """A customer or a member of the staff. Deletion empties names, e-mail, phone and secrets."""

    __tablename__ = "people"
    __table_args__ = (
        CheckConstraint(EMAIL_NORMALISED, name="email_normalised"),
        CheckConstraint(digits("phone", "IN (0, 10)"), name="phone_digits"),
        Index(None, "first_name", "last_name", "id"),
    )

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    email: str | None = Field(default=None, max_length=EMAIL_MAX, unique=True)
    first_name: str = Field(default="", sa_type=sorted_text(NAME_MAX), nullable=False)  # type: ignore[call-overload]
    last_name: str = Field(default="", sa_type=sorted_text(NAME_MAX), nullable=False)  # type: ignore[call-overload]
    # Both names as a search compares them; set as the row is written.
    search_name: str = Field(default="", sa_type=Text, sa_column_kwargs={"server_default": ""})
    phone: str = Field(default="", max_length=10)
    phone_verified_at: datetime | None = _maybe()
    email_verified_at: datetime | None = _maybe()
    password_hash: str | None = Field(default=None, max_length=_HASH_MAX)
    password_changed_at: datetime | None = _maybe()
    # The authenticator app: its encrypted seed, and the last time step of which a code was used.
    totp_seed: str | None = Field(default=None, max_length=_HASH_MAX)
    totp_confirmed_at: datetime | None = _maybe()
    totp_last_step: int = 0
    sms_codes: bool = False  # a second factor by text message
    passkey_user: str = Field(default_factory=new_id, max_length=36, unique=True)
    terms_version: str | None = Field(default=None, max_length=20)
    privacy_version: str | None = Field(default=None, max_length=20)
    terms_accepted_at: datetime | None = _maybe()
    created_at: datetime = _moment()
    deactivated_at: datetime | None = _maybe()
    delete_at: datetime | None = Field(default=None, sa_type=UtcTime, index=True)  # type: ignore[call-overload]
    deleted_at: datetime | None = _maybe()


@event.listens_for(Person, "before_insert")
@event.listens_for(Person, "before_update")
def _fold_name(_mapper: Any, _connection: Any, person: Person) -> None:
    person.search_name = searchable(f"{person.first_name} {person.last_name}")


class PersonRole(TableModel, table=True):
    """One role of one person."""

    __tablename__ = "person_roles"
    __table_args__ = (
        CheckConstraint(one_of("role", ROLES), name="role_known"),
        Index(None, "role"),
    )

    person_id: str = _of_person(primary_key=True)
    role: str = Field(primary_key=True, max_length=20)


class SignUp(TableModel, table=True):
    """A sign-up whose e-mail is not verified; several may exist for one e-mail."""

    __tablename__ = "sign_ups"
    __table_args__ = (CheckConstraint(EMAIL_NORMALISED, name="email_normalised"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    email: str = Field(max_length=EMAIL_MAX, index=True)
    first_name: str = Field(max_length=NAME_MAX)
    last_name: str = Field(max_length=NAME_MAX)
    phone: str = Field(max_length=10)
    zip_code: str = Field(max_length=5)
    password_hash: str = Field(max_length=_HASH_MAX)
    plan_id: str | None = Field(default=None, max_length=20)
    terms_version: str | None = Field(default=None, max_length=20)
    privacy_version: str | None = Field(default=None, max_length=20)
    terms_accepted_at: datetime | None = _maybe()
    # The waitlist submission of an invitation, a referrer's, a neighborhood to join: ids by name.
    comes_from: dict[str, str] = Field(
        default_factory=dict, sa_column=Column(JSON, nullable=False, server_default="{}")
    )
    created_at: datetime = Field(default_factory=now, sa_type=UtcTime, nullable=False, index=True)  # type: ignore[call-overload]


class StoredSession(TableModel, table=True):
    """The session of a browser; only the hash of its token is stored.

    With neither a person nor a sign-up it was opened by the shared password.
    """

    __tablename__ = "sessions"
    __table_args__ = (CheckConstraint("person_id IS NULL OR sign_up_id IS NULL", name="one_owner"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    token_hash: str = Field(max_length=64, unique=True)
    person_id: str | None = _of_person(default=None, index=True)
    sign_up_id: str | None = Field(
        default=None, foreign_key="sign_ups.id", ondelete="CASCADE", max_length=36, index=True
    )
    second_factor: bool = False  # it was opened with one
    proved_at: datetime | None = _maybe()  # the last time that a password or factor was given
    device: str = Field(default="", max_length=_DEVICE_MAX)
    created_at: datetime = _moment()
    last_seen_at: datetime = _moment()
    expires_at: datetime = Field(sa_type=UtcTime, nullable=False, index=True)  # type: ignore[call-overload]


class Challenge(TableModel, table=True):
    """An open code or link, used once. The secret itself derives from the id: `kit/secrets.py`."""

    __tablename__ = "challenges"
    __table_args__ = (CheckConstraint(one_of("purpose", PURPOSES), name="purpose_known"),)

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    purpose: str = Field(max_length=20)
    person_id: str | None = _of_person(default=None, index=True)
    sign_up_id: str | None = Field(
        default=None, foreign_key="sign_ups.id", ondelete="CASCADE", max_length=36, index=True
    )
    data: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    created_at: datetime = _moment()
    expires_at: datetime = Field(sa_type=UtcTime, nullable=False, index=True)  # type: ignore[call-overload]
    tries_left: int = 5
    used_at: datetime | None = _maybe()


class Passkey(TableModel, table=True):
    """A passkey (WebAuthn credential); ids and keys are base64url."""

    __tablename__ = "passkeys"

    id: str = Field(default_factory=new_id, primary_key=True, max_length=36)
    person_id: str = _of_person(index=True)
    credential_id: str = Field(max_length=1400, unique=True)
    public_key: str = Field(max_length=2000)
    sign_count: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    name: str = Field(default="", max_length=NAME_MAX)
    backed_up: bool = False
    created_at: datetime = _moment()
    last_used_at: datetime | None = _maybe()


class RecoveryCode(TableModel, table=True):
    """One recovery code: a keyed hash. It is deleted when it is used."""

    __tablename__ = "recovery_codes"

    person_id: str = _of_person(primary_key=True)
    code_hash: str = Field(primary_key=True, max_length=64)
