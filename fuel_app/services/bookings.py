"""Signing up and booking a fill: what the wizards offer.

Before launch that is the sample, and a finished wizard stores nothing. When the service is live
the same functions answer from the database; see docs/decisions/preview.md.
"""

from fuel_app.domain import samples
from fuel_app.domain.scheduling import Slot
from fuel_app.domain.signup import Contact
from fuel_app.domain.vehicles import Vehicle


async def open_slots() -> tuple[Slot, ...]:
    """The windows that may be picked, the soonest first."""
    return samples.SLOTS


async def suggested_contact() -> Contact:
    """What the contact forms are filled in with."""
    return samples.CONTACT


async def suggested_password() -> str:
    """What a new password is filled in with; it opens nothing."""
    return samples.PASSWORD


async def suggested_vehicle() -> Vehicle:
    """What the vehicle form of a one-time fill is filled in with."""
    return samples.VEHICLES[0]
