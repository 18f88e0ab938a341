"""Signing up: who does, and refusals."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fuel_app.kit.errors import Refusal


@dataclass(frozen=True, slots=True)
class Applicant:
    """A person who signs up: e-mail lower-cased, phone as 10 digits, ZIP as 5."""

    first_name: str
    last_name: str
    email: str
    phone: str
    zip_code: str


@dataclass(frozen=True, slots=True)
class PendingSignUp:
    """A sign-up whose e-mail is not verified."""

    id: str
    applicant: Applicant
    plan_id: str
    comes_from: Mapping[str, str] = field(default_factory=dict)  # ids, for those who gave them


class SignUpGone(Refusal):
    """A sign-up that was deleted after 24 hours, or has become an account."""

    message = "Your sign-up has expired. Please sign up again."
