"""Booking a fill: the slots that the wizards offer.

Before launch that is the sample, and a finished wizard stores nothing. When the service is live
the same functions answer from the database; see docs/decisions/preview.md.
"""

from fuel_app.domain import slot_sample as samples
from fuel_app.domain.scheduling import Slot


async def open_slots() -> tuple[Slot, ...]:
    """The windows that may be picked, the soonest first."""
    return samples.SLOTS
