"""A day as the solver's problem, its solution as stops, and the reasons for what is left out."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from math import inf

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.states import CANCELLED, COMPLETED, FAILED
from fuel_app.dispatch.rules.arrivals import ServiceTimes, estimate_times
from fuel_app.dispatch.rules.day import TruckRoute
from fuel_app.dispatch.rules.day_plan import (
    REFILL_JOB,
    Job,
    Problem,
    Solution,
    Vehicle,
    fits,
    is_cut_off,
    jobs_of,
    legs_of,
    schedule_tour,
    why_unserved,
)
from tests.helpers.day_plans import (
    EIGHT,
    GALLON,
    HOME,
    a_booking,
    a_plan,
    a_route,
    a_stop,
    after,
    drives,
    planned,
)

DAY_S = 86_400  # the plans here are made at eight o'clock on the day before
NORTH, SOUTH = Point(27.42, -82.52), Point(27.30, -82.52)
NEXT_DOOR = Point(27.4205, -82.52)  # 56 meters from NORTH


def begins(stops) -> list[tuple[str, float]]:
    """Return ids, and when each stop begins, in minutes after eight o'clock."""
    return [(stop.id, (stop.begins_at - EIGHT) / timedelta(minutes=1)) for stop in stops]


def test_points_are_named_once():
    started = a_stop(a_booking(NORTH), driving_at=EIGHT)
    plan = a_plan([a_route(1, started), a_route(2)], [a_booking(SOUTH), a_booking(SOUTH)])
    assert plan.points == (HOME, NORTH, SOUTH)


def test_booking_becomes_a_job_in_its_window_with_its_fuel():
    booking = a_booking(NORTH, (0, 2), gallons=12, grade="diesel")
    plan = a_plan([a_route()], [booking])
    [job] = plan.problem(drives(plan)).jobs
    assert (job.place, job.service, job.earliest, job.latest) == (1, 660, DAY_S, DAY_S + 7200)
    assert job.loads == (0, 0, 0, 120)


def test_window_that_has_opened_counts_from_now():
    plan = a_plan([a_route()], [a_booking(NORTH, (0, 2))], now=after(1))
    [job] = plan.problem(drives(plan)).jobs
    assert (job.earliest, job.latest) == (0, 3600)


def test_second_car_within_a_hundred_meters_takes_less_time():
    cars = [a_booking(NORTH), a_booking(NEXT_DOOR), a_booking(SOUTH)]
    plan = a_plan([a_route()], cars)
    jobs = plan.problem(drives(plan)).jobs
    assert [job.near for job in jobs] == [{1}, {0}, set()]
    assert {job.service_near for job in jobs} == {420}


def test_truck_begins_its_day_full_at_home_with_its_shift():
    plan = a_plan([a_route(hours=(1, 9))], [a_booking(NORTH)])
    [vehicle] = plan.problem(drives(plan)).vehicles
    assert (vehicle.start, vehicle.end, vehicle.refill) == (0, 0, 1200)
    assert (vehicle.earliest, vehicle.latest) == (DAY_S + 3600, DAY_S + 9 * 3600)
    assert (vehicle.tanks, vehicle.used) == ((3000, 0, 0, 1000), (0, 0, 0, 0))


def test_truck_on_shift_sets_off_no_earlier_than_now():
    plan = a_plan([a_route()], [a_booking(NORTH, (2, 4))], now=after(1))
    assert plan.problem(drives(plan)).vehicles[0].earliest == 0


def test_truck_sets_off_where_its_started_stop_ends():
    stop = a_stop(a_booking(NORTH), driving_at=after(0), arrived_at=after(0.25))
    plan = a_plan([a_route(1, stop)], [a_booking(SOUTH, (2, 4))], now=after(0.25))
    [vehicle] = plan.problem(drives(plan)).vehicles
    assert plan.points[vehicle.start or 0] == NORTH
    assert (vehicle.earliest, vehicle.used) == (660, (120, 0, 0, 0))


def test_truck_on_its_way_to_a_cancelled_stop_sets_off_there():
    stop = a_stop(a_booking(NORTH, state=CANCELLED), driving_at=after(0))
    plan = a_plan([a_route(1, stop)], [a_booking(SOUTH, (2, 4))], now=after(0))
    [vehicle] = plan.problem(drives(plan)).vehicles
    assert plan.points[vehicle.start or 0] == NORTH
    assert (vehicle.earliest, vehicle.used) == (600, (0, 0, 0, 0))


def test_truck_after_a_refill_is_at_home_and_full():
    fueled = a_stop(a_booking(NORTH), driving_at=EIGHT, ended_at=after(0.5))
    refill = a_stop(None, driving_at=after(0.5))
    plan = a_plan([a_route(1, fueled, refill)], [a_booking(SOUTH, (2, 4))], now=after(1))
    [vehicle] = plan.problem(drives(plan)).vehicles
    assert plan.points[vehicle.start or 0] == HOME
    assert (vehicle.earliest, vehicle.used) == (1200, (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("state", "filled", "used"),
    [(COMPLETED, 20_040, 201), (FAILED, None, 0), (COMPLETED, 400_000, 3000)],
)
def test_truck_has_used_what_was_filled_and_no_more_than_its_tank(state, filled, used):
    booking = a_booking(NORTH, state=state, filled_milligallons=filled)
    stop = a_stop(booking, driving_at=EIGHT, ended_at=after(0.5))
    plan = a_plan([a_route(1, stop)], [], now=after(1))
    assert plan.problem(drives(plan)).vehicles[0].used == (used, 0, 0, 0)


def test_started_stops_stay_first_as_they_are():
    done = a_stop(a_booking(NORTH), driving_at=EIGHT, ended_at=after(0.5), is_pinned=True)
    waiting = a_booking(SOUTH, (2, 4))
    plan = a_plan([a_route(1, done, a_stop(waiting))], [waiting], now=after(1))
    found, _ = planned(plan)
    first, second = found["shift-1"]
    assert (first.id, first.leg_s, first.begins_at) == (done.id, 600, EIGHT)
    assert first.is_pinned
    assert (second.id, second.begins_at, second.is_pinned) == (waiting.id, after(2), False)


def test_stops_begin_as_they_are_expected_to():
    cars = [a_booking(NORTH), a_booking(NEXT_DOOR), a_booking(SOUTH), a_booking(HOME, (4, 6))]
    plan = a_plan([a_route()], cars)
    problem = plan.problem(drives(plan))
    [stops] = plan.new_stops(problem.seconds, Solution(((0, 1, REFILL_JOB, 2, 3),))).values()
    assert [stop.id for stop in stops] == [cars[0].id, cars[1].id, "", cars[2].id, cars[3].id]
    known = {car.id: car for car in cars}
    route = TruckRoute(
        a_route().shift,
        tuple(
            a_stop(known.get(stop.id), leg_s=stop.leg_s, begins_at=stop.begins_at) for stop in stops
        ),
    )
    times = estimate_times(route, plan.now, ServiceTimes())
    assert [each.begins_at for each in times] == [stop.begins_at for stop in stops]
    [first, second, refill, *_, last] = [stop.begins_at for stop in stops]
    assert second - first == timedelta(minutes=11, seconds=stops[1].leg_s)
    assert refill - second == timedelta(minutes=7, seconds=stops[2].leg_s)
    assert last == after(4)


def test_plan_of_a_truck_on_the_road_knows_since_when_it_is_work():
    """It works since eight, at eleven two hours are left, and a break is in the plan's times."""
    done = a_stop(a_booking(HOME), driving_at=after(0), arrived_at=after(0), ended_at=after(2.9))
    times = ServiceTimes(rest=30, work=300, near=11)
    cars = [a_booking(HOME, (3, 9)) for _ in range(12)]
    plan = a_plan([a_route(1, done)], cars, now=after(3), times=times)
    problem = plan.problem(drives(plan))
    [vehicle] = problem.vehicles
    assert (vehicle.works_from, vehicle.earliest) == (-3 * 3600, 0)
    tour = tuple(range(12))
    scheduled = schedule_tour(
        jobs_of(problem, vehicle, tour),
        legs_of(problem, vehicle, tour),
        vehicle.earliest,
        vehicle.breaks,
        vehicle.works_from,
    )
    [[_, *stops]] = plan.new_stops(problem.seconds, Solution((tour,))).values()
    assert [stop.begins_at for stop in stops] == [
        after(3) + timedelta(seconds=each) for each in scheduled.begins
    ]
    gaps = [b - a for a, b in pairwise(scheduled.begins)]
    assert (gaps[8:11], set(gaps[:9])) == ([660, 660 + 1800, 660], {660})


def test_shift_without_stops_has_an_empty_route():
    found, reasons = planned(a_plan([a_route(1), a_route(2)], []))
    assert (found, reasons) == ({"shift-1": [], "shift-2": []}, {})


def test_pinned_booking_stays_on_its_truck():
    booking = a_booking(NORTH)
    far = a_route(1, a_stop(booking, is_pinned=True), home=SOUTH)
    plan = a_plan([far, a_route(2, home=NORTH)], [booking, a_booking(NORTH)])
    found, _ = planned(replace(plan, pins={booking.id: "shift-1"}))
    [stop] = found["shift-1"]
    assert (stop.id, stop.is_pinned) == (booking.id, True)
    assert [stop.is_pinned for stop in found["shift-2"]] == [False]


def test_truck_refills_at_home_when_a_tank_is_empty():
    cars = [a_booking(NORTH, (n, n + 1), gallons=15) for n in (0, 3, 6)]
    found, _ = planned(a_plan([a_route(tanks={"regular": 30 * GALLON})], cars))
    stops = [stop.id for stop in found["shift-1"]]
    assert (stops.count(""), stops[0], stops[-1]) == (1, cars[0].id, cars[2].id)


FAR = Point(27.30, -82.42)  # half an hour from home


@pytest.mark.parametrize(
    ("booking", "shift", "reason"),
    [
        (a_booking(grade="premium"), {}, "No truck on shift carries premium."),
        (a_booking(gallons=301), {}, "It needs 301.0 gallons of regular; a truck carries 300.0."),
        (a_booking(FAR, (0, 0.1)), {}, "It cannot be reached by 8:06 AM."),
        (a_booking(FAR, (-6, -4)), {}, "It cannot be reached by 4:00 AM."),
        (a_booking(FAR), {"hours": (0, 0.5)}, "It does not fit into a truck's shift."),
        (a_booking(FAR), {"hours": (-5, -4)}, "It does not fit into a truck's shift."),
    ],
)
def test_booking_that_no_truck_takes_has_a_reason(booking, shift, reason):
    found, reasons = planned(a_plan([a_route(**shift)], [booking]))
    assert (found, reasons) == ({"shift-1": []}, {booking.id: reason})


def test_booking_that_meets_others_in_its_window_has_a_reason():
    cars = [a_booking(NORTH, (0, 0.25)), a_booking(SOUTH, (0, 0.25))]
    _, reasons = planned(a_plan([a_route(home=Point(27.36, -82.52))], cars))
    assert list(reasons.values()) == ["It does not fit in between the other stops."]


def test_booking_that_would_need_one_more_refill_has_a_reason():
    cars = [a_booking(NORTH, gallons=15), a_booking(NORTH, gallons=15)]
    route = a_route(tanks={"regular": 20 * GALLON}, hours=(0, 1))
    _, reasons = planned(a_plan([route], cars))
    assert list(reasons.values()) == ["The other stops leave too little fuel for it."]


@pytest.mark.parametrize(
    ("grade", "shift", "reason"),
    [
        ("regular", "shift-9", "The truck that it is pinned to takes no stops."),
        ("diesel", "shift-1", "The truck that it is pinned to carries no diesel."),
        ("regular", "shift-1", "It does not fit into a truck's shift. It is pinned to Truck 1."),
    ],
)
def test_booking_that_its_own_truck_cannot_take_has_a_reason(grade, shift, reason):
    small = a_route(1, tanks={"regular": 300 * GALLON}, hours=(0, 0.1))
    booking = a_booking(NORTH, grade=grade)
    plan = a_plan([small, a_route(2)], [booking], {booking.id: shift})
    found, reasons = planned(plan)
    assert (found, reasons) == ({"shift-1": [], "shift-2": []}, {booking.id: reason})


def test_day_without_trucks_leaves_every_booking_out():
    booking = a_booking()
    found, reasons = planned(a_plan([], [booking]))
    assert (found, reasons) == ({}, {booking.id: "No truck on shift carries regular."})


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
    assert reason in why_unserved(problem, Solution(((1,),), (0,)), 0, after(4))
