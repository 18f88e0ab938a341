"""The states of a booking, every allowed step with who may take it, and why a fill fails.

A failed fill goes back to the plan, whatever the reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fuel_app.bookings.rules.slots import can_be_left
from fuel_app.kit.money import Money

BOOKED, DISPATCHED, EN_ROUTE, ARRIVED, FUELING, WEATHER_HOLD, COMPLETED, CANCELLED, FAILED = (
    STATES
) = (
    *("booked", "dispatched", "en_route", "arrived", "fueling", "weather_hold"),
    *("completed", "cancelled", "failed"),
)
ENDED = (COMPLETED, CANCELLED, FAILED)
TRACKED_STATES = (DISPATCHED, EN_ROUTE, ARRIVED, FUELING)  # on the route of a published day
OPEN_STATES = tuple(state for state in STATES if state not in ENDED)
SHOWN = {
    BOOKED: "Booked",
    DISPATCHED: "Booked",
    EN_ROUTE: "On the way",
    ARRIVED: "Arrived",
    FUELING: "Fueling",
    WEATHER_HOLD: "On hold",
    COMPLETED: "Done",
    CANCELLED: "Cancelled",
    FAILED: "Not filled",
}
COURSE = tuple(SHOWN[state] for state in (BOOKED, EN_ROUTE, ARRIVED, FUELING, COMPLETED))

# What becomes of one car of a visit.
NOT_ENDED, FILLED, NOT_FILLED = OUTCOMES = ("", "filled", "not_filled")

# How a fill is paid for beside its fuel.
ALLOWANCE, FEE, FREE_FILL, GUEST_FILL = PAYS_BY = ("allowance", "fee", "free_fill", "guest_fill")

# Who takes a step. A guest with the link of a booking counts as its customer.
CUSTOMER, STAFF, TECHNICIAN, SYSTEM = WHO = ("customer", "staff", "technician", "system")


@dataclass(frozen=True, slots=True)
class Transition:
    """One allowed step."""

    kind: str
    before: tuple[str, ...]
    after: str
    who: tuple[str, ...]


WAITING = (BOOKED, DISPATCHED, WEATHER_HOLD)  # no technician drives to it yet
_BEFORE_FUELING = (BOOKED, DISPATCHED, EN_ROUTE, ARRIVED, WEATHER_HOLD)
CHARGE, CONFIRM = "charge", "confirm"  # by staff, who have decided about it
CAR_FILLED, CAR_MISSED = "car_filled", "car_missed"  # while other cars of the visit are to come
CAR_CHARGED = "car_charged"  # by a bill of its own; the other cars are to come as before
TRANSITIONS = (
    Transition("publish", (BOOKED,), DISPATCHED, (STAFF,)),
    Transition("move", WAITING, BOOKED, (CUSTOMER, STAFF)),
    Transition("unpublish", (DISPATCHED, EN_ROUTE, ARRIVED), BOOKED, (STAFF, SYSTEM)),
    Transition("hold", _BEFORE_FUELING, WEATHER_HOLD, (STAFF, SYSTEM)),  # also for another reason
    Transition("resume", (WEATHER_HOLD,), BOOKED, (STAFF, SYSTEM)),
    Transition("cancel", WAITING, CANCELLED, (CUSTOMER,)),
    Transition("cancel", _BEFORE_FUELING, CANCELLED, (STAFF, SYSTEM)),
    Transition("cars", (BOOKED,), BOOKED, (CUSTOMER, STAFF)),
    Transition("cars", (DISPATCHED,), DISPATCHED, (CUSTOMER, STAFF)),
    Transition("cars", (WEATHER_HOLD,), WEATHER_HOLD, (CUSTOMER, STAFF)),
    # A published route leads to the former place.
    Transition("place", (BOOKED,), BOOKED, (CUSTOMER, STAFF)),
    Transition("place", (WEATHER_HOLD,), WEATHER_HOLD, (CUSTOMER, STAFF)),
    # The plan covers it no more.
    *(Transition("pay_fee", (state,), state, (CUSTOMER, STAFF)) for state in WAITING),
    Transition("drive", (DISPATCHED,), EN_ROUTE, (TECHNICIAN,)),
    Transition("arrive", (EN_ROUTE,), ARRIVED, (TECHNICIAN,)),
    Transition("fuel", (ARRIVED,), FUELING, (TECHNICIAN,)),
    # The last step again, pressed by mistake.
    Transition("back", (EN_ROUTE,), DISPATCHED, (TECHNICIAN, STAFF)),
    Transition("back", (ARRIVED,), EN_ROUTE, (TECHNICIAN, STAFF)),
    Transition("back", (FUELING,), ARRIVED, (TECHNICIAN, STAFF)),
    Transition("fail", (EN_ROUTE, ARRIVED, FUELING), FAILED, (TECHNICIAN, STAFF)),
    # From the first car that has ended the visit is under way: nobody moves or cancels it.
    Transition(CAR_FILLED, TRACKED_STATES, FUELING, (TECHNICIAN,)),
    Transition(CAR_FILLED, OPEN_STATES, FUELING, (STAFF,)),
    Transition(CAR_CHARGED, (BOOKED,), BOOKED, (TECHNICIAN, STAFF)),
    Transition(CAR_CHARGED, (DISPATCHED,), DISPATCHED, (TECHNICIAN, STAFF)),
    Transition(CAR_CHARGED, (EN_ROUTE,), EN_ROUTE, (TECHNICIAN, STAFF)),
    Transition(CAR_CHARGED, (ARRIVED,), ARRIVED, (TECHNICIAN, STAFF)),
    Transition(CAR_CHARGED, (FUELING,), FUELING, (TECHNICIAN, STAFF)),
    Transition(CAR_CHARGED, (WEATHER_HOLD,), WEATHER_HOLD, (TECHNICIAN, STAFF)),
    Transition(CAR_MISSED, (FUELING,), FUELING, (TECHNICIAN,)),
    Transition("complete", TRACKED_STATES, COMPLETED, (TECHNICIAN,)),  # of their own route
    Transition("complete", STATES, COMPLETED, (STAFF,)),
    Transition("correct", (COMPLETED,), COMPLETED, (TECHNICIAN, STAFF)),
    # What was pumped beside it is charged; gallons that were asked about are confirmed.
    Transition(CHARGE, (*OPEN_STATES, CANCELLED, FAILED), COMPLETED, (STAFF,)),
    Transition(CONFIRM, (COMPLETED,), COMPLETED, (STAFF,)),
)
PLANS_HOLD = ("move", "cars", "pay_fee")  # the former hold is released, another one is planned
RECORDS = ("complete", CAR_FILLED, CAR_CHARGED, "correct", CHARGE, CONFIRM)  # say what was pumped
KINDS = tuple(dict.fromkeys(step.kind for step in TRANSITIONS))


def step_allowed(state: str, kind: str, who: str) -> Transition | None:
    """Return the step of this kind that someone may take from a state; None if there is none."""
    return next(
        (s for s in TRANSITIONS if s.kind == kind and state in s.before and who in s.who), None
    )


PLEASE_CALL = "It is too late to change this booking here. Please call us."


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes that a booking allows now; `late_fee` is that of cancelling it."""

    may_move: bool
    may_cancel: bool
    late_fee: Money
    note: str = ""  # why the customer can do nothing

    @property
    def cancel_label(self) -> str:
        """'Cancel · $15.00 late fee'."""
        return f"Cancel · {self.late_fee} late fee" if self.late_fee.cents else "Cancel"


NO_CHANGES = Changes(may_move=False, may_cancel=False, late_fee=Money(0))


def changes(
    state: str,
    starts_at: datetime,
    ends_at: datetime,
    now: datetime,
    *,
    late_fee: Money,
    is_staff: bool,
) -> Changes:
    """Return what may be done with a booking.

    Customers change it freely until two hours before the window, in a weather hold, and after a
    window in which no technician came; in between a cancellation costs the late fee.
    """
    who = STAFF if is_staff else CUSTOMER
    may_move, may_cancel = (
        step_allowed(state, each, who) is not None for each in ("move", "cancel")
    )
    is_free = state == WEATHER_HOLD or can_be_left(starts_at, now) or now > ends_at
    fee = Money(0) if is_free or not may_cancel else late_fee
    may_move = may_move and (is_free or is_staff)
    is_late = state not in ENDED and not may_cancel
    return Changes(may_move, may_cancel, fee, PLEASE_CALL if is_late else "")


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason."""

    label: str  # as technicians and staff read it
    told: str  # as customers do: 'We could not fill your car: ...'
    costs_fee: bool = False  # the late fee is charged
    needs_note: bool = False  # the technician has to say more


REASONS: Mapping[str, Reason] = {
    "not_found": Reason(
        "Cannot find the car",
        "our technician could not find it",
        costs_fee=True,
    ),
    "fuel_door": Reason(
        "Fuel door closed or locked",
        "the fuel door was closed or locked",
        costs_fee=True,
    ),
    "no_access": Reason(
        "No access (gate, dog, person)",
        "our technician could not get to it, for example past a gate or a dog",
        costs_fee=True,
    ),
    "unsafe": Reason(
        "Unsafe place",
        "it was not safe to fuel it where it stood",
    ),
    "wrong_car": Reason(
        "Wrong fuel or vehicle",
        "the vehicle or its fuel was not the one that was booked",
        costs_fee=True,
    ),
    "moved_told": Reason(
        "Car moved, and told us",
        "it had been moved, as you told us",
    ),
    "moved": Reason(
        "Car moved, and did not tell us",
        "it was not where it was booked, and we were not told",
        costs_fee=True,
    ),
    "out_of_product": Reason(
        "Truck out of product",
        "our truck had run out of fuel",
    ),
    "truck_trouble": Reason(
        "Truck trouble",
        "our truck had a problem",
    ),
    "weather": Reason(
        "Weather",
        "the weather did not allow it",
    ),
    "other": Reason(
        "Other",
        "our technician could not do it this time; please call us to learn more",
        needs_note=True,
    ),
}
_SHOWN_REASONS = {reason.label: reason.told for reason in REASONS.values()}


def shown_reason(stored: str) -> str:
    """Return a booking's stored reason as customers read it; what staff wrote stays."""
    return _SHOWN_REASONS.get(stored, stored)
