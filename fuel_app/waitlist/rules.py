"""The waitlist entry and its validation."""

import re
from dataclasses import dataclass
from typing import Annotated

from fuel_app.kit.forms import Email, Form, Phone, ZipCode, line

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class WaitlistEntry(Form):
    """The waitlist form: e-mail lower-cased, phone as 10 digits, ZIP as 5."""

    first_name: Annotated[str, line("First name")]
    last_name: Annotated[str, line("Last name")]
    email: Email
    phone_number: Phone
    zip_code: ZipCode


@dataclass(frozen=True, slots=True)
class Resumable:
    """An entry that its visitor resumes; with a neighborhood, only to look at it."""

    submission_id: str
    zip_code: str
    neighborhood_id: str | None


def well_formed_id(value: object) -> str | None:
    """Return an id of our form in lower case, or None for anything else."""
    typed = value.strip().lower() if isinstance(value, str) and len(value) <= 64 else ""
    return typed if _ID.fullmatch(typed) else None
