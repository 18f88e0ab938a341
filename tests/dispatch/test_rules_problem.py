"""A tour in time: waiting, being late, and what a vehicle can take."""

from math import inf

from fuel_app.dispatch.rules.problem import (
    Job,
    Problem,
    Vehicle,
    fits,
    is_cut_off,
    legs_of,
    timetable,
)

FROM_HERE = ((0, 60, 90), (60, 0, 30), (90, 30, 0))
JOBS = (Job(1, service=100, gallons=10), Job(2, earliest=500, latest=600, gallons=20))


def problem(*vehicles: Vehicle, seconds=FROM_HERE) -> Problem:
    return Problem(seconds, JOBS, vehicles)


def test_who_is_early_waits_and_who_is_late_is_late():
    early = timetable(JOBS, (60, 30, 90), 0)
    assert (early.begins, early.ends, early.late) == ((60, 500), 590, ())
    late = timetable(JOBS, (60, 30), 500)
    assert (late.begins, late.late) == ((560, 690), (1,))


def test_legs_lead_from_the_start_through_the_jobs_to_the_end():
    assert legs_of(problem(), Vehicle(start=0, end=0), [0, 1]) == (60, 30, 90)
    assert legs_of(problem(), Vehicle(), [0, 1]) == (0, 30)
    assert legs_of(problem(), Vehicle(start=0), []) == ()


def test_a_tour_fits_in_time_in_the_tank_and_on_roads():
    whole = Vehicle(start=0, end=0, capacity=30, latest=590)
    assert fits(problem(), whole, [0, 1])
    assert not fits(problem(), Vehicle(start=0, end=0, capacity=29), [0, 1])
    assert not fits(problem(), Vehicle(start=0, end=0, latest=589), [0, 1])
    assert not fits(problem(), Vehicle(start=0, earliest=600), [0, 1])
    no_road = ((0, inf, 90), (inf, 0, 30), (90, 30, 0))
    assert not fits(problem(seconds=no_road), Vehicle(start=0), [0])


def test_cut_off_is_what_no_road_leads_to():
    island = ((0, inf, 1), (inf, 0, inf), (1, inf, 0))
    assert is_cut_off(problem(seconds=island), JOBS[0])
    assert not is_cut_off(problem(), JOBS[0])
    assert not is_cut_off(Problem(FROM_HERE, JOBS[:1], ()), JOBS[0])
