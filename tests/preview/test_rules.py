"""The day of one truck: when it begins, its drives, and who is credited."""

from datetime import date, datetime, time
from math import inf

import pytest

from fuel_app.dispatch.rules.day_plan import Solution
from fuel_app.dispatch.rules.drives import (
    OFFLINE,
    Drive,
    Leg,
    Point,
)
from fuel_app.kit.clock import NEW_YORK
from fuel_app.preview.rules import DayRoute, TimeWindow, add_unserved, prepare
from tests.factories import stop

HOUR = 3600


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), NEW_YORK)


@pytest.mark.parametrize(
    ("provider", "credit"), [("Google Maps", "Google Maps"), (OFFLINE, ""), ("", "")]
)
def test_estimate_is_not_credited(provider, credit):
    assert DayRoute(provider=provider).credit == credit


def test_day_begins_with_the_first_window():
    day = date(2026, 7, 1)
    stops = [stop(window=TimeWindow(at(day, hour), at(day, 18))) for hour in (10, 8, 12)]
    _, planning = prepare(stops, None)
    assert planning
    assert planning.starts_at == at(day, 8)


@pytest.mark.parametrize(
    ("day", "late"),
    [
        (date(2026, 3, 7), False),
        (date(2026, 3, 8), True),  # 2:00 to 3:00 is skipped
        (date(2026, 11, 1), False),  # 1:00 to 2:00 comes twice
    ],
)
def test_daylight_saving_changes_do_not_change_driving_times(day, late):
    window = TimeWindow(at(day, 0, 30), at(day, 8, 30))
    _, planning = prepare([stop(window=window)], Point(27.3, -82.5))
    assert planning
    drive = Drive((Leg.lasting(7.5 * HOUR),), (), "a map")
    assert bool(planning.route((0,), drive).late) is late


def test_stop_that_no_road_reaches_is_left_out_with_its_reason():
    window = TimeWindow(at(date(2026, 7, 1), 8), at(date(2026, 7, 1), 10))
    day, planning = prepare([stop(id="far", window=window)], Point(27.3, -82.5))
    assert planning
    problem = planning.problem(((0, inf), (inf, 0)))
    [unserved] = add_unserved(day, planning, problem, Solution(((),), (0,))).unserved
    assert (unserved.stop.id, unserved.reason) == ("far", "No road leads there.")
