"""Reading bookings: a customer's own, a guest's one, any for staff."""

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import directory, recipients
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking, BookingGone, Event, Guest
from fuel_app.bookings.rules.states import CANCELLED
from fuel_app.bookings.service import access
from fuel_app.kit import secrets
from fuel_app.kit.calendar_file import Entry, calendar_file
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.messages.rules.kinds import MANAGED, TRACKED
from fuel_app.settings import settings


async def guest_of(token: object) -> Guest | None:
    """Return the holder of a booking's link; None for a token that is not ours."""
    booking_id = booking_id_in(token)
    return Guest(booking_id) if booking_id else None


def booking_id_in(token: object) -> str:
    """Return the booking of a link; empty for a token that is not ours."""
    return secrets.row_of(MANAGED, token) or ""


def manage_token(booking: Booking) -> str:
    """Return the token of a booking's link, `/manage/{token}`."""
    return secrets.token(MANAGED, booking.id)


def track_token(booking: Booking) -> str:
    """Return the token of the link that follows a booking's technician, `/track/{token}`."""
    return secrets.token(TRACKED, booking.id)


async def find(by: Actor | Guest, booking_id: object) -> Booking | None:
    """Return a booking: a customer's own, any for staff, that one for a guest; else None."""
    async with reading() as session:
        row = await queries.find(session, well_formed_id(booking_id) or "")
    try:
        return queries.booking_of(access.check(by, row))
    except BookingGone:
        return None


async def calendar_of(by: Actor | Guest, booking: Booking) -> bytes:
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


async def events(by: Actor | Guest, booking_id: object) -> tuple[Event, ...]:
    """Return the steps of a booking that `find` returns, the oldest first."""
    booking = await find(by, booking_id)
    if booking is None:
        return ()
    async with reading() as session:
        rows = await queries.events(session, booking.id)
    names = await directory.names(row.actor for row in rows)
    return tuple(
        Event(row.kind, row.state, names[row.actor], row.at, row.before, row.note) for row in rows
    )


async def upcoming(by: Actor, *, customer_id: object = "") -> tuple[Booking, ...]:
    """Return a customer's bookings that have not ended, the soonest first; staff name whose."""
    person_id, _ = access.customer_of(by, customer_id)
    async with reading() as session:
        return tuple(map(queries.booking_of, await queries.upcoming(session, person_id)))


async def past(by: Actor, *, customer_id: object = "", most: int = 100) -> tuple[Booking, ...]:
    """Return a customer's last bookings that have ended, the latest first; staff name whose."""
    person_id, _ = access.customer_of(by, customer_id)
    async with reading() as session:
        return tuple(map(queries.booking_of, await queries.past(session, person_id, most)))
