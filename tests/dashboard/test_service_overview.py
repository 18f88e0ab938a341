"""The admin view's day."""

from fuel_app.dashboard import preview as stats_sample
from fuel_app.dashboard import service as overview


async def test_the_days_stops_are_what_is_left_of_its_fillups():
    day = await overview.today()
    assert day.stats == stats_sample.ADMIN_STATS
    assert len(day.stops) == day.stats.today_fillups - day.stats.completed_fillups
