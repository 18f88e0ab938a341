"""The admin view's day: before launch, the sample's."""

from fuel_app.domain import clock, samples
from fuel_app.domain.overview import Day


async def today() -> Day:
    return Day(samples.ADMIN_STATS, samples.stops(clock.now()))
