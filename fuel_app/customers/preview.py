"""The preview: a fictional sample customer, and what changes of it do.

Its dates are relative to today, so that the sample stays current. Nothing is stored: the tab keeps
the changed customer.
"""

import uuid
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from fuel_app.customers.rules import vehicles as garage
from fuel_app.customers.rules.customers import (
    Account,
    BillingCard,
    Customer,
    InvoiceRow,
    Personal,
    SignIn,
)
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.dashboard.rules import Overview, PastService
from fuel_app.kit import clock
from fuel_app.kit.clock import date_and_time, day_of, long_date, months_later, short_date
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.messages.rules.kinds import NotificationSettings
from fuel_app.plans.rules.plans import PLANS, Plan

CUSTOMER_ID = "sample"
PERSONAL = Personal(
    first_name="Sarah",
    last_name="Johnson",
    email="sarah.johnson@example.com",
    phone="9415550142",
    address="1234 Palm Avenue",
    city="Sarasota",
    state="FL",
    zip_code="34236",
)

VEHICLES = (
    Vehicle(
        id="sample-camry",
        make="Toyota",
        model="Camry",
        year="2022",
        color="Silver",
        license_plate="ABC 123",
    ),
    Vehicle(
        id="sample-cr-v",
        make="Honda",
        model="CR-V",
        year="2021",
        color="Blue",
        license_plate="XYZ 789",
    ),
)

# What the wizards' forms are filled in with.
CONTACT = Contact(
    first_name=PERSONAL.first_name,
    last_name=PERSONAL.last_name,
    email=PERSONAL.email,
    phone="(941) 555-0142",
)
PASSWORD = "sample-password"  # noqa: S105 (of no account)

_CAMRY, _CR_V = (car.title for car in VEHICLES)
_FILLS = (  # days ago, vehicle, milligallons, cents
    (6, _CAMRY, 14_200, 4899),
    (20, _CR_V, 12_600, 4397),
    (33, _CAMRY, 13_100, 4480),
    (47, _CR_V, 11_800, 4000),
)
_PRICE = FuelPrice(3450)
_BILLED_DAYS_AGO = 12
_PASSWORD_DAYS_AGO = 30
_SIGN_INS = (  # hours ago, device, current
    (0, "Chrome on Windows", True),
    (26, "Safari on iPhone", False),
    (99, "Chrome on Windows", False),
)


def plan() -> Plan:
    return next(plan for plan in PLANS if plan.popular)


def customer(now: datetime) -> Customer:
    """Return the sample customer: mid-month, one of four fills used."""
    today = day_of(now)
    billed, chosen = today - timedelta(days=_BILLED_DAYS_AGO), plan()
    invoices = tuple(
        InvoiceRow(short_date(months_later(billed, -back)), chosen.name, str(chosen.price))
        for back in range(2)
    )
    return Customer(
        personal=PERSONAL,
        plan=chosen,
        notifications=NotificationSettings(sms=True),
        fills_remaining=3,
        billing=BillingCard(
            plan_id=chosen.id,
            plan=chosen.name,
            price=f"{chosen.price.short}/mo",
            fills=f"{chosen.fills} fills",
            next_billing=long_date(months_later(billed, 1)),
            card="Visa ending in 4242",
            expiry=f"{date(today.year + 2, 8, 1):%m/%y}",
            invoices=invoices,
        ),
        password_changed=today - timedelta(days=_PASSWORD_DAYS_AGO),
        sign_ins=tuple(
            SignIn(device, "Sarasota, FL", date_and_time(now - timedelta(hours=ago)), current)
            for ago, device, current in _SIGN_INS
        ),
        vehicles=VEHICLES,
    )


def overview(now: datetime) -> Overview:
    """Return the sample's fills."""
    today = day_of(now)
    fills = tuple(
        PastService(today - timedelta(days=ago), vehicle, taken, Money(cents))
        for ago, vehicle, taken, cents in _FILLS
    )
    return Overview(
        milligallons_used=fills[0].milligallons,
        cost_per_gallon=_PRICE,
        average_cost=_PRICE,
        past_services=fills,
    )


@dataclass(frozen=True, slots=True)
class Preview(Account):
    """One tab's sample customer as its account; `kept` is the changed one."""

    kept: Customer | None = None

    is_sample = True
    saved = "Saved in this preview"

    async def read(self) -> Customer:
        return self._customer

    async def save_personal(self, personal: Personal) -> Customer:
        return replace(self._customer, personal=personal)

    async def toggle_notification(self, name: object) -> Customer:
        notifications = self._customer.notifications.toggled(name)
        return replace(self._customer, notifications=notifications)

    async def save_vehicle(self, vehicle: Vehicle) -> Customer:
        known = garage.find_vehicle(self._customer.vehicles, vehicle.id)
        named = vehicle if known else vehicle.model_copy(update={"id": uuid.uuid4().hex})
        return self._with(garage.with_vehicle(self._customer.vehicles, named))

    async def remove_vehicle(self, vehicle_id: object) -> Customer:
        return self._with(garage.without_vehicle(self._customer.vehicles, vehicle_id))

    async def restore_vehicle(self, vehicle: Vehicle, place: int) -> Customer:
        return self._with(garage.put_back(self._customer.vehicles, vehicle, place))

    @property
    def _customer(self) -> Customer:
        return self.kept or customer(clock.now())

    def _with(self, vehicles: garage.Garage) -> Customer:
        return replace(self._customer, vehicles=vehicles)
