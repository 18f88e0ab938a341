"""Moving and cancelling bookings."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking, Guest
from fuel_app.bookings.rules.states import Changes
from fuel_app.kit.money import Money


async def changes(by: Actor | Guest, booking: Booking) -> Changes:
    """Return what may be done with a booking now, and the late fee of cancelling it."""
    raise NotImplementedError


async def move(
    by: Actor | Guest, booking_id: object, revision: object, slot_id: object, *, reason: str = ""
) -> Booking:
    """Move a booking into another slot of its area. Its price stays.

    Args:
        by: The customer, a member of the staff, or the holder of its link.
        booking_id: Sent by a browser.
        revision: The one on the screen.
        slot_id: The new slot, sent by a browser.
        reason: The staff's; it stands in the message.

    Raises:
        BookingGone: If it is not theirs.
        BookingChanged: If it has been changed meanwhile.
        PleaseCall: If it is too late.
        SlotFull, SlotClosed, SlotPast, OtherArea, AreaPaused: What is wrong with the slot.
        NoFillsLeft: If the new slot lies in a period without fills left.
    """
    raise NotImplementedError


async def move_in(
    session: AsyncSession, booking_id: str, slot_id: str, *, actor: Actor, reason: str
) -> Booking:
    """Move a booking in the caller's transaction, as staff.

    Raises:
        Refusal: As `move` says.
    """
    raise NotImplementedError


async def cancel(
    by: Actor | Guest,
    booking_id: object,
    revision: object,
    *,
    seen_fee: Money,
    reason: str = "",
    waive: bool = False,
) -> Booking:
    """Cancel a booking: its place and its fill of the allowance are free again.

    Args:
        by: The customer, a member of the staff, or the holder of its link.
        booking_id: Sent by a browser.
        revision: The one on the screen.
        seen_fee: The late fee on the screen.
        reason: Staff have to give one.
        waive: Staff may waive the late fee.

    Raises:
        BookingGone: If it is not theirs.
        BookingChanged: If it has been changed meanwhile.
        PleaseCall: If it is too late.
        FeeChanged: If the late fee is another by now.
        NeedsReason: If staff give none.
    """
    raise NotImplementedError


async def cancel_in(
    session: AsyncSession, booking_id: str, *, actor: Actor, reason: str
) -> Booking:
    """Cancel a booking in the caller's transaction, free of charge, as staff or system.

    Raises:
        BookingGone
        BookingChanged: If it is not in a state that can be cancelled.
    """
    raise NotImplementedError
