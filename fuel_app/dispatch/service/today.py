"""Today's stops for the dashboard: each with its truck, its place on the route and its time."""

from dataclasses import dataclass

from fuel_app.accounts.rules import Actor, Role
from fuel_app.dispatch.rules.day import Day, TruckRoute
from fuel_app.dispatch.rules.timing import Expected, expected
from fuel_app.dispatch.service.figures import service_times
from fuel_app.dispatch.service.reading import read as read_day
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading


@dataclass(frozen=True, slots=True)
class RoadDay:
    """A day's routes with the expected times of their stops, by the truck's name."""

    day: Day
    routes: tuple[tuple[TruckRoute, tuple[Expected, ...]], ...]

    @property
    def following(self) -> Expected | None:
        """Return the stop that is done next, of all trucks."""
        stops = (each for _, stops in self.routes for each in stops)
        left = (each for each in stops if each.stop.booking and not each.stop.is_ended)
        return min(left, key=lambda each: each.begins_at, default=None)


async def read(by: Actor) -> RoadDay:
    """Return today's routes as they go."""
    by.require(Role.DISPATCHER)
    now = clock.now()
    async with reading() as session:
        day, times = await read_day(session, clock.day_of(now)), await service_times(session)
    return RoadDay(day, tuple((route, expected(route, now, times)) for route in day.routes))
