"""Slots on offer: the preview's sample, and an area's own once the company is open."""

from fuel_app.accounts.rules import Actor
from fuel_app.areas.service import company
from fuel_app.bookings import preview as samples
from fuel_app.bookings.rules.bookings import Booking, Guest
from fuel_app.bookings.rules.slots import SlotDay, SlotOffer


async def open_slots() -> tuple[SlotOffer, ...]:
    """Return the preview's open slots, soonest first."""
    return samples.SLOTS


async def opens_soon() -> bool:
    """Return whether the company has opened without booking, whose part comes later."""
    return await company.is_open()


async def offered(
    by: Actor | None, zip_code: str, *, customer_id: object = "", hold_id: str = ""
) -> tuple[SlotDay, ...]:
    """Return the slots of a ZIP's area for the horizon: open, few left, full, closed.

    Args:
        by: The customer, a member of the staff, or None for a guest.
        zip_code: Of the place where the car stands.
        customer_id: For whom staff book; their plan decides.
        hold_id: Of the tab; its own held place counts as free.

    Raises:
        OutsideArea: If no area has the ZIP.
        AreaPaused
    """
    raise NotImplementedError


async def offered_to_move(by: Actor | Guest, booking: Booking) -> tuple[SlotDay, ...]:
    """Return the slots into which a booking can be moved; its own is left out.

    Raises:
        AreaPaused
    """
    raise NotImplementedError
