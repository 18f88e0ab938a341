"""Second factors: the methods, their codes, and when they may be changed."""

import hmac
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated

from pyotp.totp import TOTP

from fuel_app.accounts.rules import NotAllowed, Session
from fuel_app.kit import forms
from fuel_app.kit.errors import Refusal

APP, SMS, PASSKEY, RECOVERY = METHODS = ("app", "sms", "passkey", "recovery")
FACTORS: Mapping[str, str] = {  # as messages and the Login History name them
    APP: "Authenticator app",
    SMS: "Text message codes",
    PASSKEY: "Passkey",
}
_IN_WORDS = {APP: "an authenticator app", SMS: "text message codes", RECOVERY: "recovery codes"}
RECOVERY_CODES = 10
PASSKEYS_MAX = 20
_STEP_S = 30
_CODE_MAX = 20  # characters, with the spaces that apps show


class NotProved(Refusal):
    """A change of security without a password or factor given a moment ago."""

    message = "Please confirm that it is you."
    http_status = 403


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


def proved_person(session: Session, now: datetime) -> str:
    """Return whose security may be changed in this session.

    Raises:
        NotAllowed: If the session is not a person's.
        NotProved: If neither a password nor a factor was given within 10 minutes.
    """
    if not session.person_id:
        raise NotAllowed
    if not session.is_proved(now):
        raise NotProved
    return session.person_id


def in_words(methods: Collection[str], passkeys: int) -> str:
    """Return an account's factors in words, such as '2 passkeys, an authenticator app'."""
    counted = {0: "", 1: "a passkey"}.get(passkeys, f"{passkeys} passkeys")
    others = (words for method, words in _IN_WORDS.items() if method in methods)
    return ", ".join(filter(None, (counted, *others)))


def totp_step(seed: str, typed: object, now: datetime, last_step: int) -> int | None:
    """Return the time step at which a code is right; None if it is wrong or was used."""
    given = typed.replace(" ", "") if isinstance(typed, str) and len(typed) < _CODE_MAX else ""
    app, at = TOTP(seed), int(now.timestamp()) // _STEP_S
    for step in (at, at - 1, at + 1):
        right = app.at(step * _STEP_S).encode()
        if step > last_step and hmac.compare_digest(right, given.encode(errors="surrogatepass")):
            return step
    return None


def totp_address(seed: str, email: str, brand: str) -> str:
    """Return the address that an authenticator app opens, or reads as a QR code."""
    return TOTP(seed).provisioning_uri(name=email, issuer_name=brand)


def in_groups(seed: str) -> str:
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
