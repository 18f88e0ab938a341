"""Property tests of the search, and its answers to small problems."""

from math import inf, isfinite

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.rules.problem import Job, Matrix, Problem, Solution, Vehicle, fits, legs_of

pytestmark = pytest.mark.slow

SOON = 0.03  # seconds of searching


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
def jobs(draw: st.DrawFn, place: int) -> Job:
    opens = draw(st.sampled_from([0, 2000, 7200]))
    return Job(
        place,
        service=draw(st.sampled_from([0, 60, 600.5])),
        earliest=opens,
        latest=draw(st.sampled_from([inf, opens + 500, opens + 7200])),
        loads=(draw(st.integers(0, 30)), draw(st.integers(0, 30))),
    )


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    count = draw(st.integers(1, 8))
    several = draw(st.integers(1, 3))
    every = tuple(draw(jobs(place)) for place in range(1, count + 1))
    start, end = st.sampled_from([None, 0]), st.sampled_from([None, 0])
    fleet = [
        Vehicle(
            draw(start),
            draw(end),
            tanks=draw(st.sampled_from([(), (40, 40), (60, 0)])),
            earliest=draw(st.sampled_from([0, 100.5])),
            latest=draw(st.sampled_from([inf, 9000])),
        )
        for _ in range(several)
    ]
    return Problem(draw(matrices(count + 1)), every, tuple(fleet))


def assert_valid(problem: Problem, found: Solution) -> None:
    served = [index for tour in found.tours for index in tour]
    assert sorted([*served, *found.unserved]) == list(range(len(problem.jobs)))
    for vehicle, tour in zip(problem.vehicles, found.tours, strict=True):
        assert not tour or fits(problem, vehicle, tour)


@given(problems())
def test_solution_keeps_windows_capacities_and_shifts(problem):
    assert_valid(problem, vrp.solve(problem, seconds=SOON))


@given(problems(), st.data())
def test_fixed_last_stop_stays_last(problem, data):
    last = data.draw(st.integers(0, len(problem.jobs) - 1))
    [first, *_] = problem.vehicles
    only = Vehicle(first.start, None, last, first.tanks, first.earliest, first.latest)
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
    [tour] = vrp.solve(problem).tours
    assert sum(legs_of(problem, problem.vehicles[0], tour)) == 8 * 60


def test_unreachable_stop_costs_no_other_stop():
    late = Job(5, latest=100)  # it takes 300 to get there
    problem = Problem(
        street(5), (*(Job(place) for place in range(1, 5)), late), (Vehicle(start=0),)
    )
    found = vrp.solve(problem)
    assert (found.tours, found.unserved) == (((0, 1, 2, 3),), (4,))


@pytest.mark.parametrize("count", [1, 2])
def test_fixed_last_stop_leaves_nothing_to_search(count):
    every = tuple(Job(place) for place in range(1, count + 1))
    problem = Problem(street(count), every, (Vehicle(start=0, last=count - 1),))
    assert vrp.solve(problem).tours[0][-1] == count - 1
