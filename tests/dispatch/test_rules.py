"""Points, routes, timetables and reasons for unserved stops."""

from datetime import date, datetime, time
from math import inf, nan

import pytest

from fuel_app.dispatch.rules.day_plan import (
    Job,
    Problem,
    Solution,
    Vehicle,
    fits,
    is_cut_off,
    legs_of,
    schedule_tour,
    why_unserved,
)
from fuel_app.dispatch.rules.drives import (
    OFFLINE,
    Drive,
    Leg,
    Point,
    directions_link,
    duration_text,
    find_fault,
)
from fuel_app.kit.clock import NEW_YORK
from fuel_app.preview.rules import DayRoute, TimeWindow, prepare
from tests.factories import stop

SARASOTA = Point(27.3364, -82.5307)


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        (SARASOTA, None),
        *((point, "It has no valid coordinates.") for point in ((0, 0), (91, -82.5), (27.3, nan))),
        ((-82.5307, 27.3364), "Its latitude and longitude are swapped."),
        ((25.76, -80.19), "It is outside the service area."),
        ((27.3364, 82.5307), "It is outside the service area."),
    ],
)
def test_faulty_point_has_a_reason(point, reason):
    assert find_fault(Point(*point)) == reason


@pytest.mark.parametrize(
    ("start", "origin"), [(Point(27.35, -82.52), "&origin=27.350000,-82.520000"), (None, "")]
)
def test_directions_lead_to_a_stop_by_car(start, origin):
    question = "api=1&destination=0.000001,-0.000001&travelmode=driving"
    link = f"https://www.google.com/maps/dir/?{question}{origin}"
    assert directions_link(Point(1e-6, -1e-6), start) == link
    assert "destination=1+Main+St,+Sarasota&" in directions_link("1 Main St, Sarasota")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0, "1 min"), (89, "1 min"), (90, "2 mins"), (59.6 * 60, "1 hour")),
        *((61 * 60, "1 hour 1 min"), (150 * 60, "2 hours 30 mins")),
    ],
)
def test_durations_are_worded(seconds, text):
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("provider", "credit"), [("Google Maps", "Google Maps"), (OFFLINE, ""), ("", "")]
)
def test_estimate_is_not_credited(provider, credit):
    assert DayRoute(provider=provider).credit == credit


FROM_HERE = ((0, 60, 90), (60, 0, 30), (90, 30, 0))
JOBS = (Job(1, service=100, loads=(10,)), Job(2, earliest=500, latest=600, loads=(20,)))


def problem(*vehicles: Vehicle, seconds=FROM_HERE) -> Problem:
    return Problem(seconds, JOBS, vehicles)


def test_early_truck_waits_and_late_stop_is_named():
    early = schedule_tour(JOBS, (60, 30, 90), 0)
    assert (early.begins, early.ends, early.late) == ((60, 500), 590, ())
    late = schedule_tour(JOBS, (60, 30), 500)
    assert (late.begins, late.late) == ((560, 690), (1,))


def test_legs_lead_from_the_start_through_the_jobs_to_the_end():
    assert legs_of(problem(), Vehicle(start=0, end=0), [0, 1]) == (60, 30, 90)
    assert legs_of(problem(), Vehicle(), [0, 1]) == (0, 30)
    assert legs_of(problem(), Vehicle(start=0), []) == ()


def test_tour_keeps_shift_tanks_and_roads():
    whole = Vehicle(start=0, end=0, tanks=(30,), latest=590)
    assert fits(problem(), whole, [0, 1])
    assert not fits(problem(), Vehicle(start=0, end=0, tanks=(29,)), [0, 1])
    assert not fits(problem(), Vehicle(start=0, end=0, latest=589), [0, 1])
    assert not fits(problem(), Vehicle(start=0, earliest=600), [0, 1])
    no_road = ((0, inf, 90), (inf, 0, 30), (90, 30, 0))
    assert not fits(problem(seconds=no_road), Vehicle(start=0), [0])


def test_job_without_a_road_is_cut_off():
    island = ((0, inf, 1), (inf, 0, inf), (1, inf, 0))
    assert is_cut_off(problem(seconds=island), JOBS[0])
    assert not is_cut_off(problem(), JOBS[0])
    assert not is_cut_off(Problem(FROM_HERE, JOBS[:1], ()), JOBS[0])


HOUR = 3600


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime.combine(day, time(hour, minute), NEW_YORK)


HALF_HOUR = ((0, 1800), (1800, 0))
NO_ROAD = ((0, inf), (inf, 0))


@pytest.mark.parametrize(
    ("job", "vehicle", "seconds", "reason"),
    [
        (Job(1), Vehicle(0), NO_ROAD, "No road leads there."),
        (Job(1, latest=60), Vehicle(0), HALF_HOUR, "It cannot be reached by 12:00 PM."),
        (Job(1), Vehicle(0, latest=60), HALF_HOUR, "not fit into a truck's shift"),
        (Job(1, loads=(6,)), Vehicle(0, tanks=(9,)), HALF_HOUR, "leave too little fuel for it"),
        (Job(1), Vehicle(0), HALF_HOUR, "not fit in between the other stops"),
    ],
)
def test_unserved_job_has_a_reason(job, vehicle, seconds, reason):
    problem = Problem(seconds, (job, Job(1, loads=(4,))), (vehicle,))
    day = date(2026, 3, 7)
    assert reason in why_unserved(problem, Solution(((1,),), (0,)), 0, at(day, 12))


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
