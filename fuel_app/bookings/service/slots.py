"""Booking a fill: the slots that the wizards offer.

Before launch that is the sample, and a finished wizard stores nothing. When the service is live
the same functions answer from the database; see docs/decisions/preview.md.
"""

from fuel_app.areas.service import company
from fuel_app.bookings import preview as samples
from fuel_app.bookings.rules.slots import Slot


async def open_slots() -> tuple[Slot, ...]:
    """Return the open slots, soonest first."""
    return samples.SLOTS


async def opens_soon() -> bool:
    """Return whether the company has opened without booking, whose part comes later."""
    return await company.is_open()
