"""Bookings: what is booked and where, why it is refused, and its reminders."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import combinations
from typing import Annotated, Any, Self

from pydantic import PlainValidator

from fuel_app.areas.rules.places import Located
from fuel_app.bookings.rules.states import (
    FILLED,
    NOT_FILLED,
    PLEASE_CALL,
    STAFF,
    STATES,
    step_allowed,
)
from fuel_app.customers.rules.locations import LocationForm
from fuel_app.customers.rules.sign_up import NOTES_MAX, Contact
from fuel_app.customers.rules.vehicles import OwnVehicle, bare_plate
from fuel_app.kit import contact
from fuel_app.kit.clock import NEW_YORK, day_of, long_date, time_span
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, Phone
from fuel_app.kit.money import FuelPrice, Money, total
from fuel_app.kit.words import and_list


@dataclass(frozen=True, slots=True)
class Car:
    """A car as it stands on a booking; `id` is that in the garage, empty for a typed one."""

    make: str
    model: str
    year: str
    color: str
    license_plate: str
    plate_state: str
    grade: str
    tank_tenths: int  # tenths of a gallon
    fuel_door: str
    id: str = ""

    @property
    def name(self) -> str:
        """'2020 Toyota Camry'."""
        return " ".join(filter(None, (self.year, self.make, self.model)))

    def is_same(self, other: Self) -> bool:
        """Return whether both are one car: by its id in the garage, or its plate."""
        plates = [bare_plate(each.license_plate) for each in (self, other)]
        return (bool(self.id) and self.id == other.id) or plates[0] == plates[1] != ""


@dataclass(frozen=True, slots=True)
class Location:
    """A place where a car stands, as it stands on a booking."""

    street: str
    city: str
    state: str
    zip_code: str
    spot: str
    lat: float
    lng: float
    is_approximate: bool = False
    unit: str = ""
    gate_code: str = ""
    notes: str = ""

    @property
    def line(self) -> str:
        """'100 Main St, Unit 4, Sarasota, FL 34236'."""
        city = f"{self.city}, {self.state} {self.zip_code}".strip(", ")
        return ", ".join(filter(None, (self.street, self.unit, city)))


@dataclass(frozen=True, slots=True)
class Request:
    """A visit as it is asked for."""

    slot_id: object  # as a browser sends it; empty while none is chosen (an estimate for today)
    cars: tuple[Car | str, ...]  # the ids of those in the customer's garage, or typed ones
    place: Location | str  # the id of a saved one, or a typed and located one
    notes: str | None = None  # for this one visit; None for those of the place


@dataclass(frozen=True, slots=True)
class FreeFillUse:
    """The person, plate and phone of a free first fill; none of them gets another one."""

    person_id: str
    license_plate: str
    phone: str

    def used_by(self, others: Iterable[Self]) -> str | None:
        """Return what of it a free first fill was used for before; None if nothing.

        Nothing tells whose it was; of the person's own one there is nothing to explain: ''.
        """
        same = {
            name
            for other in others
            for name in self.__slots__
            if getattr(other, name) == getattr(self, name)
        }
        if "person_id" in same:
            return ""
        if "license_plate" in same:
            return "plate"
        return "phone number" if same else None


class VisitNote(Form):
    """Note of a customer for one visit."""

    notes: Annotated[str, PlainValidator(contact.lines("Notes", NOTES_MAX))]


def free_fill_note(used_for: str) -> str:
    """'The free first fill was already used for this plate.'; empty where it was not."""
    return f"The free first fill was already used for this {used_for}." if used_for else ""


@dataclass(frozen=True, slots=True)
class Guest:
    """The holder of a booking's link. Only `access.guest_of(token)` makes one."""

    booking_id: str


@dataclass(frozen=True, slots=True)
class BookedFill:
    """One car of a visit: what was agreed, and what became of it."""

    id: str
    car: Car
    grade: str
    price: FuelPrice
    estimated_milligallons: int
    pays_by: str
    period: date | None
    fee: Money
    tax: Money
    free_cap: Money | None
    free_fill_used: str  # for what it was, where one was promised: 'plate', 'phone number'
    fee_asked_at: datetime | None  # the plan does not cover it, and the customer has to choose
    outcome: str  # one of `OUTCOMES`
    reason: str  # why it was not filled
    filled_milligallons: int | None
    ticket: dict[str, Any]  # number, meter_start, meter_end
    gallons_asked_at: datetime | None  # too much: nothing is charged yet
    total: Money | None

    @property
    def counted_milligallons(self) -> int:
        """Return what was pumped, as far as it is certain."""
        return 0 if self.gallons_asked_at else self.filled_milligallons or 0

    @property
    def asked_fee(self) -> Money:
        """Return the convenience fee with its tax that the customer is asked for."""
        return self.fee + self.tax if self.fee_asked_at else Money(0)


@dataclass(frozen=True, slots=True)
class Booking:
    """A visit as rules and screens know it: a value that outlives the row's session.

    Screens compare it with the one that they show, dispatch keeps it on its routes.
    """

    id: str
    person_id: str  # '' for a guest's
    contact: dict[str, str]  # of a guest: first_name, last_name, email, phone
    area_id: str
    slot_id: str
    starts_at: datetime
    ends_at: datetime
    state: str
    revision: int
    place: Location
    fills: tuple[BookedFill, ...]  # one for each car, at least one
    late_fee_agreed: Money  # of a late cancellation
    late_fee: Money  # charged
    ended_by: str
    reason: str
    completed_at: datetime | None
    created_at: datetime
    card_due_at: datetime | None = None  # until when a declined card may be replaced
    payer_id: str | None = None  # a guest's

    @property
    def cars(self) -> str:
        """'2020 Toyota Camry and 2021 Ford F-150'."""
        return and_list([each.car.name for each in self.fills])

    @property
    def plates(self) -> str:
        """'GUL 123, GUL 124'."""
        return ", ".join(each.car.license_plate for each in self.fills)

    @property
    def estimated_milligallons(self) -> int:
        return sum(each.estimated_milligallons for each in self.fills)

    @property
    def by_grade(self) -> dict[str, int]:
        """Return the thousandths of a gallon that it is expected to take, by grade."""
        grades: Counter[str] = Counter()
        for each in self.fills:
            grades[each.grade] += each.estimated_milligallons
        return dict(grades)

    @property
    def filled_milligallons(self) -> int | None:
        """Return what was pumped; None before anything was recorded."""
        known = [each.filled_milligallons for each in self.fills if each.outcome == FILLED]
        return sum(filter(None, known)) if known else None

    @property
    def counted_milligallons(self) -> int:
        """Return what was pumped, as far as it is certain."""
        return sum(each.counted_milligallons for each in self.fills)

    @property
    def total(self) -> Money | None:
        """Return the bill of its fills; None while one of them has none."""
        totals = [each.total for each in self.fills if each.outcome != NOT_FILLED]
        known = [each for each in totals if each is not None]
        return total(known) if known and len(known) == len(totals) else None

    @property
    def is_checked(self) -> bool:
        """Return whether the office is asked about gallons, before anything is charged."""
        return any(each.gallons_asked_at for each in self.fills)

    @property
    def still_to_fill(self) -> tuple[BookedFill, ...]:
        """Return the cars that have neither been filled nor given up."""
        return tuple(each for each in self.fills if not each.outcome)

    @property
    def day(self) -> date:
        """Return its day in New York."""
        return day_of(self.starts_at)

    @property
    def fee_asked_at(self) -> datetime | None:
        """Return since when a fill waits for the customer's choice of its fee."""
        return min((each.fee_asked_at for each in self.fills if each.fee_asked_at), default=None)

    @property
    def asked_fee(self) -> Money:
        """Return the convenience fees with their tax that the customer is asked for."""
        return total(each.asked_fee for each in self.fills)

    @property
    def when(self) -> str:
        """'Tuesday, November 24, 2026, 8–10 AM'."""  # noqa: RUF002
        return when(self.starts_at, self.ends_at)

    def find_fill(self, fill_id: str | None) -> BookedFill | None:
        """Return one of its fills; None for a car that is not on the visit (any more)."""
        return next((each for each in self.fills if each.id == fill_id), None)

    def fill(self, fill_id: str = "") -> BookedFill:
        """Return one of its fills; without an id that of a visit with a single car.

        Raises:
            FillGone
        """
        if not fill_id and len(self.fills) == 1:
            return self.fills[0]
        found = self.find_fill(fill_id)
        if found is None:
            raise FillGone
        return found


def when(starts_at: datetime, ends_at: datetime) -> str:
    """Return a window as people read it, its day included."""
    day = day_of(starts_at)
    return f"{day:%A}, {long_date(day)}, {time_span(starts_at, ends_at)}"


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a booking's life; `actor` is a name."""

    kind: str
    state: str
    actor: str
    at: datetime
    before: dict[str, Any]
    note: str


class BookingGone(Refusal):
    message = "There is no such booking (any more)."


class FillGone(Refusal):
    message = "This car does not belong to the booking (any more)."


class BookingChanged(Refusal):
    """A concurrent change, or the second press of a button."""

    message = "This booking has changed meanwhile. You now see its newer state."


class PleaseCall(Refusal):
    """It is too late for the customer to change the booking on their own."""

    message = PLEASE_CALL


class FeeChanged(Refusal):
    """The late fee is not the one on the customer's screen."""

    def __init__(self, fee: Money) -> None:
        cost = f"now costs a late fee of {fee}" if fee.cents else "is free by now"
        super().__init__(f"Cancelling {cost}. Please confirm once more.")
        self.fee = fee


class FillIsOpen(Refusal):
    message = "A technician is on the way to you. You can close your account after this fill-up."


class FillIsChecked(Refusal):
    message = (
        "We are checking the gallons of your last fill-up. You can close your account after that."
    )


class SlotFull(Refusal):
    message = "The last place in this window was just taken. Please choose another one."


class SeatNotHeld(Refusal):
    message = "This seat is not held for you any more."


class SlotClosed(Refusal):
    """The window is closed on that day, or no longer there."""

    def __init__(self, reason: str = "") -> None:
        why = f": {reason}" if reason else ""
        super().__init__(f"This window is closed{why}. Please choose another one.")


class SlotPast(Refusal):
    """Booking into this window has ended, or has not begun."""

    message = "This window cannot be booked any more. Please choose another one."


class OtherArea(Refusal):
    message = "This window belongs to another area. Please choose one of those shown."


class TooManySlotHolds(Refusal):
    message = "Three places are held for your network already. Please finish or leave one of them."


class TooManyCars(Refusal):
    def __init__(self, most: int) -> None:
        super().__init__(f"One visit has room for {most} cars. Please book another one.")


class CarTwice(Refusal):
    """The same car stands twice on one visit."""

    def __init__(self, car: Car) -> None:
        super().__init__(f"Your {car.name} is on this visit twice.")


class CarAsked(Refusal):
    message = "The office is asked about what was pumped into this car. It stays on the visit."


class LastCar(Refusal):
    message = "A visit needs a car. To take its last one off, cancel the visit."


class CarGone(Refusal):
    message = "This vehicle is not in your garage or plan any more. Please choose another one."


class CarBooked(Refusal):
    """The car has a fill in the same window."""

    def __init__(self, car: Car, booking_id: str) -> None:
        super().__init__(f"Your {car.name} has a fill-up in this window already.")
        self.car_id = car.id
        self.booking_id = booking_id


class LocationGone(Refusal):
    message = "This address is not saved any more. Please choose another one."


class PlaceInOtherArea(Refusal):
    message = "This address has other times and prices. Please book a visit there instead."


class OutsideArea(Refusal):
    """The place lies in no open area; leads to the waitlist, prefilled."""

    def __init__(self, zip_code: str) -> None:
        super().__init__(f"We do not serve {zip_code or 'this ZIP'} yet.")
        self.zip_code = zip_code


class AreaPaused(Refusal):
    message = "We take no new bookings in your area just now. Please try again later."


class SpotRefused(Refusal):
    """The car would stand where we cannot fuel it."""


class NeedsPin(Refusal):
    message = "Move the pin to your car, or press 'It is right here'."


class NeedsReason(Refusal):
    message = "Please say why; the reason is kept with the booking."


class NotThereYet(Refusal):
    message = "This reason costs a late fee. Press 'I'm here' first."


class GradeNotOffered(Refusal):
    message = "We do not offer this fuel in your area."


class NoPrice(Refusal):
    message = "There is no current price for this fuel. Please try again later."


class NeedsVerifiedEmail(Refusal):
    message = "Please verify your email first."


class NeedsCard(Refusal):
    message = "Please add a card first."


class PastDue(Refusal):
    message = "A payment for your plan is open. Please settle it before booking."


def car_of(vehicle: OwnVehicle) -> Car:
    return Car(**vehicle.model_dump(include=set(Car.__slots__)))


def location_of(place: LocationForm, at: Located) -> Location:
    shared = place.model_dump(include=set(Location.__slots__))
    return Location(**shared | at._asdict())


class GuestContact(Contact):
    """The contact of a guest; phone as 10 digits."""

    phone: Phone


CARS_MOST, GUEST_CARS_MOST = 4, 2  # of one visit


def ticked(
    known: Sequence[str], chosen: Collection[str], changed: str, is_ticked: bool
) -> list[str]:
    """Return the chosen ones of a list after one was ticked or unticked, in the list's order.

    There is room for `CARS_MOST`; beyond them another tick changes nothing.
    """
    after = {*chosen} - {changed}
    if is_ticked and len(after) < CARS_MOST:
        after.add(changed)
    return [each for each in known if each in after]


def check_cars(cars: Sequence[Car], *, is_guest: bool) -> None:
    """Refuse cars that do not make one visit. Raises CarGone, TooManyCars, CarTwice."""
    if not cars:
        raise CarGone
    most = GUEST_CARS_MOST if is_guest else CARS_MOST
    if len(cars) > most:
        raise TooManyCars(most)
    for one, other in combinations(cars, 2):
        if one.is_same(other):
            raise CarTwice(one)


REMINDER_KINDS = DAY_BEFORE, HOUR_BEFORE = ("day_before", "hour_before")


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder; `good_until` is the last moment at which it may go."""

    kind: str
    at: datetime  # UTC, as is the next
    good_until: datetime


def reminders_for(starts_at: datetime) -> tuple[Reminder, ...]:
    """Return the reminders of a window that opens at a moment.

    One says 'Tomorrow': it goes at the window's time on the clocks of the day before, and never on
    the day itself.
    """
    opens = starts_at.astimezone(NEW_YORK)
    midnight = datetime.combine(opens.date(), time.min, NEW_YORK).astimezone(UTC)
    day_before = (opens - timedelta(days=1)).astimezone(UTC)
    return (
        Reminder(DAY_BEFORE, day_before, midnight),
        Reminder(HOUR_BEFORE, starts_at - timedelta(hours=1), starts_at),
    )


CANCELLABLE = tuple(state for state in STATES if step_allowed(state, "cancel", STAFF))
