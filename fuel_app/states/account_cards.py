"""What the screens behind the menu show of a customer: plain texts, worded by the rules."""

import dataclasses
from datetime import date
from typing import Self

from fuel_app.domain.customers import Customer, Personal, SignIn, days, days_since
from fuel_app.domain.vehicles import Vehicle
from fuel_app.kit import contact
from fuel_app.kit.clock import day_of, long_date, short_date, time_of_day
from fuel_app.plans.billing import Invoice, dollars


@dataclasses.dataclass(frozen=True)
class VehicleCard:
    """One registered vehicle; `image` is a `data:` address or empty."""

    id: str = ""
    title: str = ""
    details: str = ""
    tank: str = ""
    image: str = ""

    @classmethod
    def of(cls, vehicle: Vehicle) -> Self:
        return cls(
            id=vehicle.id,
            title=f"{vehicle.year} {vehicle.make} {vehicle.model}",
            details=f"{vehicle.color} · {vehicle.license_plate}",
            tank=f"Est. Tank Size: {vehicle.estimated_tank_size:g} gallons",
            image=vehicle.image,
        )


@dataclasses.dataclass(frozen=True)
class InvoiceRow:
    """One line of Billing History."""

    day: str
    description: str
    amount: str

    @classmethod
    def of(cls, invoice: Invoice) -> Self:
        return cls(short_date(invoice.day), invoice.description, dollars(invoice.cents))


@dataclasses.dataclass(frozen=True)
class BillingCard:
    """The plan and how it is paid; empty until it is loaded."""

    plan_id: str = ""
    plan: str = ""
    price: str = ""
    fills: str = ""
    next_billing: str = ""
    card: str = ""
    expiry: str = ""
    invoices: list[InvoiceRow] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer) -> Self:
        plan, payment = customer.plan, customer.payment
        return cls(
            plan_id=plan.id,
            plan=plan.name,
            price=f"${plan.price}/mo",
            fills=f"{plan.fills} fills",
            next_billing=long_date(customer.next_billing),
            card=f"{payment.kind} ending in {payment.last_four}",
            expiry=payment.expiry,
            invoices=[InvoiceRow.of(invoice) for invoice in customer.invoices],
        )


@dataclasses.dataclass(frozen=True)
class SignInRow:
    """One line of Login History."""

    device: str
    place: str
    moment: str
    current: bool

    @classmethod
    def of(cls, sign_in: SignIn) -> Self:
        day = short_date(day_of(sign_in.moment))
        return cls(
            device=sign_in.device,
            place=sign_in.place,
            moment=f"{day}, {time_of_day(sign_in.moment)}",
            current=sign_in.current,
        )


@dataclasses.dataclass(frozen=True)
class SecurityCard:
    """The password's age and who has been signed in; empty until it is loaded."""

    password_age: str = ""
    sign_ins: list[SignInRow] = dataclasses.field(default_factory=list)

    @classmethod
    def of(cls, customer: Customer, today: date) -> Self:
        age = days_since(customer.password_changed, today) or 0
        return cls(
            password_age=f"Last changed {days(age)} ago",
            sign_ins=[SignInRow.of(sign_in) for sign_in in customer.sign_ins],
        )


def personal_form(personal: Personal) -> dict[str, str]:
    """Personal Information as its form shows it."""
    return dataclasses.asdict(personal) | {"phone": contact.phone_text(personal.phone)}
