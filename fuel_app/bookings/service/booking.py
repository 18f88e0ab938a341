"""Booking a fill: the estimate, the booking itself, and places held on the payment page."""

from datetime import datetime

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.customers.rules.forms import Contact


async def estimate(by: Actor, request: Request, *, customer_id: object = "") -> Estimate:
    """Return the price of a fill as it would be booked now.

    Args:
        by: The customer, or a member of the staff.
        request: Its slot may be empty: an estimate for today.
        customer_id: For whom staff book; customers book for themselves, whatever is sent.

    Raises:
        NotAllowed
        CustomerGone: If staff name nobody.
        CarGone, PlaceGone: If the vehicle or address was deleted meanwhile.
        OutsideArea: If the place is in no area; leads to the waitlist.
        AreaPaused
        SpotRefused: If the car would stand on a street (where not allowed) or under a roof.
        GradeNotOffered, NoPrice
    """
    raise NotImplementedError


async def book(
    by: Actor,
    request: Request,
    *,
    key: str,
    seen: Estimate,
    hold_id: str = "",
    customer_id: object = "",
    reason: str = "",
) -> Booking:
    """Book a fill. The same key returns the same booking again.

    Args:
        by: The customer, or a member of the staff.
        request: The slot, car and place.
        key: A UUID that the server made for the tab.
        seen: The estimate on the screen; other terms by now are refused.
        hold_id: Of the tab; its held place is used.
        customer_id: For whom staff book.
        reason: The staff's, for the booking's history.

    Raises:
        NeedsVerifiedEmail, NeedsCard, PastDue: What the customer lacks.
        PriceChanged: With the new estimate; FreeFillUsed is one.
        SlotFull, SlotClosed, SlotPast, OtherArea: What is wrong with the slot.
        Refusal: As `estimate` says.
    """
    raise NotImplementedError


async def estimate_guest(request: Request) -> Estimate:
    """Return the price of a guest's fill; car and place are typed.

    Raises:
        Refusal: As `estimate` says.
    """
    raise NotImplementedError


async def book_guest(
    contact: Contact,
    request: Request,
    *,
    key: str,
    seen: Estimate,
    hold_id: str,
    address: str,
    test_card: bool = False,
) -> Booking:
    """Book a guest's fill; its contact is stored on the booking, the terms' version, too.

    Args:
        contact: Parsed by its form.
        request: The slot, and a typed car and place.
        key: A UUID that the server made for the tab.
        seen: The estimate on the screen.
        hold_id: Of the tab; its held place is used.
        address: The visitor's network address, for the throttle.
        test_card: The switch of the payment page, which localhost alone honours.

    Raises:
        TooManyRequests
        Refusal: As `book` says.
    """
    raise NotImplementedError


def manage_token(booking: Booking) -> str:
    """Return the token of a booking's link, `/manage/{token}`."""
    raise NotImplementedError


async def hold(slot_id: object, hold_id: str, address: str) -> datetime:
    """Hold a place of a slot while somebody pays. Return until when.

    A hold on another slot is given back first; one on this slot is renewed.

    Args:
        slot_id: Sent by a browser.
        hold_id: A UUID that the server made for the tab.
        address: The network address, which has three at most.

    Raises:
        SlotFull, SlotClosed, SlotPast, AreaPaused: What is wrong with the slot.
        TooManyHolds
    """
    raise NotImplementedError


async def release_hold(hold_id: str) -> None:
    """Give a held place back; nothing happens if there is none."""
    raise NotImplementedError
