"""A customer as the dashboard shows them: plain texts, worded by the rules."""

import dataclasses
from collections.abc import Sequence
from datetime import date
from typing import Self

from fuel_app.domain.customers import Customer, NextService, PastService, days_since
from fuel_app.kit.clock import long_date, short_date
from fuel_app.kit.ui.charts import Bar, bars
from fuel_app.plans.billing import dollars


@dataclasses.dataclass(frozen=True)
class ServiceRow:
    """One past service."""

    day: str
    vehicle: str
    gallons: str
    price: str

    @classmethod
    def of(cls, service: PastService) -> Self:
        return cls(
            day=short_date(service.day),
            vehicle=service.vehicle,
            gallons=f"{service.gallons:.1f}",
            price=dollars(service.cents),
        )


def gallons_bars(services: Sequence[PastService], most: int = 6) -> list[Bar]:
    """The last services, oldest first."""
    shown = services[:most][::-1]
    return bars(
        (f"{service.day:%b} {service.day.day}", service.gallons, f"{service.gallons:.1f}")
        for service in shown
    )


@dataclasses.dataclass(frozen=True)
class Appointment:
    """The next service; an empty one means that none is booked."""

    day: str = ""
    window: str = ""
    vehicle: str = ""
    address: str = ""

    @classmethod
    def of(cls, service: NextService) -> Self:
        return cls(long_date(service.day), service.window, service.vehicle, service.address)


@dataclasses.dataclass(frozen=True)
class CustomerCard:
    """Who somebody is and how their month goes; before it is loaded, everything is empty."""

    name: str = ""
    initials: str = ""
    email: str = ""
    plan: str = ""
    plan_summary: str = ""
    fills_remaining: str = ""
    fills_total: int = 1
    fills_used: str = ""
    gallons_used: str = ""
    cost_per_gallon: str = ""
    days_since_last_fill: str = ""
    last_fill: str = ""
    next_service: Appointment = dataclasses.field(default_factory=Appointment)
    past_services: list[ServiceRow] = dataclasses.field(default_factory=list)
    chart: list[Bar] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer, today: date) -> Self:
        since = days_since(customer.last_fill, today)
        plan, personal, coming = customer.plan, customer.personal, customer.next_service
        return cls(
            name=personal.name,
            initials=personal.initials,
            email=personal.email,
            plan=plan.name,
            plan_summary=f"{plan.fills} fills per month",
            fills_remaining=str(customer.fills_remaining),
            fills_total=plan.fills,
            fills_used=f"{customer.fills_used} of {plan.fills}",
            gallons_used=f"{customer.gallons_used:.1f}",
            cost_per_gallon=dollars(customer.cents_per_gallon),
            days_since_last_fill="–" if since is None else str(since),  # noqa: RUF001 (a dash)
            last_fill=f"Last fill: {short_date(customer.last_fill)}"
            if customer.last_fill
            else "No fill yet",
            next_service=Appointment.of(coming) if coming else Appointment(),
            past_services=[ServiceRow.of(service) for service in customer.past_services],
            chart=gallons_bars(customer.past_services),
        )
