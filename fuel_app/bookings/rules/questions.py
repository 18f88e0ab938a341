"""Questions to the office about what was pumped: their kinds, their answers, their refusals."""

from fuel_app.kit.errors import Refusal

# Pumped beside a booking; more than two tanks; a ticket number that another fill has.
KEPT, GALLONS, TICKET = KINDS = ("kept", "gallons", "ticket")
CHARGED, WAIVED, CONFIRMED, CORRECTED, SEEN = ANSWERS = (
    *("charged", "waived", "confirmed", "corrected", "seen"),
)
ANSWERS_OF = {
    KEPT: (CHARGED, WAIVED),
    GALLONS: (CONFIRMED, CORRECTED),
    TICKET: (SEEN, CORRECTED),
}


class QuestionAnswered(Refusal):
    message = "A colleague has answered this meanwhile."


class FilledAlready(Refusal):
    message = (
        "Another fill has completed this booking. Correct that fill if this fuel is to be paid, "
        "and waive this one."
    )
