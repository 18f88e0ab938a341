"""The customer's account: all data of the customer's screens.

Before launch it is the sample customer in the visitor's own tab state: a change
returns the changed customer, and the state keeps it. Nothing is stored. When the service
is live the same functions read and write the database instead; see docs/decisions/preview.md.
"""

import uuid
from dataclasses import replace

from fuel_app.customers import preview as samples
from fuel_app.customers.rules import vehicles as garage
from fuel_app.customers.rules.forms import Contact
from fuel_app.customers.rules.profile import Customer, Listed, Personal
from fuel_app.customers.rules.vehicles import Vehicle
from fuel_app.kit import clock, contact
from fuel_app.leads.rules import fold


async def account() -> Customer:
    """Return the signed-in customer."""
    return samples.customer(clock.now())


async def search(typed: object) -> list[Listed]:
    """Return the customers whose name or email contains a text, ignoring case and accents.

    Before launch there is the sample customer alone.
    """
    shown = await account()
    person = shown.personal
    if fold(contact.text(typed)) not in fold(f"{person.name}\n{person.email}"):
        return []
    return [Listed(samples.CUSTOMER_ID, person.name, person.email, shown.plan.name)]


async def find(customer_id: object) -> Customer | None:
    """Return one customer for the staff, or None."""
    return await account() if customer_id == samples.CUSTOMER_ID else None


async def save_personal(customer: Customer, personal: Personal) -> Customer:
    return replace(customer, personal=personal)


async def toggle_notification(customer: Customer, name: object) -> Customer:
    """Turn one message or channel on or off; an unknown name changes nothing."""
    return replace(customer, notifications=customer.notifications.toggled(name))


async def save_vehicle(customer: Customer, vehicle: Vehicle) -> Customer:
    """Register a vehicle, or replace the registered one that has its id.

    Raises:
        GarageFull: If the customer has as many as one can register.
    """
    known = garage.find(customer.vehicles, vehicle.id)
    named = vehicle if known else vehicle.model_copy(update={"id": uuid.uuid4().hex})
    return replace(customer, vehicles=garage.with_vehicle(customer.vehicles, named))


async def remove_vehicle(customer: Customer, vehicle_id: object) -> Customer:
    """Remove a vehicle; ignore an unknown id."""
    return replace(customer, vehicles=garage.without(customer.vehicles, vehicle_id))


async def restore_vehicle(customer: Customer, vehicle: Vehicle, place: int) -> Customer:
    """Undo a removal.

    Raises:
        GarageFull: If its room has been taken meanwhile.
    """
    return replace(customer, vehicles=garage.put_back(customer.vehicles, vehicle, place))


async def suggested_contact() -> Contact:
    """Return the contact that the forms start with."""
    return samples.CONTACT


async def suggested_password() -> str:
    """Return the password that sign-up starts with."""
    return samples.PASSWORD


async def suggested_vehicle() -> Vehicle:
    """Return the vehicle that a one-time fill starts with."""
    return samples.VEHICLES[0]
