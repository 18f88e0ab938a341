"""A customer's data as the screens show it: plain texts."""

import dataclasses
from datetime import date
from typing import Self

from fuel_app import routes
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.customers.rules.profile import Customer, SignIn, days, days_since
from fuel_app.customers.rules.steps import Step, steps
from fuel_app.customers.rules.vehicles import OwnVehicle, Vehicle
from fuel_app.kit.clock import long_date, short_date
from fuel_app.kit.ui.cards import Bar, bars
from fuel_app.kit.words import tenths

NONE = "–"  # noqa: RUF001 (a dash where there is no number yet)
NO_PLAN, STAFF = "No plan yet", "Staff"


@dataclasses.dataclass(frozen=True)
class ServiceRow:
    """One past service."""

    day: str
    vehicle: str
    gallons: str
    price: str
    receipt: str  # its address


@dataclasses.dataclass(frozen=True)
class CustomerCard:
    """A customer's profile, month and the sample's sign-ins; empty until it is loaded."""

    name: str = ""
    first_name: str = ""
    initials: str = ""
    email: str = ""
    plan: str = ""
    plan_summary: str = ""
    fills_remaining: str = ""
    fills_left: int = 0  # the same as a number, for the bar
    fills_total: int = 1
    fills_used: str = ""
    fills_note: str = ""
    gallons_used: str = ""
    gallons_note: str = "This month"
    cost_per_gallon: str = ""
    price_note: str = "Current market price"
    average_cost: str = ""
    days_since_last_fill: str = ""
    last_fill: str = ""
    has_booking: bool = False
    past_services: list[ServiceRow] = dataclasses.field(default_factory=list)
    chart: list[Bar] = dataclasses.field(default_factory=list)
    password_age: str = ""
    sign_ins: list[SignIn] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer, today: date) -> Self:
        last, used = customer.last_fill, customer.fills_used
        plan, personal = customer.plan, customer.personal
        taken, price = customer.milligallons_used, customer.cost_per_gallon
        start, changed = customer.period_starts, customer.password_changed
        ends = f" · Ends on {long_date(customer.plan_ends)}" if customer.plan_ends else ""
        return cls(
            name=personal.name,
            first_name=personal.first_name,
            initials=personal.initials,
            email=personal.email,
            plan=plan.name if plan else NO_PLAN if customer.is_customer else STAFF,
            plan_summary=f"{plan.fills} fills per month{ends}" if plan else "",
            fills_remaining=NONE if used is None else str(customer.fills_remaining),
            fills_left=customer.fills_remaining or 0,
            fills_total=customer.fills_total,
            fills_used=_fills_used(customer),
            fills_note=_fills_note(customer),
            gallons_used=NONE if taken is None else tenths(taken),
            gallons_note=f"Since {short_date(start)}" if start else "This month",
            cost_per_gallon=NONE if price is None else str(price),
            price_note=f"Current market price{customer.price_age}",
            average_cost=str(customer.average_cost or NONE),
            days_since_last_fill=str(days_since(last, today)) if last else NONE,
            last_fill=f"Last fill: {short_date(last)}" if last else "No fill yet",
            has_booking=customer.has_booking,
            past_services=[
                ServiceRow(
                    day=short_date(past.day),
                    vehicle=past.vehicle,
                    gallons=NONE if past.note else tenths(past.milligallons),
                    price=past.note or str(past.price),
                    receipt=routes.receipt(past.receipt) if past.receipt else "",
                )
                for past in customer.past_services
            ],
            chart=bars(  # the last six, the oldest first
                (f"{past.day:%b} {past.day.day}", past.milligallons, tenths(past.milligallons))
                for past in customer.past_services[5::-1]
                if not past.note
            ),
            password_age=f"Last changed {days(days_since(changed, today))} ago" if changed else "",
            sign_ins=list(customer.sign_ins),
        )


def _fills_used(customer: Customer) -> str:
    if customer.fills_used is None:
        return NONE
    booked = f", {customer.fills_booked} booked" if customer.fills_booked else ""
    return f"{customer.fills_used} of {customer.fills_total}{booked}"


def _fills_note(customer: Customer) -> str:
    if customer.fills_used is not None:
        rolled = f", {customer.fills_rolled} rolled over" if customer.fills_rolled else ""
        return f"{customer.fills_remaining} of {customer.fills_total} fills this month{rolled}"
    return "Start your plan" if customer.may_start_plan else "No fills just now"


@dataclasses.dataclass(frozen=True)
class NextCard:
    """The next step of a signed-in customer; empty in a preview."""

    title: str = ""
    steps: list[Step] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer) -> Self:
        all_steps = steps(customer) if customer.is_customer else []
        titles = [step.title for step in all_steps if not step.done]
        return cls(titles[0] if titles else "", all_steps)


@dataclasses.dataclass(frozen=True)
class VehicleCard:
    """One registered vehicle; `image` is a `data:` address or empty."""

    id: str = ""
    title: str = ""
    details: str = ""
    tank: str = ""
    image: str = ""
    fuel: str = ""  # grade and fuel door of a real one
    outside: bool = False  # the plan does not cover it

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        is_own = isinstance(vehicle, OwnVehicle)
        return cls(
            id=vehicle.id,
            title=vehicle.title,
            details=f"{vehicle.color} · {vehicle.license_plate}"
            + (f" ({vehicle.plate_state})" if is_own else ""),
            tank=f"Est. Tank Size: {vehicle.estimated_tank_size:g} gallons",
            image=vehicle.image,
            fuel=f"{GRADE_LABELS[vehicle.grade]} · Fuel door: {vehicle.fuel_door.lower()}"
            if is_own
            else "",
            outside=is_own and not vehicle.is_active,
        )
