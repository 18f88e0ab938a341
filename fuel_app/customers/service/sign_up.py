"""What the forms of signing up and booking are filled in with before launch: the sample."""

from fuel_app.customers import preview as samples
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.rules.vehicles import Vehicle


async def suggested_contact() -> Contact:
    """What the contact forms are filled in with."""
    return samples.CONTACT


async def suggested_password() -> str:
    """What a new password is filled in with; it opens nothing."""
    return samples.PASSWORD


async def suggested_vehicle() -> Vehicle:
    """What the vehicle form of a one-time fill is filled in with."""
    return samples.VEHICLES[0]
