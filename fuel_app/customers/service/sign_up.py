"""What the forms of signing up and booking are filled in with before launch: the sample."""

from fuel_app.customers import preview as samples
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.rules.vehicles import Vehicle


async def suggested_contact() -> Contact:
    """Return the contact that the forms start with."""
    return samples.CONTACT


async def suggested_password() -> str:
    """Return the password that sign-up starts with."""
    return samples.PASSWORD


async def suggested_vehicle() -> Vehicle:
    """Return the vehicle that a one-time fill starts with."""
    return samples.VEHICLES[0]
