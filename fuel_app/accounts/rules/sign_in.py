"""Signing in: forms, refusals, and when failures are told to the owner."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.accounts.rules import network_of
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
    def place(self) -> dict[str, str]:
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
