"""Why a stop is left out: the plainest reason that holds."""

from math import inf

import pytest

from fuel_app.dispatch.rules.planning import why_unserved
from fuel_app.dispatch.rules.problem import Job, Problem, Solution, Vehicle
from tests.factories import stop

HALF_HOUR = ((0, 1800), (1800, 0))


@pytest.mark.parametrize(
    ("job", "vehicle", "seconds", "reason"),
    [
        (Job(1, gallons=9.5), Vehicle(0, capacity=9), HALF_HOUR, "needs 9.5 gallons; a truck"),
        (Job(1), Vehicle(0), ((0, inf), (inf, 0)), "No road leads there."),
        (Job(1), Vehicle(0, latest=60), HALF_HOUR, "not fit into a truck's shift"),
        (Job(1), Vehicle(0), HALF_HOUR, "not fit in between the other stops"),
    ],
)
def test_a_job_alone(job, vehicle, seconds, reason):
    problem = Problem(seconds, (job,), (vehicle,))
    assert reason in why_unserved(problem, Solution(((),), (0,)), 0, stop())
