"""The customer's account: the one place from which the customer's screens have their data.

Before launch that is the sample customer, who lives in the visitor's own session: a change is
answered with the changed customer, and the session keeps it. Nothing is stored. When the service
is live the same functions read and write the database instead; see docs/decisions/preview.md.
"""

from dataclasses import replace

from fuel_app.domain import clock, samples
from fuel_app.domain.customers import Customer, Personal


async def account() -> Customer:
    """The customer whose session this is."""
    return samples.customer(clock.now())


async def save_personal(customer: Customer, personal: Personal) -> Customer:
    return replace(customer, personal=personal)


async def toggle_notification(customer: Customer, name: object) -> Customer:
    """Turn one message or channel on or off; an unknown name changes nothing."""
    return replace(customer, notifications=customer.notifications.toggled(name))
