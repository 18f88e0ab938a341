"""A drive through the night when New York's clocks change takes as long as it takes."""

from datetime import datetime

import pytest

from fuel_app.domain.clock import NEW_YORK
from fuel_app.domain.routing import Drive, Leg, Point, TimeWindow, Truck
from fuel_app.domain.routing.day import prepare
from tests.factories import stop

HOUR = 3600


@pytest.mark.parametrize(
    ("day", "arrives", "late"),
    [
        ((2026, 3, 7), 8, False),
        ((2026, 3, 8), 9, True),  # the hour after 1:59 is left out
        ((2026, 11, 1), 7, False),  # the hour before 2:00 comes twice
    ],
)
def test_a_truck_that_sets_off_before_the_change_arrives_by_the_new_clocks(day, arrives, late):
    window = TimeWindow(datetime(*day, 6, tzinfo=NEW_YORK), datetime(*day, 8, 30, tzinfo=NEW_YORK))
    one = stop(time=datetime(*day, 7, tzinfo=NEW_YORK), window=window)
    sets_off = datetime(*day, 0, 30, tzinfo=NEW_YORK)
    _, planning = prepare([one], Point(27.3, -82.5), [Truck()], sets_off)
    assert planning
    drive = Drive((Leg.lasting(7.5 * HOUR, 500_000),), (), "a map")
    route = planning.route(0, (0,), drive)
    assert route.begins == (datetime(*day, arrives, tzinfo=NEW_YORK),)
    assert bool(route.late) is late
