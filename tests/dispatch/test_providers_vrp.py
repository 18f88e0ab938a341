"""Property tests of the search, and its answers to small problems."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isfinite

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.providers.tours import balance, shorten, work_of
from fuel_app.dispatch.rules.breaks import NO_BREAKS, Breaks
from fuel_app.dispatch.rules.day_plan import (
    REFILL_JOB,
    Job,
    Matrix,
    Problem,
    Solution,
    Vehicle,
    fits,
    legs_of,
)

pytestmark = pytest.mark.slow

SOON = 0.03  # seconds of searching


def solve(problem: Problem) -> Solution:
    """Search until nothing shorter is found, however slow this machine is."""
    return vrp.solve(problem, seconds=60)


@st.composite
def matrices(draw: st.DrawFn, places: int) -> Matrix:
    """Draw driving times between points on a plane, a second per meter, with missing roads."""
    where = st.tuples(st.integers(0, 3000), st.integers(0, 3000))
    points = [draw(where) for _ in range(places)]
    missing = draw(st.sets(st.integers(0, places - 1), max_size=1))
    return tuple(
        tuple(
            inf if a != b and {a, b} & missing else float(abs(ax - bx) + abs(ay - by))
            for b, (bx, by) in enumerate(points)
        )
        for a, (ax, ay) in enumerate(points)
    )


@st.composite
def jobs(draw: st.DrawFn, place: int, count: int) -> Job:
    opens = draw(st.sampled_from([0, 2000, 7200]))
    beside = draw(st.sets(st.integers(0, count - 1), max_size=2)) - {place - 1}
    return Job(
        place,
        service=draw(st.sampled_from([0, 60, 600.5])),
        earliest=opens,
        latest=draw(st.sampled_from([inf, -10, opens + 100, opens + 500, opens + 7200])),
        loads=(draw(st.integers(0, 30)), draw(st.integers(0, 30))),
        near=frozenset(beside),
        service_near=draw(st.sampled_from([0, 300, 900])),
    )


@st.composite
def vehicles(draw: st.DrawFn) -> Vehicle:
    start, end = draw(st.sampled_from([None, 0])), draw(st.sampled_from([None, 0]))
    tanks = draw(st.sampled_from([(), (40, 40), (60, 0)]))
    return Vehicle(
        start,
        end,
        tanks=tanks,
        earliest=draw(st.sampled_from([0, 100.5])),
        latest=draw(st.sampled_from([inf, 9000, 50])),
        used=tuple(draw(st.integers(0, tank)) for tank in tanks),
        refill=None if end is None else draw(st.sampled_from([None, 1200])),
        breaks=draw(st.sampled_from([NO_BREAKS, Breaks(600, 2000)])),
        works_from=draw(st.sampled_from([None, -500])),
    )


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    count = draw(st.integers(1, 8))
    every = tuple(draw(jobs(place, count)) for place in range(1, count + 1))
    fleet = draw(st.lists(vehicles(), max_size=3))
    return Problem(draw(matrices(count + 1)), every, tuple(fleet))


def assert_driven(problem: Problem, vehicle: Vehicle, tour: Sequence[int]) -> None:
    """Drive a tour step by step, and look at the clock and the tanks."""
    place, clock, before = vehicle.start, vehicle.earliest, None
    used = vehicle.used or (0, 0)
    for index in tour:
        job = Job(vehicle.end or 0) if index == REFILL_JOB else problem.jobs[index]
        clock += 0 if place is None else problem.seconds[place][job.place]
        if index == REFILL_JOB:
            assert vehicle.refill
            clock, used = clock + vehicle.refill, (0, 0)
        else:
            clock = max(clock, job.earliest)
            assert clock <= job.latest
            clock += job.service_near if before in job.near else job.service
            used = (used[0] + job.loads[0], used[1] + job.loads[1]) if job.loads else used
            assert not vehicle.tanks or all(
                a <= b for a, b in zip(used, vehicle.tanks, strict=True)
            )
        place, before = job.place, index
    if place is not None and vehicle.end is not None:
        clock += problem.seconds[place][vehicle.end]
    assert clock <= vehicle.latest
    assert isfinite(clock)


def assert_valid(problem: Problem, found: Solution) -> None:
    served = [index for tour in found.tours for index in tour if index != REFILL_JOB]
    assert sorted([*served, *found.unserved]) == list(range(len(problem.jobs)))
    for vehicle, tour in zip(problem.vehicles, found.tours, strict=True):
        assert not tour or tour[-1] != REFILL_JOB
        if tour:
            if not vehicle.breaks.lasts:  # else as the rule of breaks has it
                assert_driven(problem, vehicle, tour)
            assert fits(problem, vehicle, tour)


@given(problems())
def test_solution_keeps_windows_tanks_and_shifts(problem):
    assert_valid(problem, vrp.solve(problem, seconds=SOON))


@given(problems())
def test_balance_evens_the_work_out_at_no_more_driving_than_it_may_cost(problem):
    found = vrp.solve(problem, seconds=SOON)
    even = replace(problem, balance=0.03)
    tours = [list(tour) for tour in found.tours]
    balance(even, tours)
    assert_valid(problem, Solution(tuple(map(tuple, tours)), found.unserved))
    assert driving(problem, tours) <= 1.03 * driving(problem, found.tours) + 0.001
    assert sum(each**2 for each in work(problem, tours)) <= sum(
        each**2 for each in work(problem, found.tours)
    )


def driving(problem: Problem, tours: Sequence[Sequence[int]]) -> float:
    pairs = zip(problem.vehicles, tours, strict=True)
    return sum(sum(legs_of(problem, vehicle, tour)) for vehicle, tour in pairs if tour)


def work(problem: Problem, tours: Sequence[Sequence[int]]) -> list[float]:
    return [work_of(problem, *each) for each in zip(problem.vehicles, tours, strict=True)]


def test_second_truck_takes_half_of_what_lies_on_one_way():
    """Both trucks stand where all cars stand: no driving is saved by either."""
    every = tuple(Job(1, 600) for _ in range(6))
    problem = Problem(street(1), every, (truck(), truck()))
    tours = [[0, 1, 2, 3, 4, 5], []]
    balance(replace(problem, balance=0.0), tours)
    assert tours[1] == []
    balance(replace(problem, balance=1.0), tours)
    assert [len(tour) for tour in tours] == [3, 3]
    late = [[0, 1, 2, 3, 4, 5], []]
    balance(replace(problem, balance=1.0), late, seconds=0)
    assert late[1] == []


def test_break_leaves_time_for_one_stop_less():
    """Four hours of fills without a break, of which the shift has four and a half."""
    every = tuple(Job(1, 3600) for _ in range(4))
    shift = truck(latest=120 + 4.4 * 3600)
    rests = replace(shift, breaks=Breaks(1800, 3 * 3600))
    assert solve(Problem(STREET, every, (shift,))).unserved == ()
    assert len(solve(Problem(STREET, every, (rests,))).unserved) == 1
    longer = replace(rests, latest=120 + 4.5 * 3600)
    assert solve(Problem(STREET, every, (longer,))).unserved == ()


def test_break_takes_no_stop_off_that_comes_first():
    every = (*(Job(1, 3600) for _ in range(3)), Job(1, 3600, comes_first=True))
    rests = truck(latest=120 + 4.4 * 3600, breaks=Breaks(1800, 3 * 3600))
    problem = Problem(STREET, every, (rests,))
    assert 3 in shorten(problem, rests, [0, 1, 2, 3])
    no_way = truck(latest=60, breaks=rests.breaks)
    assert shorten(Problem(STREET, every, (no_way,)), no_way, [3]) == []


@given(problems(), st.data())
def test_fixed_last_stop_stays_last(problem, data):
    last = data.draw(st.integers(0, len(problem.jobs) - 1))
    only = replace(data.draw(vehicles()), end=None, last=last, refill=None)
    problem = Problem(problem.seconds, problem.jobs, (only,))
    assume(fits(problem, only, [last]))
    found = vrp.solve(problem, seconds=SOON)
    assert_valid(problem, found)
    assert found.tours[0][-1] == last


@given(st.integers(1, 7).flatmap(lambda count: matrices(count + 1)))
def test_without_limits_every_reachable_stop_is_served(seconds):
    places = range(1, len(seconds))
    problem = Problem(seconds, tuple(Job(place) for place in places), (Vehicle(start=0),))
    found = vrp.solve(problem, seconds=SOON)
    roads = [index for index, place in enumerate(places) if isfinite(seconds[0][place])]
    assert sorted(found.tours[0]) == roads


def street(stops: int) -> Matrix:
    """Return a minute from each house to the next."""
    return tuple(tuple(60.0 * abs(a - b) for b in range(stops + 1)) for a in range(stops + 1))


def test_short_tour_is_optimal():
    shuffled = tuple(Job(place) for place in (5, 2, 8, 1, 7, 3, 6, 4))
    problem = Problem(street(8), shuffled, (Vehicle(start=0),))
    [tour] = solve(problem).tours
    assert sum(legs_of(problem, problem.vehicles[0], tour)) == 8 * 60


def test_search_says_its_share_and_ends_when_told_to():
    problem = Problem(street(8), tuple(Job(place) for place in range(1, 9)), (Vehicle(start=0),))
    shares: list[float] = []

    def watch(share: float) -> bool:
        shares.append(share)
        return len(shares) == 5

    found = vrp.solve(problem, seconds=60, watch=watch)
    assert_valid(problem, found)
    assert len(shares) == 5
    assert 0 <= min(shares) <= max(shares) < 1


def test_unreachable_stop_costs_no_other_stop():
    late = Job(5, latest=100)  # it takes 300 to get there
    problem = Problem(
        street(5), (*(Job(place) for place in range(1, 5)), late), (Vehicle(start=0),)
    )
    found = solve(problem)
    assert (found.tours, found.unserved) == (((0, 1, 2, 3),), (4,))


@pytest.mark.parametrize("count", [1, 2])
def test_fixed_last_stop_leaves_nothing_to_search(count):
    every = tuple(Job(place) for place in range(1, count + 1))
    problem = Problem(street(count), every, (Vehicle(start=0, last=count - 1),))
    assert solve(problem).tours[0][-1] == count - 1


STREET = street(6)
LATER = 4 * 3600


def truck(*tanks: int, **differs) -> Vehicle:
    return Vehicle(start=0, end=0, tanks=tanks, refill=1200, **differs)


def test_truck_refills_at_home_where_its_tank_runs_dry():
    every = tuple(Job(place, 60, loads=(10,)) for place in (1, 2, 3, 4))
    [tour] = solve(Problem(STREET, every, (truck(20),))).tours
    assert (sorted(tour), tour.index(REFILL_JOB)) == ([REFILL_JOB, 0, 1, 2, 3], 2)


def test_empty_truck_refills_before_its_first_stop():
    problem = Problem(STREET, (Job(1, loads=(10,)),), (truck(20, used=(20,)),))
    assert solve(problem).tours == ((REFILL_JOB, 0),)


def test_grades_have_tanks_of_their_own():
    every = (Job(1, loads=(10, 0)), Job(2, loads=(0, 10)), Job(3, loads=(0, 10)))
    found = solve(Problem(STREET, every, (truck(10, 0), truck(0, 20))))
    assert (found.tours[0], sorted(found.tours[1])) == ((0,), [1, 2])


def test_second_car_beside_the_first_one_takes_less_time():
    first = Job(1, 660, near=frozenset({1}), service_near=420)
    second = Job(1, 660, near=frozenset({0}), service_near=420)
    shift = truck(latest=60 + 660 + 420 + 60)
    assert solve(Problem(STREET, (first, second), (shift,))).unserved == ()
    apart = (Job(1, 660), Job(1, 660))
    hurried = truck(latest=60 + 660 + 660 + 59)
    assert len(solve(Problem(STREET, apart, (hurried,))).unserved) == 1


def test_car_with_another_beside_it_is_served_in_a_window_that_closes_soon():
    every = (
        Job(1, 660, latest=60, near=frozenset({1}), service_near=420),
        Job(1, 660, latest=LATER, near=frozenset({0}), service_near=420),
    )
    assert solve(Problem(STREET, every, (truck(),))).tours == ((0, 1),)


@pytest.mark.parametrize(
    ("every", "fleet"),
    [
        ((), (truck(),)),
        ((), ()),
        ((Job(1),), ()),
        ((Job(1, earliest=10, latest=-5),), (truck(),)),
        ((Job(0),), (truck(earliest=100, latest=50),)),
        ((Job(1, loads=(1,)),), (truck(0),)),
        ((Job(1, loads=(9,)),), (truck(8),)),
    ],
)
def test_nothing_that_can_be_done_leaves_every_job_unserved(every, fleet):
    found = solve(Problem(STREET, every, fleet))
    assert found == Solution(((),) * len(fleet), tuple(range(len(every))))


@pytest.mark.parametrize(
    ("comes_first", "tour", "left"), [(True, (0,), [1, 2, 3]), (False, (1, 2, 3), [0])]
)
def test_job_that_comes_first_is_left_out_for_no_number_of_others(comes_first, tour, left):
    large = Job(1, loads=(30,), comes_first=comes_first)
    small = (Job(place, loads=(10,)) for place in (2, 3, 4))
    problem = Problem(street(4), (large, *small), (Vehicle(start=0, tanks=(30,)),))
    found = solve(problem)
    assert (tuple(sorted(found.tours[0])), list(found.unserved)) == (tour, left)
