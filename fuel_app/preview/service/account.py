"""The preview's account: the sample customer, as one tab has changed it."""

import uuid
from dataclasses import dataclass, replace

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.service import company
from fuel_app.customers.rules import vehicles as garage
from fuel_app.customers.rules.customers import (
    Account,
    Customer,
    CustomerQuery,
    CustomerRow,
    Personal,
)
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.kit import clock
from fuel_app.leads.rules import fold
from fuel_app.plans.rules import plans
from fuel_app.preview import samples


@dataclass(frozen=True, slots=True)
class Preview(Account):
    """One tab's sample customer as its account; `kept` is the changed one."""

    kept: Customer | None = None

    is_sample = True
    saved = "Saved in this preview"

    async def read(self, *, brief: bool = False) -> Customer:
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
        return self.kept or samples.customer(clock.now())

    def _with(self, vehicles: garage.Garage) -> Customer:
        return replace(self._customer, vehicles=vehicles)


@dataclass(frozen=True, slots=True)
class Sample:
    """The preview's customers, while the company is not open."""

    found: tuple[CustomerRow, ...]
    chosen: Customer | None


async def sample_customers(actor: Actor, query: CustomerQuery) -> Sample | None:
    """Return the preview's customers, ignoring case and accents; None once the company is open."""
    actor.require(Role.DISPATCHER)
    if await company.is_open():
        return None
    now = clock.now()
    customer = samples.customer(now)
    name, email = customer.personal.name, customer.personal.email
    plan = samples.plan().id
    row = CustomerRow(samples.CUSTOMER_ID, name, email, plan, plans.ACTIVE, "", now, True)
    found = fold(query.q) in fold(f"{name}\n{email}")
    chosen = customer if query.customer == samples.CUSTOMER_ID else None
    return Sample((row,) if found else (), chosen)
