"""Facts about a customer that bookings depend on."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CustomerFacts:
    """A customer's contact, and what a booking needs."""

    name: str
    email: str
    phone: str
    zip_code: str
    email_verified: bool
    has_card: bool
    submission_id: str | None
