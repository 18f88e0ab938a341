"""HTTP of bookings: calendar files, and a customer's own fills as CSV."""

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuel_app import routes
from fuel_app.accounts.http import requires_person
from fuel_app.accounts.rules import Actor
from fuel_app.billing.http import pdf_answer
from fuel_app.billing.rules.receipts import gallons_text
from fuel_app.billing.service import invoices as receipts
from fuel_app.bookings.rules.bookings import BookedFill, Booking, BookingGone, Guest
from fuel_app.bookings.rules.states import FILLED
from fuel_app.bookings.service import access
from fuel_app.kit import csv
from fuel_app.kit.calendar_file import FILE_NAME
from fuel_app.kit.http import FRESH, download, text_answer

_COLUMNS = ("Date", "Vehicle", "License plate", "Grade", "Gallons", "Total", "Address")
_MOST = 10_000
_PRIVATE = FRESH | {"Referrer-Policy": "no-referrer"}


@requires_person
async def booking_calendar(request: Request) -> Response:
    """Return a customer's own booking as a calendar file."""
    by = request.state.session.actor.as_customer
    return await _calendar(by, request.path_params["booking_id"])


async def manage_calendar(request: Request) -> Response:
    """Return a guest's booking as a calendar file; the link is the key to it."""
    guest = access.guest_of(request.path_params["link"])
    if guest is None:
        return text_answer(BookingGone.message, 404)
    return await _calendar(guest, guest.booking_id)


async def manage_receipt(request: Request) -> Response:
    """Return the receipt of a guest's booking as PDF; the link is the key to it."""
    guest = access.guest_of(request.path_params["link"])
    return await pdf_answer(await receipts.receipt_of_booking(guest.booking_id) if guest else None)


async def _calendar(by: Actor | Guest, booking_id: str) -> Response:
    booking = await access.find(by, booking_id)
    if booking is None:
        return text_answer(BookingGone.message, 404)
    file = await access.calendar_of(by, booking)
    disposition = {"Content-Disposition": f'attachment; filename="{FILE_NAME}"'}
    return Response(file, headers=_PRIVATE | disposition, media_type="text/calendar")


@requires_person
async def fills(request: Request) -> Response:
    """Return a customer's own fills as a CSV file."""
    by = request.state.session.actor.as_customer
    ended = await access.past(by, most=_MOST)
    filled = [(each, fill) for each in ended for fill in each.fills if fill.outcome == FILLED]
    return download(_lines(filled), "fills.csv")


async def _lines(found: list[tuple[Booking, BookedFill]]) -> AsyncIterator[str]:
    yield csv.BOM + csv.lines([_COLUMNS])
    yield csv.lines(_row(*each) for each in found)


def _row(booking: Booking, fill: BookedFill) -> tuple[str, ...]:
    return (
        csv.moment(booking.completed_at or booking.ends_at),
        fill.car.name,
        fill.car.license_plate,
        fill.grade,
        "" if fill.gallons_asked_at else gallons_text(fill.filled_milligallons or 0),
        fill.total.decimal if fill.total else "",
        booking.place.line,
    )


ROUTES = [
    Route(routes.BOOKING_CALENDAR_PATTERN, booking_calendar, methods=["GET"]),
    Route(routes.MANAGE_CALENDAR_PATTERN, manage_calendar, methods=["GET"]),
    Route(routes.MANAGE_RECEIPT_FILE_PATTERN, manage_receipt, methods=["GET"]),
    Route(routes.FILLS_EXPORT, fills, methods=["GET"]),
]
