"""A booking as an entry of its customer's calendar."""

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import recipients
from fuel_app.bookings.rules.bookings import Booking, Guest
from fuel_app.bookings.rules.states import CANCELLED
from fuel_app.bookings.service.booking import manage_token
from fuel_app.kit.calendar_file import Entry, calendar_file
from fuel_app.settings import settings


async def file_of(by: Actor | Guest, booking: Booking) -> bytes:
    """Return the calendar file of a booking that is theirs. A later one takes its place."""
    is_guests = isinstance(by, Guest)
    person = None if is_guests else await recipients.find(booking.person_id)
    path = routes.manage(manage_token(booking)) if is_guests else routes.booking(booking.id)
    entry = Entry(
        id=booking.id,
        revision=booking.revision,
        starts_at=booking.starts_at,
        ends_at=booking.ends_at,
        title=f"Fill-up: {booking.car.name}",
        place=booking.place.line,
        address=settings.public_url + path,
        attendee=person.email if person else booking.contact.get("email", ""),
        is_cancelled=booking.state == CANCELLED,
    )
    return calendar_file(entry)
