"""The dispatch board: a day with its expected times, and the details of a stop."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.bookings.rules.bookings import Booking, BookingGone
from fuel_app.bookings.rules.states import FAILED
from fuel_app.bookings.service import access as bookings
from fuel_app.bookings.service import authorizations
from fuel_app.customers.service import facts
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.changing import path
from fuel_app.dispatch.rules.day import Day, TruckRoute
from fuel_app.dispatch.rules.timing import Expected, ServiceTimes, expected
from fuel_app.dispatch.service import photos
from fuel_app.dispatch.service.figures import service_times
from fuel_app.dispatch.service.reading import read as read_day
from fuel_app.dispatch.service.reading import read_part
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading


@dataclass(frozen=True, slots=True)
class Board:
    """A day as dispatchers see it at a moment."""

    day: Day
    at: datetime
    expected: Mapping[str, tuple[Expected, ...]]  # by shift; without stops that are gone
    driving_s: Mapping[str, int]  # by shift; the way home, which is estimated, included
    unpaid: frozenset[str] = frozenset()  # bookings whose payment is not sure
    # Shifts of a day that goes on whose technician is none any more.
    without_technician: frozenset[str] = frozenset()

    @property
    def following(self) -> Expected | None:
        """Return the stop that is done next, of all trucks."""
        left = (
            each
            for stops in self.expected.values()
            for each in stops
            if each.stop.booking and not each.stop.is_ended
        )
        return min(left, key=lambda each: each.begins_at, default=None)


async def read_today(by: Actor) -> Board:
    """Return today's routes as they go, for the dashboard; it does not say what is unpaid."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        today = clock.day_of(clock.now())
        return _board(await read_day(session, today), await service_times(session))


async def read(by: Actor, day: date) -> Board:
    """Return a day with the expected times of its stops."""
    by.require(Role.DISPATCHER)
    async with reading() as session:
        board = _board(await read_day(session, day), await service_times(session))
        board = await _with_team(session, board)
    return await _with_payments(board)


async def read_changed(
    by: Actor, day: date, seen: Mapping[str, int], shown: Mapping[str, Collection[str]]
) -> Board | None:
    """Return a day with those routes alone that have changed, and all bookings on no route.

    Args:
        seen: The revisions of the routes on the screen.
        shown: The stops on the screen by their shift; by '' those on no route.

    Returns:
        None if shifts have come or gone.
    """
    by.require(Role.DISPATCHER)
    async with reading() as session:
        revisions = await queries.revisions(session, day)
        if revisions.keys() != seen.keys():
            return None
        changed = {each for each, revision in revisions.items() if revision != seen[each]}
        bookings = {stop for shift_id in (*changed, "") for stop in shown[shift_id]}
        part = await read_part(session, day, changed, bookings)
        board = await _with_team(session, _board(part, await service_times(session)))
    return await _with_payments(board)


def _board(day: Day, times: ServiceTimes) -> Board:
    at = clock.now()
    begins = {route.shift.id: expected(route, at, times) for route in day.routes}
    return Board(day, at, begins, {route.shift.id: _driving_s(route) for route in day.routes})


def _driving_s(route: TruckRoute) -> int:
    way_home = offline.drive(path(route, route.waiting)[-2:])
    return sum(each.leg_s for each in route.stops) + way_home.legs[0].seconds


async def _with_team(session: AsyncSession, board: Board) -> Board:
    """Return the board with the shifts whose technician is deactivated, or without the role."""
    day = board.day
    if not day.routes or day.closed_at or day.day < clock.day_of(board.at):
        return board
    team = await directory.technicians(session)
    left = (route.shift.id for route in day.routes if route.shift.technician_id not in team)
    return replace(board, without_technician=frozenset(left))


async def _with_payments(board: Board) -> Board:
    stops = (stop.booking for route in board.day.routes for stop in route.left)
    open_bookings = [*filter(None, stops), *(each.booking for each in board.day.unassigned)]
    return replace(board, unpaid=await authorizations.unpaid_ids(open_bookings))


@dataclass(frozen=True, slots=True)
class Details:
    """The details of a stop.

    Args:
        note: What the technician wrote where it could not be filled.
        photos: The ids of the technician's photos, the oldest first.
    """

    booking: Booking
    phone: str
    note: str
    photos: Sequence[str]


async def details(by: Actor, booking_id: object) -> Details:
    """Return the details of a booking.

    Raises:
        NotAllowed, BookingGone
    """
    by.require(Role.DISPATCHER)
    booking = await bookings.find(by, booking_id)
    if booking is None:
        raise BookingGone
    async with reading() as session:
        known = await facts.facts_of(session, [booking.person_id])
    person = known.get(booking.person_id)
    phone = person.phone if person else booking.contact.get("phone", "")
    steps = await bookings.list_steps(by, booking.id)
    notes = (step.note for step in steps if step.state == FAILED and step.note != booking.reason)
    photos_of = await photos.of_bookings(by, [booking.id])
    return Details(booking, phone, next(notes, ""), photos_of[booking.id])
