"""Questions to the office about what was pumped: their kinds, their answers, their refusals."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line

REASON_MAX = 200
KEPT_MOST = 10  # unanswered ones of a technician beside one booking
KEPT_MOST_IN_ALL = 30  # of a technician
# Pumped beside a booking; too much for the tank; a ticket number that another fill has.
KEPT, GALLONS, TICKET = KINDS = ("kept", "gallons", "ticket")
# The answers.
CHARGED, WAIVED, CONFIRMED, CORRECTED, SEEN = "charged", "waived", "confirmed", "corrected", "seen"


@dataclass(frozen=True, slots=True)
class Question:
    """An unanswered question; of a kept fill with its figures, else the booking has them."""

    id: str
    kind: str
    booking_id: str
    person_id: str | None  # who recorded it
    milligallons: int | None
    ticket: dict[str, Any]
    ticket_key: str
    why: str
    at: datetime


class AnswerForm(Form):
    """An answer: the reason, which is kept in the audit log."""

    reason: Annotated[str, line("Reason", REASON_MAX)]


class QuestionAnswered(Refusal):
    message = "This has been answered already. You now see the list as it is."


class FilledAlready(Refusal):
    message = (
        "Another fill has completed this booking. Correct that fill if this fuel is to be paid, "
        "and waive this one."
    )
