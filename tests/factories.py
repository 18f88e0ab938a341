"""What a test needs, valid by default: a test says only what differs."""

from itertools import count
from typing import Any

from fuel_app.domain.waitlist import WaitlistEntry, WaitlistForm

_numbers = count(1)


def waitlist_form(**differs: Any) -> WaitlistForm:
    """What a visitor types; each one has an e-mail of their own."""
    form: dict[str, Any] = {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": f"ada.{next(_numbers)}@example.com",
        "phone_number": "(941) 555-0123",
        "zip_code": "34236",
    }
    return form | differs  # type: ignore[return-value]


def waitlist_entry(**differs: Any) -> WaitlistEntry:
    return WaitlistEntry.parse(waitlist_form(**differs))
