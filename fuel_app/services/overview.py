"""The admin view's day: before launch, the sample's."""

from fuel_app.dispatch import preview as stop_sample
from fuel_app.domain import stats_sample
from fuel_app.domain.overview import Day
from fuel_app.kit import clock


async def today() -> Day:
    return Day(stats_sample.ADMIN_STATS, stop_sample.stops(clock.now()))
