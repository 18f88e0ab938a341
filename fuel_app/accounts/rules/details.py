"""A person's own name, e-mail and phone."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.kit.errors import Refusal

CODES_TO_PHONE = "Turn off codes by text message under Privacy & Security first."


@dataclass(frozen=True, slots=True)
class Details:
    """A person's details, as the person's own screens show them."""

    first_name: str
    last_name: str
    email: str
    phone: str
    email_verified: bool
    phone_verified: bool
    password_since: datetime


class AccountGone(Refusal):
    """The account, or the sign-up, has been closed or has lapsed meanwhile."""

    message = "This account is closed."
