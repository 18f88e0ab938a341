"""Signing in and second factors: forms, codes, refusals, and the rows of the security screen."""

import hmac
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import PlainValidator
from pyotp.totp import TOTP

from fuel_app.accounts.rules import NotAllowed, Session, network_of
from fuel_app.kit import forms
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Email, Form

TYPED_MAX = 200  # characters of a password that is compared; no rule allows as many
FAILURES_TOLD = 5  # failing sign-ins
FAILURES_WITHIN = timedelta(minutes=15)
HISTORY_KEPT = timedelta(days=365)

NO_RECOVERY_CODE = "Enter a recovery code."
WRONG_CURRENT = "This is not your current password."


@dataclass(frozen=True, slots=True)
class Visitor:
    """The caller of a service, as the browser tells: its address, device and former session."""

    address: str = ""  # on the network
    device: str = ""
    former: str = ""  # the session that a sign-in ends

    @property
    def network(self) -> str:
        return network_of(self.address)

    @property
    def device_and_network(self) -> dict[str, str]:
        """Return the device and the network, which the Login History and mails tell."""
        return {"device": self.device, "network": self.network}


class WrongSignIn(Refusal):
    """An unknown e-mail and a wrong password are refused alike."""

    message = "The email or password is not right."


class AccountClosed(Refusal):
    """Only its owner hears this, who has typed the password."""

    def __init__(self, until: datetime) -> None:
        day = long_date(day_of(until))
        super().__init__(f"This account is closed. Call or write to us by {day} to restore it.")


class WrongCode(Refusal):
    message = "This code is not right. Check it and try again."


class NoCode(WrongCode):
    """Nothing was typed, which counts as no try."""

    message = "Enter the 6 digits."


def typed_code(value: object, missing: str = NoCode.message) -> object:
    """Return what was typed into the field of a code; `missing` is what is said of nothing.

    Raises:
        NoCode: If it is nothing.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        raise NoCode(missing)
    return value


class SecondStepOver(Refusal):
    """The second step was not finished in time, or was tried too often."""

    message = "This took too long. Please sign in again."


class LinkGone(Refusal):
    """A link that is unknown, used or expired."""

    message = "This link has been used or has expired."


def _password(label: str) -> PlainValidator:
    """Return the rule of a password as it was typed: nothing is trimmed."""

    def given(value: object) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError(f"{label} is required")
        return value

    return PlainValidator(given)


Password = Annotated[str, _password("Password")]


class SignIn(Form):
    """E-mail and password."""

    email: Email
    password: Password


class ForgotPassword(Form):
    """The e-mail to which a link goes."""

    email: Email


class NewPassword(Form):
    """A new password; whether it is a good one is for `rules/passwords.py`."""

    password: Password


class PasswordChange(Form):
    """The password as it is, and a new one."""

    current: Annotated[str, _password("Current password")]
    new: Annotated[str, _password("New password")]


APP, SMS, PASSKEY, RECOVERY = METHODS = ("app", "sms", "passkey", "recovery")
FACTORS: Mapping[str, str] = {  # as messages and the Login History name them
    APP: "Authenticator app",
    SMS: "Text message codes",
    PASSKEY: "Passkey",
}
_FACTORS_IN_WORDS = {
    APP: "an authenticator app",
    SMS: "text message codes",
    RECOVERY: "recovery codes",
}
RECOVERY_CODES = 10
PASSKEYS_MAX = 20
_STEP_S = 30
_CODE_MAX = 20  # characters, with the spaces that apps show


class ReauthenticationNeeded(Refusal):
    """A change of security without a password or factor given a moment ago."""

    message = "Please confirm that it is you."
    http_status = 403


class NoPhone(Refusal):
    message = "Add your phone under Account Settings first."


class LastFactor(Refusal):
    """An admin's last second factor."""

    message = "An admin needs a second factor: set up another one first."


class NoFactor(Refusal):
    """Recovery codes for a person whom nothing can lock out."""

    message = "Set up a second factor first."


class AlreadySetUp(Refusal):
    message = "An authenticator app is set up already: remove it first."


class NotSetUp(Refusal):
    """It was removed meanwhile, or was never there."""

    message = "This is not set up any more."


class PasskeyRefused(Refusal):
    """A passkey's answer that is wrong in any way."""

    message = "This passkey did not work. Please try again, or sign in with your password."


class TooManyPasskeys(Refusal):
    message = f"An account can have {PASSKEYS_MAX} passkeys: remove one first."


class PhoneForm(forms.Form):
    """The number that gets codes."""

    phone: forms.Phone


class PasskeyForm(forms.Form):
    """The owner's name for a passkey."""

    name: Annotated[str, forms.line("Name")]


def require_reauthentication(session: Session, now: datetime) -> str:
    """Return whose security may be changed in this session.

    Raises:
        NotAllowed: If the session is not a person's.
        ReauthenticationNeeded: If neither a password nor a factor was given within 10 minutes.
    """
    if not session.person_id:
        raise NotAllowed
    if not session.is_reauthenticated(now):
        raise ReauthenticationNeeded
    return session.person_id


def describe_factors(methods: Collection[str], passkeys: int) -> str:
    """Return an account's factors in words, such as '2 passkeys, an authenticator app'."""
    counted = {0: "", 1: "a passkey"}.get(passkeys, f"{passkeys} passkeys")
    others = (words for method, words in _FACTORS_IN_WORDS.items() if method in methods)
    return ", ".join(filter(None, (counted, *others)))


def totp_step(seed: str, typed: object, now: datetime, last_step: int) -> int | None:
    """Return the time step at which a code is right; None if it is wrong or was used."""
    digits = typed.replace(" ", "") if isinstance(typed, str) and len(typed) < _CODE_MAX else ""
    app, at = TOTP(seed), int(now.timestamp()) // _STEP_S
    for step in (at, at - 1, at + 1):
        right = app.at(step * _STEP_S).encode()
        if step > last_step and hmac.compare_digest(right, digits.encode(errors="surrogatepass")):
            return step
    return None


def totp_address(seed: str, email: str, brand: str) -> str:
    """Return the address that an authenticator app opens, or reads as a QR code."""
    return TOTP(seed).provisioning_uri(name=email, issuer_name=brand)


def group_seed(seed: str) -> str:
    """Return a seed as it is typed: groups of four."""
    return " ".join(seed[start : start + 4] for start in range(0, len(seed), 4))


def new_recovery_codes() -> tuple[str, ...]:
    """Return new codes such as '3f9a-02bc-77e1': 48 random bits each."""
    parts = (secrets.token_hex(6) for _ in range(RECOVERY_CODES))
    return tuple(f"{part[:4]}-{part[4:8]}-{part[8:]}" for part in parts)


def bare_code(typed: object) -> str:
    """Return a recovery code without what people add or leave out: dashes, spaces, capitals."""
    text = typed if isinstance(typed, str) and len(typed) < 100 else ""
    return "".join(each for each in text.lower() if each.isalnum())


NO_CODES = "None yet"


@dataclass(frozen=True)
class PasskeyRow:
    """One passkey."""

    id: str
    name: str
    created: str
    used: str


@dataclass(frozen=True)
class SessionRow:
    """One browser that is signed in."""

    id: str
    device: str
    since: str
    seen: str
    is_this: bool


@dataclass(frozen=True)
class HistoryRow:
    """One line of the Login History."""

    event: str
    device: str
    network: str
    moment: str


@dataclass(frozen=True)
class OwnSecurity:
    """The values on the screen; blank until they are loaded."""

    name: str = ""
    initials: str = ""
    email: str = ""
    password: str = ""
    has_app: bool = False
    has_sms: bool = False
    phone: str = ""
    has_factor: bool = False
    recovery: str = ""
    passkeys: list[PasskeyRow] = field(default_factory=list)
    sessions: list[SessionRow] = field(default_factory=list)
    history: list[HistoryRow] = field(default_factory=list)
