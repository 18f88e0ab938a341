"""The waitlist entry and its validation."""

from dataclasses import dataclass
from typing import Annotated

from fuel_app.kit.forms import Email, Form, Phone, ZipCode, line

NOTES_MAX = 5000  # characters


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


# With the id of the submission behind it: the keys of its mails in the outbox.
WELCOME_KEY, INVITATION_KEY = MAIL_KEYS = ("waitlist_welcome:", "area_open:")
