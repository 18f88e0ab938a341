"""A fill as it is recorded, what it costs, and the questions to the office about it.

Recorded are gallons or both readings of the meter, the ticket's number and the start. More than the
tank holds, a ticket number used twice and fuel pumped beside a booking raise a question.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import PlainValidator

from fuel_app.areas.rules.prices import clean_moment
from fuel_app.billing.rules.invoices import Line
from fuel_app.billing.rules.receipts import gallons_text
from fuel_app.bookings.rules.bookings import BookedFill, Booking
from fuel_app.bookings.rules.estimates import free_of, fuel_cost, most_milligallons
from fuel_app.bookings.rules.slots import can_be_left
from fuel_app.bookings.rules.states import (
    CANCELLED,
    CAR_FILLED,
    COMPLETED,
    ENDED,
    FAILED,
    FEE,
    FREE_FILL,
    REASONS,
)
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.contact import text
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.money import Money

TICKET_MAX = 30
MOST_GALLONS = 1_000  # of one fill, far above any tank
FILLED_AFTER_END = "Filled although the booking had ended: nothing is charged by itself."
CHECKED_FIRST = "More than two tanks: nothing is charged until an admin confirms the gallons."
UNCONFIRMED = "More than the tank holds: nothing is charged until the gallons are confirmed."
ENDED_WITH_OTHER = "the visit ended with another car"  # why a car was not filled
CHECKING = "We are checking the gallons"  # to the customer
_GALLONS = re.compile(r"([0-9]{1,7})(?:\.([0-9]{1,3}))?")


@dataclass(frozen=True, slots=True)
class DayFills:
    """The fill-ups of a day: all but the cancelled ones, and those that are done."""

    scheduled: int
    completed: int
    average_milligallons: int  # of those that took fuel
    average: Money  # bill, of those that have one


@dataclass(frozen=True, slots=True)
class Sold:
    """The billed fills of a day of one grade in one area."""

    area_id: str
    grade: str
    fills: int
    milligallons: int
    income: Money  # without tax


@dataclass(frozen=True, slots=True)
class Booked:
    """The bookings of one slot and grade that are not cancelled."""

    slot_id: str
    grade: str
    count: int
    milligallons: int  # as estimated


class MoreThanTank(Refusal):
    """More than the tank holds; the press has to be confirmed."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"The tank holds {gallons_text(most)} gallons at most. Is this what was pumped?"
        )


class MoreThanTwoTanks(Refusal):
    message = "This is more than two tanks. Only an admin decides about it."


class ReceiptSent(Refusal):
    """A technician's correction that only the office may make."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The receipt has been sent. The office can correct it: {reason}")


def _gallons(typed: object) -> int | None:
    """Return thousandths of a gallon; None where nothing was typed."""
    known = text(typed).replace(",", "")
    found = _GALLONS.fullmatch(known)
    if known and not found:
        raise ValueError("Enter gallons, such as 11.382")
    return int(found[1] + (found[2] or "").ljust(3, "0")) if found else None


class FillRecord(Form):
    """A fill as it was pumped, in thousandths of a gallon; use `parse_fill`."""

    gallons: Annotated[int | None, PlainValidator(_gallons)]
    meter_start: Annotated[int | None, PlainValidator(_gallons)]
    meter_end: Annotated[int | None, PlainValidator(_gallons)]
    ticket: Annotated[str, line("Ticket number", TICKET_MAX)]
    started: Annotated[datetime | None, PlainValidator(clean_moment)]

    @property
    def metered(self) -> int | None:
        """Return the difference of both readings."""
        if self.meter_start is None or self.meter_end is None:
            return None
        return self.meter_end - self.meter_start

    @property
    def milligallons(self) -> int:
        return (self.metered or 0) if self.gallons is None else self.gallons

    @property
    def stored(self) -> dict[str, str | int]:
        """Return the `ticket` of a booking, without its meter's number."""
        start, end = self.meter_start or 0, self.meter_end or 0
        began = {"started": self.started.isoformat()} if self.started else {}
        return {"number": self.ticket, "meter_start": start, "meter_end": end} | began

    def correcting(self, ticket: Mapping[str, Any]) -> "FillRecord":
        """Return the fill; without a start of its own it has that of the record it corrects."""
        began = ticket.get("started")
        if self.started or not began:
            return self
        return self.model_copy(update={"started": datetime.fromisoformat(began)})


class CorrectionForm(FillRecord):
    """A fill with the reason of staff who correct it."""

    reason: Annotated[str, line("Reason", 200)]


def fill_text(milligallons: int | None, ticket: Mapping[str, Any]) -> str:
    """'11.382 gallons, ticket T-1'."""
    return f"{gallons_text(milligallons or 0)} gallons, ticket {ticket.get('number', '')}"


def parse_fill(sent: object, now: datetime) -> FillRecord:
    """Return a fill as it was sent.

    Raises:
        InvalidForm: If it says neither the gallons nor both readings, if they contradict each
            other, if no vehicle takes as much, or if it has not begun yet.
    """
    fill = FillRecord.parse(sent)
    metered = fill.metered
    if metered is not None and metered < 0:
        raise InvalidForm({"meter_end": "This is less than at the start"})
    if fill.gallons is None and metered is None:
        raise InvalidForm({"gallons": "Enter the gallons, or both readings of the meter"})
    if metered is not None and fill.gallons not in (None, metered):
        raise InvalidForm({"gallons": f"The meter says {gallons_text(metered)}"})
    if fill.milligallons > 1000 * MOST_GALLONS:
        raise InvalidForm({"gallons": f"Enter {MOST_GALLONS:,} gallons or less"})
    if fill.started and fill.started > now:
        raise InvalidForm({"started": "This time has not come yet"})
    return fill


def stored_fill(milligallons: int | None, ticket: Mapping[str, Any]) -> FillRecord:
    """Return a fill as it was recorded, from its gallons and the `ticket` that is stored."""
    fill = FillRecord.model_construct(
        gallons=milligallons or 0,
        meter_start=ticket.get("meter_start", 0),
        meter_end=ticket.get("meter_end", 0),
        ticket=ticket.get("number", ""),
        started=None,
    )
    return fill.correcting(ticket)


def fill_fields(booked: BookedFill) -> dict[str, str]:
    """Return a recorded fill as it stands in the fields: the readings, or the gallons."""
    start, end = (booked.ticket.get(name, 0) for name in ("meter_start", "meter_end"))
    filled = booked.filled_milligallons
    metered = bool(end) and end - start == filled
    return FillRecord.blank() | {
        "gallons": "" if filled is None or metered else gallons_text(filled),
        "meter_start": gallons_text(start) if start or metered else "",
        "meter_end": gallons_text(end) if end else "",
        "ticket": booked.ticket.get("number", ""),
    }


def lines_of(booked: BookedFill, milligallons: int, mills: int) -> tuple[Line, ...]:
    """Return the lines of a fill's invoice: no fee that was not agreed to, nothing for no fuel."""
    fuel = fuel_cost(milligallons, mills)
    free = free_of(fuel, booked.pays_by, booked.free_cap)
    nothing = Money(0)
    fee, tax = (nothing, nothing) if booked.fee_asked_at else (booked.fee, booked.tax)
    others = (
        Line("convenience_fee", "Convenience fee", fee),
        Line("free_fill", "Free first fill", -free),
        Line("tax", "Tax", tax),
    )
    if not milligallons:
        return ()
    pumped = Line("fuel", f"Fuel, {booked.grade}", fuel, milligallons, mills)
    return (pumped, *(each for each in others if each.amount.cents))


def costs_late_fee(reasons: Iterable[str]) -> bool:
    """Return whether a visit without a fill costs its late fee: every car's reason has to."""
    costly = {each.label for each in REASONS.values() if each.costs_fee}
    return all(each in costly for each in reasons)


def as_charged(booking: Booking, booked: BookedFill) -> BookedFill:
    """Return a fill as staff charge it: a free first fill that has come back is not spent."""
    has_come_back = booked.pays_by == FREE_FILL and booking.state in (CANCELLED, FAILED)
    return replace(booked, pays_by=FEE) if has_come_back else booked


def check_start(booking: Booking, fill: FillRecord) -> None:
    """Refuse a start before the day of the visit: an older price may have been a lower one."""
    first = day_of(min(booking.starts_at, booking.completed_at or booking.starts_at))
    if fill.started and day_of(fill.started) < first:
        raise InvalidForm({"started": f"Not before the visit's day, {long_date(first)}"})


@dataclass(frozen=True, slots=True)
class Recording:
    """A fill as a step of its booking, and whether the step bills it."""

    kind: str  # the step
    is_owed: bool = True
    why_checked: str = ""  # an admin or the office decides before anything is charged

    @property
    def is_billed(self) -> bool:
        return self.is_owed and not self.why_checked


def recording_of(
    booking: Booking,
    booked: BookedFill,
    milligallons: int,
    *,
    by_technician: bool,
    is_admin: bool,
    is_confirmed: bool,
) -> Recording:
    """Return how a fill, or its correction, is recorded.

    A technician's is always recorded; more than the tank that was not confirmed, and more than two
    tanks, charge nothing yet. What was pumped after the booking had ended charges nothing by
    itself.

    Args:
        is_admin: Whether one of the staff does it who may decide about two tanks.

    Raises:
        MoreThanTank: Unless it is confirmed; for a technician if it corrects what has a bill.
        MoreThanTwoTanks: If no admin does it: if it corrects what has a bill, or if staff correct
            what waits for an admin because of them.
    """
    has_bill = booked.total is not None
    is_open = booking.state not in ENDED
    has_others = is_open and any(each.id != booked.id for each in booking.still_to_fill)
    most = most_milligallons(booked.car.tank_tenths)
    is_unconfirmed = milligallons > most and not is_confirmed
    is_two_tanks = exceeds_two_tanks(booked, milligallons)
    waits_for_admin = booked.gallons_asked_at is not None and exceeds_two_tanks(
        booked, booked.filled_milligallons or 0
    )
    if is_unconfirmed and not by_technician:
        raise MoreThanTank(most)
    if waits_for_admin and not by_technician and not is_admin:
        raise MoreThanTwoTanks
    if is_two_tanks and has_bill and not is_admin:
        raise MoreThanTwoTanks
    if is_unconfirmed and has_bill:
        raise MoreThanTank(most)
    if is_open:
        is_owed = True
    elif booking.state == COMPLETED:  # a car of a visit that is billed, or waits for an answer
        is_owed = booking.is_checked or any(each.total is not None for each in booking.fills)
    else:
        is_owed = False
    is_checked = is_owed and (is_unconfirmed or (is_two_tanks and not is_admin))
    return Recording(
        kind=CAR_FILLED if has_others else "correct" if booking.state == COMPLETED else "complete",
        is_owed=is_owed,
        why_checked=(CHECKED_FIRST if is_two_tanks else UNCONFIRMED) if is_checked else "",
    )


def check_two_tanks(booked: BookedFill | None, milligallons: int, *, is_admin: bool) -> None:
    """Refuse more than two tanks of a car, unless an admin decides about them."""
    if booked and exceeds_two_tanks(booked, milligallons) and not is_admin:
        raise MoreThanTwoTanks


def exceeds_two_tanks(booked: BookedFill, milligallons: int) -> bool:
    """Return whether more was pumped than any mistake about a car's tank explains."""
    return milligallons > 2 * 100 * booked.car.tank_tenths


def ticket_key(meter: str, number: str) -> str:
    """Return what is the same for two fills with one ticket of a meter; '' without a meter."""
    return f"{meter}:{''.join(number.split()).upper()}" if meter and number else ""


def record_label(booking: Booking, now: datetime) -> str:
    """Return what staff do with the figures of a fill; nothing long before its window."""
    if booking.completed_at:
        return "Correct the fill"
    return "" if can_be_left(booking.starts_at, now) else "Record the fill"


REASON_MAX = 200
KEPT_MOST = 10  # unanswered ones of a technician beside one booking
KEPT_MOST_IN_ALL = 30  # of a technician
# Pumped beside a booking; too much for the tank; a ticket number that another fill has.
KEPT, GALLONS, TICKET = QUESTION_KINDS = ("kept", "gallons", "ticket")
# The answers.
CHARGED, WAIVED, CONFIRMED, CORRECTED, SEEN = "charged", "waived", "confirmed", "corrected", "seen"


@dataclass(frozen=True, slots=True)
class Question:
    """An unanswered question; of a kept fill with its figures, else the booking has them."""

    id: str
    kind: str
    booking_id: str
    fill_id: str | None
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
        "This car has a fill, or is not on the visit any more. Correct that fill if this fuel is "
        "to be paid, and waive this one."
    )
