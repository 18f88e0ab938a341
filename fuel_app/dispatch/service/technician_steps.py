"""The steps that a technician takes at a stop, each in the transaction of its action."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, BookingGone
from fuel_app.bookings.rules.fills import (
    Fill,
    MoreThanTank,
    MoreThanTwoTanks,
    ReceiptSent,
    parse_fill,
)
from fuel_app.bookings.rules.states import BOOKED, COMPLETED
from fuel_app.bookings.service import fills, road
from fuel_app.dispatch.queries import routes
from fuel_app.dispatch.queries import technician as queries
from fuel_app.dispatch.rules import safety
from fuel_app.dispatch.rules import technician as rules
from fuel_app.dispatch.rules.day import DayClosed, NotPublished
from fuel_app.dispatch.rules.technician import Action, OutOfOrder, check_refill, off
from fuel_app.dispatch.service.reading import stop_of
from fuel_app.dispatch.tables import FillPhoto, PublishedDay, StoredShift, StoredStop
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.errors import Refusal


@dataclass(frozen=True, slots=True)
class Step:
    """An action with where it happens: the locked shift of its stop, if a route has it."""

    by: Actor
    action: Action
    at: datetime
    stop: StoredStop | None
    shift: StoredShift | None
    day: PublishedDay | None

    @property
    def is_mine(self) -> bool:
        return self.shift is not None and self.shift.technician_id == self.by.person_id


def _own(step: Step) -> StoredStop:
    """Return the stop of a technician who may work on it now.

    Raises:
        Refusal
    """
    if step.stop is None or step.shift is None:
        raise Refusal(rules.NOT_YOURS)
    if not step.is_mine:
        raise Refusal(rules.ANOTHERS)
    if step.day is None:
        raise NotPublished
    if step.day.closed_at:
        raise DayClosed
    if step.shift.day > day_of(clock.now()):
        raise Refusal(rules.NOT_TODAY)
    return step.stop


async def _refill(session: AsyncSession, step: Step) -> str:
    row = _own(step)
    check_refill(stop_of(row, {}, {}), step.action.kind)
    await _mark(session, row, step.action.kind, step.at)
    return ""


async def _drive_on(session: AsyncSession, step: Step) -> str:
    row, kind = _own(step), step.action.kind
    await _waiting(session, row)
    if kind == rules.FUEL:
        safety.check(step.action.data.get("checked", ()))
    try:
        await road.take_technician_step(session, step.by, row.booking_id or "", kind, step.at)
    except BookingChanged as error:
        raise OutOfOrder(kind) from error
    await _mark(session, row, kind, step.at)
    return ""


async def _fail(session: AsyncSession, step: Step) -> str:
    row, data = _own(step), step.action.data
    booking = await _waiting(session, row)
    why = data.get("reason"), data.get("note")
    try:
        await road.fail(session, step.by, booking.id, *why, step.at)
    except BookingChanged as error:
        raise OutOfOrder(rules.FAIL) from error
    await _mark(session, row, rules.FAIL, step.at)
    return ""


async def _waiting(session: AsyncSession, row: StoredStop) -> Booking:
    """Lock and return the booking of a stop that is to be filled there."""
    booking = await road.lock(session, row.booking_id or "")
    if why := off(booking, row.slot_id):
        raise Refusal(why)
    if booking.state == BOOKED:
        raise Refusal(rules.NOT_RELEASED)
    return booking


async def _complete(session: AsyncSession, step: Step) -> str:
    """Record what was pumped, always: as the booking's fill on one's own route, else beside it."""
    fill = _fill(step)
    booking = await _touched(session, step)
    if booking.state == COMPLETED:
        return await _recorded_before(session, step, booking, fill)
    why = _not_owed(step, booking)
    if why or step.stop is None:
        await _keep(session, step, booking, fill, why)
        return f"{why} {rules.KEPT}"
    asked = await _record(session, step, booking, fill)
    await _mark(session, step.stop, rules.COMPLETE, step.at)
    return asked


async def _correct(session: AsyncSession, step: Step) -> str:
    fill, stop_id = _fill(step), step.action.stop
    booking = (await road.of_ids(session, [stop_id], lock=True)).get(stop_id)
    is_done = booking is not None and booking.state == COMPLETED
    if not is_done and await fills.correct_kept_fill(session, step.by, stop_id, fill):
        return rules.KEPT
    _own(step)
    if booking is None or not is_done:
        raise Refusal(rules.NOT_DONE)
    if await road.last_recorded_by(session, booking.id) != str(step.by):
        await _keep(session, step, booking, fill, rules.DECIDED)
        return rules.DECIDED
    try:
        async with session.begin_nested():
            return await _record(session, step, booking, fill)
    except (ReceiptSent, MoreThanTwoTanks) as refusal:
        await _keep(session, step, booking, fill, str(refusal))
        return str(refusal)
    except MoreThanTank:  # nobody was asked: the phone knew another tank
        await _keep(session, step, booking, fill, rules.TOO_MUCH)
        return f"{rules.TOO_MUCH} {rules.KEPT}"


async def _record(session: AsyncSession, step: Step, booking: Booking, fill: Fill) -> str:
    """Record or correct the fill of a booking. Return what the office is asked about it."""
    about = {"confirmed": "confirmed" in step.action.data, "at": step.at}
    meter = await queries.meter_of_stop(session, booking.id)
    asked = await road.complete(session, step.by, booking.id, fill, meter=meter, **about)
    return " ".join(rules.ASKED[kind] for kind in asked)


async def _photo(session: AsyncSession, step: Step) -> str:
    """Announce a photo, whose file follows; one of another's stop is kept beside the booking."""
    booking = await _touched(session, step)
    taken = await queries.photos_taken(session, booking.id, step.by.person_id)
    if taken >= rules.PHOTOS_MOST:
        raise Refusal(rules.NO_MORE_PHOTOS)
    about = {"booking_id": booking.id, "person_id": step.by.person_id, "taken_at": step.at}
    is_beside = not (step.is_mine and step.day)
    session.add(FillPhoto(id=step.action.id, is_beside=is_beside, **about))
    await session.flush()
    return ""


async def _touched(session: AsyncSession, step: Step) -> Booking:
    """Lock and return a booking that this technician has, or may have had, on the route.

    A stop can have left the route while the phone was offline. What the technician did there
    is kept, if the booking was on any published route.
    """
    try:
        booking = await road.lock(session, step.action.stop)
    except BookingGone as error:
        raise Refusal(rules.NOT_YOURS) from error
    is_mine = step.is_mine and step.day is not None
    if not is_mine and not await road.was_published(session, booking.id):
        raise Refusal(rules.NOT_YOURS)
    return booking


def _not_owed(step: Step, booking: Booking) -> str:
    """Return why a technician was not to fill a booking; '' where they were."""
    if step.stop is None or step.shift is None or step.day is None:
        return rules.NOT_YOURS
    if step.shift.day > day_of(clock.now()):
        return rules.NOT_TODAY
    if why := off(booking, step.stop.slot_id):
        return why
    if booking.state == BOOKED:
        return rules.NOT_RELEASED
    return "" if step.is_mine else rules.ANOTHERS


async def _recorded_before(session: AsyncSession, step: Step, booking: Booking, fill: Fill) -> str:
    """Ask the office about a second record of a fill, unless it says the same."""
    is_same = booking.filled_milligallons == fill.milligallons
    if is_same and booking.ticket.get("number") == fill.ticket:
        return ""
    await _keep(session, step, booking, fill, rules.RECORDED)
    return rules.RECORDED


async def _keep(session: AsyncSession, step: Step, booking: Booking, fill: Fill, why: str) -> None:
    """Keep what was pumped beside a booking, with the meter of the technician's own truck."""
    now = clock.now()
    at = rules.believed(step.at, now, min(booking.day, day_of(now)), None)
    meter = await queries.meter_of(session, step.by.person_id, day_of(at))
    about = {"action_id": step.action.id, "why": why, "meter": meter, "at": at}
    await fills.keep_fill(session, step.by, booking, fill, **about)


def _fill(step: Step) -> Fill:
    sent = {"gallons": "", "started": ""} | step.action.data
    started = step.stop.fueling_at if step.stop and step.is_mine else None
    return parse_fill(sent, clock.now()).model_copy(update={"started": started})


async def _mark(session: AsyncSession, row: StoredStop, kind: str, at: datetime) -> None:
    """Note when a step of a stop was; BACK forgets when the last one was."""
    column = rules.COLUMNS.get(kind, "ended_at")
    if kind == rules.BACK:
        column = rules.COLUMNS[rules.DRIVE]
        last_first = (rules.COLUMNS[each] for each in (rules.FUEL, rules.ARRIVE))
        column = next((each for each in last_first if getattr(row, each)), column)
    await routes.set_stop(session, row.id, {column: None if kind == rules.BACK else at})


_Take = Callable[[AsyncSession, Step], Awaitable[str]]
_TAKES: dict[str, _Take] = {
    rules.DRIVE: _drive_on,
    rules.ARRIVE: _drive_on,
    rules.FUEL: _drive_on,
    rules.BACK: _drive_on,
    rules.FAIL: _fail,
    rules.COMPLETE: _complete,
    rules.CORRECT: _correct,
    rules.PHOTO: _photo,
}


async def take(session: AsyncSession, step: Step) -> str:
    """Take a step. Return what its technician should know although it counts.

    Raises:
        Refusal: If it changes nothing.
    """
    known = _TAKES.get(step.action.kind)
    if known is None:
        raise Refusal(rules.OLD_APP)
    is_refill = step.stop is not None and step.stop.booking_id is None
    return await (_refill if is_refill else known)(session, step)
