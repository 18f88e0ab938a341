"""A drive through the night when New York's clocks change takes as long as it takes."""

from datetime import date, datetime, time

import pytest

from fuel_app.dispatch.rules.day import prepare
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.route import Drive, Leg
from fuel_app.dispatch.rules.stops import TimeWindow, Truck
from fuel_app.kit.clock import NEW_YORK
from tests.factories import stop

HOUR = 3600


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), NEW_YORK)


@pytest.mark.parametrize(
    ("day", "arrives", "late"),
    [
        (date(2026, 3, 7), 8, False),
        (date(2026, 3, 8), 9, True),  # the hour after 1:59 is left out
        (date(2026, 11, 1), 7, False),  # the hour before 2:00 comes twice
    ],
)
def test_a_truck_that_sets_off_before_the_change_arrives_by_the_new_clocks(day, arrives, late):
    window = TimeWindow(at(day, 6), at(day, 8, 30))
    one = stop(time=at(day, 7), window=window)
    sets_off = at(day, 0, 30)
    _, planning = prepare([one], Point(27.3, -82.5), [Truck()], sets_off)
    assert planning
    drive = Drive((Leg.lasting(7.5 * HOUR, 500_000),), (), "a map")
    route = planning.route(0, (0,), drive)
    assert route.begins == (at(day, arrives),)
    assert bool(route.late) is late
