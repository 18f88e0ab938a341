"""Booking a fill: the slots that the wizards offer.

Before launch that is the sample, and a finished wizard stores nothing. When the service is live
the same functions answer from the database; see docs/decisions/preview.md.
"""

from fuel_app.areas.service import company
from fuel_app.bookings import preview as samples
from fuel_app.bookings.rules import Slot
from fuel_app.kit.figures import figure

LATE_FEE = figure("late_fee", "Late fee", unit="cents", default=1500, least=0, most=10_000)


async def open_slots() -> tuple[Slot, ...]:
    """Return the open slots, soonest first."""
    return samples.SLOTS


async def opens_soon() -> bool:
    """Return whether the company has opened without booking, whose part comes later."""
    return await company.is_open()
