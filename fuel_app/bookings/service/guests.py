"""Guests as staff know them: found by what a caller says, with all their bookings.

A guest has no account: the bookings that one e-mail was typed for are one guest's, until its owner
verifies it and they become a customer's.
"""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings import queries
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules.bookings import BookingGone
from fuel_app.bookings.rules.guests import GuestBookings, GuestFound
from fuel_app.bookings.rules.states import ENDED
from fuel_app.bookings.service import access, notifications
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.throttle import MESSAGES_AGAIN, MESSAGES_AGAIN_TO, throttle

SHOWN = 10  # guests; a search of more is narrowed
_ENDED_SHOWN = 100


async def search(
    actor: Actor, words: tuple[str, ...], phone_part: str
) -> tuple[list[GuestFound], int]:
    """Return the first guests that are found, and how many there are.

    Args:
        words: Each is in a name, the e-mail, the phone, a plate or an address.
        phone_part: Digits of a phone; empty where none are typed.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    if not words and not phone_part:
        return [], 0
    async with reading() as session:
        rows, total = await queries.search_guests(session, words, phone_part, SHOWN)
    return [GuestFound(booking_of(row), count) for row, count in rows], total


async def find(actor: Actor, booking_id: object) -> GuestBookings | str | None:
    """Return a guest by one of their bookings; None if it is no guest's.

    Where it has become a customer's: whose, by the id.

    Raises:
        NotAllowed
    """
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        row = await queries.find(session, well_formed_id(booking_id) or "")
        if row is None:
            return None
        if row.person_id:
            return row.person_id
        theirs = [*map(booking_of, await queries.of_guest(session, row.guest_email))]
    upcoming = [each for each in theirs if each.state not in ENDED]
    ended = [each for each in reversed(theirs) if each.state in ENDED]
    last = max(theirs, key=lambda each: each.id)
    return GuestBookings(last, tuple(upcoming), tuple(ended[:_ENDED_SHOWN]))


async def send_link(actor: Actor, booking_id: object) -> str:
    """Mail a guest the link to their booking again. Return where to.

    Raises:
        NotAllowed
        BookingGone: If there is no such booking, or it is no guest's.
        TooManyRequests: After 30 messages in an hour, or 10 to one guest by all of the staff.
    """
    actor.require(Role.DISPATCHER)
    await throttle().spend(MESSAGES_AGAIN, str(actor))
    async with transaction() as session:
        row = await queries.locked(session, well_formed_id(booking_id) or "")
        if row.person_id or not row.guest_email:
            raise BookingGone
        await throttle().spend(MESSAGES_AGAIN_TO, row.guest_email)
        once = f"{row.id}:{clock.now().isoformat()}"
        drafts = notifications.drafts_about(booking_of(row), "booking_link", once=once)
        await outbox.add_all(session, drafts)
        await queries.add_event(session, access.event_of(row, "link", actor))
    return row.guest_email
