"""Where a technician is, as the phone says, while a route is active."""

from typing import Any

from fuel_app.accounts.rules import Actor, Role
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.technician import position_of
from fuel_app.dispatch.service.technician_day import is_active, of_day
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction


async def note(by: Actor, sent: object) -> None:
    """Keep where a technician is now; ignore it while no route of theirs is active.

    Pages that follow the truck hear of it; screens of the whole day read it within a minute.

    Args:
        sent: By a phone: its latitude and longitude, `lat` and `lng`.

    Raises:
        NotAllowed
        NoPosition: If it is no place on earth.
    """
    by.require(Role.TECHNICIAN)
    point, now = position_of(sent), clock.now()
    values: dict[str, Any] = {"lat": point.lat, "lng": point.lng, "position_at": now}
    async with transaction() as session:
        day, route = await of_day(session, by, day_of(now))
        if route is None or not is_active(day, route):
            return
        await queries.set_shift(session, route.shift.id, values)
