"""The admin view's day: before launch, the sample's."""

from fuel_app.domain import clock, stats_sample, stop_sample
from fuel_app.domain.overview import Day


async def today() -> Day:
    return Day(stats_sample.ADMIN_STATS, stop_sample.stops(clock.now()))
