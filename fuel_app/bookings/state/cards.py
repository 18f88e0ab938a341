"""Bookings, estimates, vehicles and places as the screens show them: plain texts."""

import dataclasses
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Self

from fuel_app import routes
from fuel_app.areas.rules.prices import age_words
from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.authorizations import NO_ALERT, CardAlert
from fuel_app.bookings.rules.bookings import BookedFill, Booking, Event, free_fill_note
from fuel_app.bookings.rules.estimates import Estimate, Line, estimate_of
from fuel_app.bookings.rules.fills import CHECKING, record_label
from fuel_app.bookings.rules.slots import CUTOFF, can_be_left
from fuel_app.bookings.rules.states import Changes, shown_reason
from fuel_app.customers.rules.locations import OwnLocation
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.kit import clock
from fuel_app.kit.clock import time_span
from fuel_app.kit.money import Money
from fuel_app.kit.words import counted, tenths

_COMES_BACK = {
    states.ALLOWANCE: "A fill of your plan comes back to you.",
    states.GUEST_FILL: "Your guest fill comes back to you.",
    states.FREE_FILL: "Your free first fill stays yours.",
}
_OUTCOMES = {states.NOT_ENDED: "to do", states.FILLED: "filled", states.NOT_FILLED: "not filled"}
_ASKED = "Your plan does not cover this fill-up any more. Please pay its fee, or cancel it."
_EVENTS = {
    "book": "Booked",
    "publish": "Given to your technician",
    "move": "Moved",
    "note": "Note changed",
    "cars": "Cars changed",
    "place": "Place changed",
    "unpublish": "Waiting for another truck",
    "hold": "On hold",
    "resume": "No longer on hold",
    "cancel": "Cancelled",
    "drive": "On the way",
    "arrive": "Arrived",
    "fuel": "Fueling",
    "fail": "Not filled",
    "car_filled": "Filled",
    "car_charged": "Filled, charged by the office",
    "car_missed": "Not filled",
    "complete": "Done",
    "ask_fee": "Not covered by the plan any more",
    "pay_fee": "Convenience fee chosen",
    "cover": "Covered by the plan, without a fee",
    "details": "Car or place put right",
    "link": "Link sent again",
    "correct": "Corrected",
    "charge": "Done, charged by the office",
    "confirm": "Gallons confirmed",
}


@dataclasses.dataclass(frozen=True)
class HistoryLine:
    """One step of a booking's life."""

    what: str
    when: str
    note: str


@dataclasses.dataclass(frozen=True)
class BookingCard:
    """One booking; empty until it is loaded."""

    id: str = ""
    revision: int = 0
    status: str = ""
    step: int = -1  # of its status in `states.COURSE`; -1 for one that has left it
    day: str = ""
    window: str = ""
    car: str = ""
    plate: str = ""
    place: str = ""
    notes: str = ""  # for the technician
    may_note: bool = False
    lines: list[Line] = dataclasses.field(default_factory=list)
    total: str = ""
    held: str = ""  # what is held on the card until the fill
    free_note: str = ""  # that a promised free first fill was used before
    payment: str = ""  # '$61 authorized'
    alert: str = ""  # the card was declined: what to do, and by when
    needs_confirmation: bool = False  # of the payment, by the bank
    card_missing: bool = False  # staff have booked it: the guest adds a card
    late: str = ""  # until when it is free to change, and what it costs later
    reason: str = ""
    may_move: bool = False
    may_replace: bool = False  # have it at another address
    may_cancel: bool = False
    cancel_label: str = ""
    record: str = ""  # the staff's button for what was pumped
    is_invoiced: bool = False  # what was pumped is changed at the invoice
    asked: str = ""  # to choose: the plan does not cover it any more
    fee_label: str = ""  # of the button that chooses the fee
    note: str = ""
    comes_back: str = ""  # by cancelling
    can_track: bool = False
    has_ended: bool = False
    href: str = ""
    history: list[HistoryLine] = dataclasses.field(default_factory=list)

    @classmethod
    def of(
        cls,
        booking: Booking,
        may: Changes = states.NO_CHANGES,
        events: Iterable[Event] = (),
        payment: str = "",
        *,
        alert: CardAlert = NO_ALERT,
        is_invoiced: bool = False,
    ) -> Self:
        estimate, status = estimate_of(booking), states.SHOWN[booking.state]
        fee = Money(0) if booking.state in states.ENDED else booking.asked_fee
        has_tax = any(each.tax.cents for each in booking.fills)
        day, with_tax = booking.day, " with tax" if has_tax else ""
        told = shown_reason(booking.reason)
        return cls(
            id=booking.id,
            revision=booking.revision,
            status=f"{status}, {alert.state}" if alert.state else status,
            step=states.COURSE.index(status) if status in states.COURSE else -1,
            day=f"{day:%A}, {clock.long_date(day)}",
            window=time_span(booking.starts_at, booking.ends_at),
            car=booking.cars,
            plate=booking.plates,
            place=booking.place.line,
            notes=booking.place.notes,
            may_note=booking.state in states.WAITING,
            lines=_lines(booking, estimate),
            total=_total(booking, estimate),
            held=estimate.held,
            free_note=free_fill_note(estimate.free_fill_used),
            payment=payment,
            alert=alert.text,
            needs_confirmation=alert.needs_confirmation,
            card_missing=alert.is_missing,
            late=_late(booking),
            reason=told[:1].upper() + told[1:],
            may_move=may.may_move,
            may_replace=may.may_move and booking.state in (states.BOOKED, states.WEATHER_HOLD),
            may_cancel=may.may_cancel,
            record="" if is_invoiced else record_label(booking, clock.now()),
            is_invoiced=is_invoiced,
            cancel_label="Cancel free of charge" if fee.cents else may.cancel_label,
            asked=_ASKED if fee.cents else "",
            fee_label=f"Pay the {fee} convenience fee{with_tax}" if fee.cents else "",
            note=may.note,
            comes_back="" if fee.cents else _comes_back(booking),
            can_track=booking.state in states.TRACKED_STATES,
            has_ended=booking.state in states.ENDED,
            href=routes.booking(booking.id),
            history=_history(booking, tuple(events)),
        )


def _comes_back(booking: Booking) -> str:
    """Return what cancelling returns to the customer."""
    ways = dict.fromkeys(each.pays_by for each in booking.fills)
    return " ".join(_COMES_BACK[way] for way in ways if way in _COMES_BACK)


def _total(booking: Booking, estimate: Estimate) -> str:
    """Return what a fill has cost, is going to, or what its end without one costs."""
    if booking.total is not None:
        return str(booking.total)
    if booking.state == states.COMPLETED:
        return CHECKING if booking.is_checked else "Not charged"
    return str(booking.late_fee) if _is_off(booking) else f"about {estimate.total}"


def _is_off(booking: Booking) -> bool:
    """Return whether it has ended without a fill."""
    return booking.state in (states.CANCELLED, states.FAILED)


def _lines(booking: Booking, estimate: Estimate) -> list[Line]:
    if booking.state == states.COMPLETED:
        gallons = booking.counted_milligallons
        return [Line("Fuel", f"{tenths(gallons)} gallons")] if gallons else []
    if not _is_off(booking):
        return list(estimate.lines)
    return [Line("Late fee", str(booking.late_fee))] if booking.late_fee.cents else []


def _late(booking: Booking) -> str:
    """Return until when a booking is free to change, and what cancelling costs later."""
    if booking.state in states.ENDED:
        nothing = _is_off(booking) and booking.total is None and not booking.late_fee.cents
        return "Nothing was charged." if nothing else ""
    if not can_be_left(booking.starts_at, clock.now()):
        return ""
    until = short_moment(booking.starts_at - CUTOFF)
    fee = booking.late_fee_agreed
    later = f" Cancelling later costs {fee}." if fee.cents else ""
    return f"Free to move or cancel until {until}.{later}"


def short_moment(at: datetime) -> str:
    """'Tue, Nov 24, 8:00 AM' in New York."""
    day = clock.day_of(at)
    return f"{day:%a, %b} {day.day}, {clock.time_of_day(at)}"


def _history(booking: Booking, events: Sequence[Event]) -> list[HistoryLine]:
    """Return the steps in their order; a move says from when to when."""
    lines, starts_at = [], booking.starts_at
    for event in reversed(events):
        note = event.note
        if event.kind == "move" and (former := event.before.get("starts_at")):
            before = datetime.fromisoformat(former)
            moved = f"From {short_moment(before)} to {short_moment(starts_at)}"
            note, starts_at = ". ".join(filter(None, (moved, note))), before
        what = _EVENTS.get(event.kind, event.kind)
        lines.append(HistoryLine(what, clock.date_and_time(event.at), note))
    return lines[::-1]


@dataclasses.dataclass(frozen=True)
class PriceCard:
    """An estimate: each part of the price, and the total; empty until there is one."""

    lines: list[Line] = dataclasses.field(default_factory=list)
    total: str = ""  # 'about $52.10'
    brief: str = ""  # its parts, and what is held, in one line
    source: str = ""
    late_fee: str = ""
    held: str = ""  # what is held on the card until the fill
    free_note: str = ""  # that a promised free first fill was used before
    spent_note: str = ""  # that no fill of the plan is left, and when the next ones come
    larger_plan: str = ""  # that would cover it

    @classmethod
    def of(cls, estimate: Estimate) -> Self:
        age = age_words(estimate.effective_at, clock.now())
        source = f", {estimate.source}" if estimate.source else ""
        return cls(
            lines=_price_lines(estimate),
            total=f"about {estimate.total}",
            brief=estimate.brief,
            source=f"Price set {age}{source}",
            late_fee=str(estimate.late_fee),
            held=estimate.held,
            free_note=free_fill_note(estimate.free_fill_used),
            spent_note=estimate.spent.note if estimate.spent else "",
            larger_plan=estimate.spent.larger_plan if estimate.spent else "",
        )


def _price_lines(estimate: Estimate) -> list[Line]:
    """Return the parts of a price; one that the plan includes says what is left."""
    lines = []
    for fill in estimate.fills:
        prefix = f"{fill.car}: " if len(estimate.fills) > 1 else ""
        left = counted(fill.fills_left, "fill")  # some may be rolled over: no 'of 4'
        for line in fill.lines:
            is_new = fill.pays_by == states.ALLOWANCE and fill.fills_left > 0
            is_counted = is_new and line.label == "Convenience fee"
            amount = f"Included in your plan: {left} left" if is_counted else line.amount
            lines.append(Line(f"{prefix}{line.label}", amount))
    return lines


@dataclasses.dataclass(frozen=True)
class Choice:
    """A vehicle or a place to choose."""

    id: str
    title: str
    details: str

    @classmethod
    def of_vehicle(cls, vehicle: OwnVehicle) -> Self:
        details = f"{vehicle.license_plate} · {vehicle.grade.capitalize()} · {vehicle.color}"
        return cls(vehicle.id, vehicle.title, details)

    @classmethod
    def of_fill(cls, fill: BookedFill) -> Self:
        what = _OUTCOMES[fill.outcome]
        return cls(fill.id, f"{fill.car.name}, {fill.car.license_plate}", what)

    @classmethod
    def of_place(cls, place: OwnLocation) -> Self:
        unit = f", {place.unit}" if place.unit else ""
        city = f"{place.city}, {place.state} {place.zip_code}"
        return cls(place.id, f"{place.street}{unit}", f"{city} · {place.spot}")
