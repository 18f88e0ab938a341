"""Weather holds: stops of an area and time wait until it has passed, or are moved."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.service import road
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.changing import as_stored
from fuel_app.dispatch.rules.day import Day, Unassigned, parse_day
from fuel_app.dispatch.rules.weather import HoldForm, Storm, StormForm
from fuel_app.dispatch.service import holding, routes
from fuel_app.dispatch.service.reading import read
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals

NOUN, KIND = "weather", "hold"
TOPICS = (SHIFTS, BOOKINGS)


@dataclass(frozen=True, slots=True)
class Held:
    """The bookings that a hold has stopped; `action_id` is for Undo, '' if there were none."""

    action_id: str
    count: int


async def affected(by: Actor, sent: object) -> tuple[Unassigned, ...]:
    """Return what a hold would stop, by the fields of a `StormForm`.

    Raises:
        InvalidForm
    """
    by.require(Role.DISPATCHER)
    form = StormForm.parse(sent)
    storm = form.storm(clock.now())
    async with reading() as session:
        return _stopped(await read(session, form.day), storm)


def _stopped(day: Day, storm: Storm) -> tuple[Unassigned, ...]:
    on_routes = (
        Unassigned(stop.booking, stop.customer)
        for route in day.routes
        for stop in route.waiting
        if stop.booking
    )
    return tuple(each for each in (*on_routes, *day.unassigned) if storm.stops(each.booking))


async def hold(by: Actor, sent: object) -> Held:
    """Hold the bookings not begun whose windows overlap a time, and tell their customers.

    They leave their routes.

    Args:
        sent: The fields of a `HoldForm`.

    Raises:
        InvalidForm
    """
    by.require(Role.DISPATCHER)
    form = HoldForm.parse(sent)
    storm = form.storm(clock.now())
    action = Action(NOUN, KIND, str(by))
    async with transaction() as session:
        held = await _hold(session, by, form, storm)
        changes = [Change(each.id, None, {"revision": each.revision}) for each in held]
        await audit.record(session, action, changes)
    await signals().publish(*TOPICS)
    return Held(action.id if held else "", len(held))


async def _hold(session: AsyncSession, by: Actor, form: HoldForm, storm: Storm) -> list[Booking]:
    """Lock the day's shifts and then the bookings: their customers may have moved them."""
    await queries.lock_day(session, form.day)
    found = [each.booking.id for each in _stopped(await read(session, form.day), storm)]
    locked = await road.of_ids(session, found, lock=True)
    ids = [each.id for each in locked.values() if storm.stops(each)]
    held = await holding.hold(session, by, ids, form.reason, holding.WEATHER)
    await _leave_routes(session, by, form.day, ids)
    return held


async def _leave_routes(
    session: AsyncSession, by: Actor, day: date, booking_ids: Collection[str]
) -> None:
    """Rewrite the routes of held bookings: what is held is left out."""
    now = await read(session, day)
    theirs = {
        route.shift.id: as_stored(route)
        for route in now.routes
        if any(stop.id in booking_ids for stop in route.stops)
    }
    if theirs:
        await routes.rewrite(session, by, KIND, now.revisions, theirs)


async def resume(by: Actor, day: object, booking_ids: object) -> int:
    """Book held bookings of a day again whose windows are not over. Return how many.

    Args:
        booking_ids: Sent by a browser, as is the day.

    Raises:
        NoSuchDay
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    sent = booking_ids if isinstance(booking_ids, list | tuple) else ()
    wanted = {well_formed_id(each) for each in sent}
    async with transaction() as session:
        held = [each.booking.id for each in (await read(session, chosen)).on_hold]
        ids = [booking_id for booking_id in held if booking_id in wanted]
        count = len(await holding.resume(session, by, ids))
    await signals().publish(*TOPICS)
    return count


@audit.undoes(NOUN, KIND, topics=TOPICS)
async def undo(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Book those bookings again that are still on this hold; a plan puts them on a route."""
    held = {each.subject_id: (each.after or {})["revision"] for each in entries}
    locked = await road.of_ids(session, held, lock=True)
    ids = [each.id for each in locked.values() if each.revision == held[each.id]]
    return {each.id for each in await holding.resume(session, SYSTEM, ids)}
