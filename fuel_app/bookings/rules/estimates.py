"""The estimate of a fill: gallons, and the price with each part named."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, datetime

from fuel_app.bookings.rules.bookings import BookedFill, Booking
from fuel_app.bookings.rules.states import ALLOWANCE, FEE, FREE_FILL, GUEST_FILL, WAITING
from fuel_app.kit.clock import long_date
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import FuelPrice, Money, dollars, total
from fuel_app.kit.words import tenths
from fuel_app.plans.rules.plans import ONE_TIME_FEE

_TANK_SHARE = 60  # per cent of a tank that a fill takes, until the car's own are known
_TANK_MOST = 110  # per cent that may go into one; tanks hold more than their books say


@dataclass(frozen=True, slots=True)
class Line:
    """One part of a price."""

    label: str
    amount: str


@dataclass(frozen=True, slots=True)
class SpentFills:
    """The fills of a plan's period, none of which is left: why a fee is due."""

    fills: int
    next_on: date | None  # the next ones come; None where the plan ends before
    larger_plan: str  # the name of one with more fills, if any

    @property
    def note(self) -> str:
        """'All 4 fills of this period are booked or used. The next ones come on December 12.'"""
        all_of = f"All {self.fills} fills" if self.fills > 1 else "The one fill"
        are = "are" if self.fills > 1 else "is"
        comes = f" The next ones come on {long_date(self.next_on)}." if self.next_on else ""
        return f"{all_of} of this period {are} booked or used.{comes}"


@dataclass(frozen=True, slots=True)
class FillEstimate:
    """The expected price of one car's fill."""

    car: str  # its name
    grade: str
    mills: int  # per gallon
    effective_at: datetime  # of the price
    source: str
    milligallons: int
    tank_tenths: int
    pays_by: str
    period: date | None
    fills_left: int  # of the allowance, before this one
    fee: Money
    tax: Money
    free_cap: Money | None  # of a free first fill; None: the whole fill
    free_fill_used: str = ""  # for what it was, where one was promised: 'plate', 'phone number'
    spent: SpentFills | None = None
    is_passed_on: bool = False  # the fill of the plan, by a car that leaves the visit

    @property
    def terms(self) -> tuple[object, ...]:
        """Return what the customer agrees to by booking."""
        return (self.mills, self.fee, self.tax, self.pays_by, self.free_cap)

    @property
    def price(self) -> FuelPrice:
        """Return the price per gallon."""
        return FuelPrice(self.mills)

    @property
    def gallons(self) -> str:
        """'9.6'."""
        return tenths(self.milligallons)

    @property
    def fuel(self) -> Money:
        """Return the price of the fuel, rounded once."""
        return fuel_cost(self.milligallons, self.mills)

    @property
    def free(self) -> Money:
        """Return what of the fuel is free."""
        return free_of(self.fuel, self.pays_by, self.free_cap)

    @property
    def most(self) -> Money:
        """Return the most that may be due."""
        fuel = fuel_cost(most_milligallons(self.tank_tenths), self.mills)
        return fuel - free_of(fuel, self.pays_by, self.free_cap) + self.fee + self.tax

    @property
    def total(self) -> Money:
        return self.fuel - self.free + self.fee + self.tax

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return each part of the price, without the total."""
        fuel = Line(f"Fuel, about {self.gallons} gallons at {self.price}", str(self.fuel))
        tax = (Line("Tax", str(self.tax)),) if self.tax.cents else ()
        used = f"Already used for this {self.free_fill_used}"
        promised = (Line("Free first fill", used),) if self.free_fill_used else ()
        return (fuel, *self._fee_lines(), *tax, *promised)

    def _fee_lines(self) -> tuple[Line, ...]:
        if self.fee.cents:
            return (Line("Convenience fee", str(self.fee)),)
        if self.is_passed_on:
            return (Line("Convenience fee", "Covered by the fill that is given back"),)
        if self.pays_by == ALLOWANCE:
            return (Line("Convenience fee", "Included in your plan"),)
        if self.pays_by == GUEST_FILL:
            return (Line("Convenience fee", "Guest fill"),)
        upto = f" up to {self.free_cap.short}" if self.free_cap else ""
        return (Line("Convenience fee", "Free"), Line(f"Free first fill{upto}", f"-{self.free}"))


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected price of a visit: that of its fills, with one hold on the card."""

    fills: tuple[FillEstimate, ...]
    late_fee: Money  # of a late cancellation

    @property
    def terms(self) -> tuple[object, ...]:
        """Return what the customer agrees to by booking."""
        return (self.late_fee, *(each.terms for each in self.fills))

    @property
    def effective_at(self) -> datetime:
        """Return since when the prices hold, the latest of them."""
        return max(each.effective_at for each in self.fills)

    @property
    def source(self) -> str:
        return self.fills[0].source

    @property
    def hold(self) -> Money:
        """Return what is held on the card: the most that may be due, in whole dollars."""
        return dollars(-(-total(each.most for each in self.fills).cents // 100))

    @property
    def held(self) -> str:
        """'We hold up to $97; you pay for what is pumped.'; empty where nothing is held."""
        if not self.hold.cents:
            return ""
        if all(each.pays_by == FREE_FILL for each in self.fills):
            return f"We hold up to {self.hold.short}, in case more than the free fuel goes in."
        return f"We hold up to {self.hold.short}; you pay for what is pumped."

    @property
    def total(self) -> Money:
        return total(each.total for each in self.fills)

    @property
    def brief(self) -> str:
        """'Fuel $30.90 + fee $15.00 · we hold up to $72'."""
        fuel, free, fee, tax = (
            total(getattr(each, name) for each in self.fills)
            for name in ("fuel", "free", "fee", "tax")
        )
        fees = (("fee", fee), ("tax", tax))
        parts = [f"Fuel {fuel}", *(f"{name} {price}" for name, price in fees if price.cents)]
        less = f" - {free} free" * bool(free.cents)
        hold = f" · we hold up to {self.hold.short}" * bool(self.hold.cents)
        of_plan = f" · {self.of_plan}" if self.of_plan else ""
        return " + ".join(parts) + less + of_plan + hold

    @property
    def of_plan(self) -> str:
        """'2 of your 3 fills'; empty where one car takes one."""
        taken = [each for each in self.fills if each.pays_by == ALLOWANCE]
        if len(self.fills) == 1 or not taken:
            return ""
        left = taken[0].fills_left
        return f"{len(taken)} of your {left} fills" if left > 1 else "your last fill"

    @property
    def lines(self) -> tuple[Line, ...]:
        """Return each part of the price, without the total; of several cars with the car's name."""
        if len(self.fills) == 1:
            return self.fills[0].lines
        return tuple(
            Line(f"{each.car}: {line.label}", line.amount)
            for each in self.fills
            for line in each.lines
        )

    @property
    def has_free_fill(self) -> bool:
        return any(each.pays_by == FREE_FILL for each in self.fills)

    @property
    def free_fill_used(self) -> str:
        """Return for what a free first fill was used, where one was promised."""
        return next((each.free_fill_used for each in self.fills if each.free_fill_used), "")

    @property
    def spent(self) -> SpentFills | None:
        """Return the fills of the plan, none of which was left for one of the cars."""
        return next((each.spent for each in self.fills if each.spent), None)


def fill_estimate_of(booking: Booking, fill: BookedFill) -> FillEstimate:
    """Return the estimate of a booked fill, with the terms that were agreed."""
    return FillEstimate(
        car=fill.car.name,
        grade=fill.grade,
        mills=fill.price.mills,
        effective_at=booking.created_at,
        source="",
        milligallons=fill.estimated_milligallons,
        tank_tenths=fill.car.tank_tenths,
        pays_by=fill.pays_by,
        period=fill.period,
        fills_left=0,
        fee=fill.fee,
        tax=fill.tax,
        free_cap=fill.free_cap,
        free_fill_used=fill.free_fill_used,
    )


def estimate_of(booking: Booking) -> Estimate:
    """Return the estimate of a booking, with the terms that were agreed.

    A car that was filled before the visit has begun has its own bill.
    """
    priced = booking.still_to_fill if booking.state in WAITING else booking.fills
    fills = tuple(fill_estimate_of(booking, each) for each in priced)
    return Estimate(fills, booking.late_fee_agreed)


@dataclass(frozen=True, slots=True)
class KeptFill:
    """A car that stays on a visit as others leave it."""

    fill: BookedFill
    estimate: FillEstimate
    given_by: BookedFill | None  # the one that leaves, whose fill of the plan covers it now


def kept_fills(booking: Booking, kept: Collection[BookedFill]) -> tuple[KeptFill, ...]:
    """Return the cars of a visit that stay.

    Those with a fee are covered by the fills of the plan that the other ones give back, in their
    order.
    """
    back = [e for e in booking.fills if e not in kept and e.period and not e.fee_asked_at]
    found = []
    for fill in kept:
        estimate, given_by = fill_estimate_of(booking, fill), None
        way = ALLOWANCE if fill.car.id else GUEST_FILL
        if fill.pays_by == FEE or fill.fee_asked_at:
            given_by = next((each for each in back if each.pays_by == way), None)
        if given_by:
            back.remove(given_by)
            nothing = {"fee": Money(0), "tax": Money(0)}
            covered = {"pays_by": way, "period": given_by.period, "is_passed_on": True}
            estimate = replace(estimate, **nothing, **covered)
        found.append(KeptFill(fill, estimate, given_by))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class OneCar:
    """A visit with one of its cars alone."""

    kept: KeptFill
    estimate: Estimate

    @property
    def fill_id(self) -> str:
        return self.kept.fill.id

    @property
    def text(self) -> str:
        """'your 2020 Toyota Camry, GUL 123, for up to $61'."""
        car = self.kept.fill.car
        return f"your {car.name}, {car.license_plate}, for up to {self.estimate.hold.short}"


def one_car_each(booking: Booking) -> list[OneCar]:
    """Return a visit with each of its cars alone: a card may be good for that."""
    kept = [each for fill in booking.fills for each in kept_fills(booking, [fill])]
    return [OneCar(e, Estimate((e.estimate,), booking.late_fee_agreed)) for e in kept]


class PriceChanged(Refusal):
    """The terms are not those on the customer's screen; carries the new estimate."""

    message = "The price has changed meanwhile. Please look at the new one and confirm again."

    def __init__(self, estimate: Estimate) -> None:
        super().__init__()
        self.estimate = estimate


class FreeFillUsed(PriceChanged):
    """The plate, phone or person has had a free fill; carries the estimate without it."""

    message = (
        "A free first fill was used for this plate, phone or person before. "
        "Please look at the price without it and confirm again."
    )


class FreeFillGone(Refusal):
    """Another booking has used the free first fill a moment ago."""

    message = FreeFillUsed.message


def fuel_cost(milligallons: int, mills: int) -> Money:
    """Return gallons times price, rounded once, half up."""
    return Money((milligallons * mills + 5000) // 10_000)


def free_of(fuel: Money, pays_by: str, cap: Money | None) -> Money:
    """Return what of the fuel a free first fill pays; without a cap all of it."""
    if pays_by != FREE_FILL:
        return Money(0)
    return min(fuel, cap) if cap else fuel


def most_milligallons(tank_tenths: int) -> int:
    """Return what goes into a tank at most."""
    return tank_tenths * _TANK_MOST


def expected_milligallons(average: int | None, tank_tenths: int) -> int:
    """Return the average of the car's fills in thousandths of a gallon, else 60 % of its tank."""
    return average or tank_tenths * _TANK_SHARE


def fee_for(pays_by: str) -> Money:
    """Return the convenience fee for a way of paying."""
    return Money(0) if pays_by in (ALLOWANCE, FREE_FILL, GUEST_FILL) else ONE_TIME_FEE
