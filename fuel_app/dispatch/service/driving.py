"""What technicians' phones send: positions, and each action once, in its own transaction."""

from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.dispatch.queries import routes
from fuel_app.dispatch.queries import technician as queries
from fuel_app.dispatch.rules import technician as rules
from fuel_app.dispatch.rules.technician import Action, Heard
from fuel_app.dispatch.service import arrivals, reading
from fuel_app.dispatch.service.technician_day import is_active, of_day
from fuel_app.dispatch.service.technician_steps import Step, take
from fuel_app.dispatch.tables import StoredShift, StoredStop, TechnicianAction
from fuel_app.kit import clock
from fuel_app.kit.contact import text
from fuel_app.kit.db.session import tell, transaction
from fuel_app.kit.errors import Refusal, words
from fuel_app.kit.signals import BOOKINGS, SHIFTS, one, signals


async def hear(by: Actor, person: object, actions: object) -> list[Heard]:
    """Take a technician's actions in their order. Return what has become of each.

    An action that is refused changes nothing and is stored with the reason. One that was heard
    before is not taken again. After an unexpected error the phone sends the rest once more.

    Args:
        person: Whose queue it is, as the phone says.
        actions: Sent by a phone; those beyond `ACTIONS_MOST` have to be sent again.

    Raises:
        NotAllowed: If it is another person's queue.
    """
    by.require(Role.TECHNICIAN)
    if person != by.person_id:
        raise NotAllowed
    sent = actions[: rules.ACTIONS_MOST] if isinstance(actions, list) else []
    try:
        return [await _hear(by, each) for each in sent]
    finally:
        if sent:
            await signals().publish(SHIFTS, BOOKINGS)


async def note_position(by: Actor, sent: object) -> None:
    """Keep where a technician is now; ignore it while no route of theirs is active.

    Pages that follow the truck hear of it; screens of the whole day read it within a minute.

    Args:
        sent: By a phone: its latitude and longitude, `lat` and `lng`.

    Raises:
        NotAllowed
        NoPosition: If it is no place on earth.
    """
    by.require(Role.TECHNICIAN)
    point, now = rules.position_of(sent), clock.now()
    values: dict[str, Any] = {"lat": point.lat, "lng": point.lng, "position_at": now}
    async with transaction() as session:
        day, route = await of_day(session, by, clock.day_of(now))
        if route and is_active(day, route):
            await routes.set_shift(session, route.shift.id, values)


async def _hear(by: Actor, sent: object) -> Heard:
    action, received = Action.parse(sent), clock.now()
    if not action.id:
        named = sent.get("id") if isinstance(sent, dict) else ""
        return Heard(text(named), rules.OLD_APP)  # a lone surrogate could not be sent back
    row = TechnicianAction(
        id=action.id,
        person_id=by.person_id,
        stop_id=action.stop,
        kind=action.kind,
        data=action.data,
        at=action.happened(received),
        received_at=received,
    )
    async with transaction() as session:
        if not await queries.add_action(session, row):
            known = await queries.refused(session, action.id, by.person_id)
            return Heard(action.id, rules.OLD_APP if known is None else known)
        try:
            async with session.begin_nested():
                refused = await _take(session, by, action, row.at)
        except Refusal as refusal:
            refused = words(refusal)
        refused = refused[: rules.REFUSED_MAX]
        if refused:
            await queries.set_refused(session, action.id, refused)
        return Heard(action.id, refused)


async def _take(session: AsyncSession, by: Actor, action: Action, at: datetime) -> str:
    stop, shift = await reading.located(session, action.stop)
    day = await routes.published(session, shift.day) if shift else None
    if stop and shift:
        former = stop.fueling_at or stop.arrived_at or stop.driving_at
        at = rules.believed(at, clock.now(), shift.day, former)
    step = Step(by, action, at, stop, shift, day)
    said = await take(session, step)
    if shift:
        tell(session, one(SHIFTS, shift.id))
    # What was pumped at another's stop changes nothing there.
    if shift and step.is_mine and action.kind not in (rules.PHOTO, rules.CORRECT):
        await _started_first(session, shift.id)
        await _tell(session, shift, action)
    return said


async def _tell(session: AsyncSession, shift: StoredShift, action: Action) -> None:
    """Tell customers what a step means for them, as it is stored now."""
    if news := _NEWS.get(action.kind):
        day = await reading.read_part(session, shift.day, [shift.id])
        for route in day.routes:
            for stop in (each for each in route.stops if each.id == action.stop):
                await news(session, route, stop)
    await arrivals.follow(session, shift.day, [shift.id])


_NEWS = {rules.DRIVE: arrivals.on_the_way, rules.ARRIVE: arrivals.arrived}


async def _started_first(session: AsyncSession, shift_id: str) -> None:
    """Put the stops that have begun before the others, as routes are changed behind them.

    Technicians may do stops in another order; the legs stay as planned.
    """
    stops = await routes.stops_of(session, [shift_id])
    driven = sorted(stops, key=lambda each: not (each.driving_at or each.ended_at))
    if driven == stops:
        return
    rows = [StoredStop(**each.model_dump()) for each in driven]
    for place, row in enumerate(rows, start=1):
        row.place = place
    await routes.replace_stops(session, [shift_id], rows)
    await routes.count_up(session, [shift_id])
