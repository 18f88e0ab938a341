"""The waitlist: who may join it and what an entry holds."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self, TypedDict

from fuel_app.kit import contact

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class WaitlistForm(TypedDict):
    """What the browser sends."""

    first_name: str
    last_name: str
    email: str
    phone_number: str
    zip_code: str


CLEANERS: Mapping[str, contact.Cleaner] = {
    "first_name": contact.name("First name"),
    "last_name": contact.name("Last name"),
    "email": contact.email,
    "phone_number": contact.phone,
    "zip_code": contact.zip_code,
}


@dataclass(frozen=True, slots=True)
class WaitlistEntry:
    """A valid entry: e-mail lower-cased, phone as 10 digits, ZIP as 5."""

    first_name: str
    last_name: str
    email: str
    phone_number: str
    zip_code: str

    @classmethod
    def parse(cls, form: object) -> Self:
        """Clean and check what was typed.

        Raises:
            InvalidForm: With a message for each field that is not right.
        """
        return cls(**contact.clean_form(form, CLEANERS))


@dataclass(frozen=True, slots=True)
class Resumable:
    """An entry that its visitor comes back to; with a neighborhood, only to look at it."""

    submission_id: str
    zip_code: str
    neighborhood_id: str | None


def well_formed_id(value: object) -> str | None:
    """An id as we make them, in lower case, or None for anything else."""
    typed = value.strip().lower() if isinstance(value, str) and len(value) <= 64 else ""
    return typed if _ID.fullmatch(typed) else None
