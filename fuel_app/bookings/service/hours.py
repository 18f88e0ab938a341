"""Changing the hours of an area, and with them what is booked there."""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.hours import Hours
from fuel_app.areas.service import hours as area_hours
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.hours import Affected, NeedsAnswer, affected
from fuel_app.bookings.service import changing
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import AREAS, BOOKINGS, signals


async def change(
    area_id: object,
    seen: Hours,
    wanted: Hours,
    *,
    answers: Affected | None = None,
    cancel_because: str = "",
    actor: Actor,
) -> int:
    """Change an area's hours. Return how many bookings it has cancelled.

    Args:
        seen: The hours on the person's screen.
        answers: The bookings of the question that has been answered.
        cancel_because: Cancel what is booked in windows that close, free of charge, and tell the
            customers this reason; empty to keep it.

    Raises:
        AreaGone, AreaChanged
        NeedsAnswer: If bookings stand in the way, and not exactly those of the question.
    """
    actor.require(Role.ADMIN)
    cancelled = 0
    try:
        async with transaction() as session:
            # From here on nobody books in the area until the commit.
            found = await area_hours.change(session, area_id, seen, wanted, actor=actor)
            booked = await queries.ahead(session, found, clock.now())
            now = affected(seen, wanted, map(queries.booking_of, booked))
            if now.key != (answers.key if answers else ()):
                raise NeedsAnswer(now, {})
            for each in now.closed if cancel_because else ():
                await changing.cancel_in(session, each.id, actor=actor, reason=cancel_because)
                cancelled += 1
    except NeedsAnswer as asked:
        people = (each.person_id for each in asked.affected.closed if each.person_id)
        raise NeedsAnswer(asked.affected, await directory.names(people)) from None
    await signals().publish(AREAS, BOOKINGS)
    return cancelled
