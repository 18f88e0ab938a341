"""Days on which the worker is away, or the clock is wrong: all is done once."""

import pytest

from tests.faults.living import outcome_of
from tests.faults.nights import NIGHTS

pytestmark = pytest.mark.long


def test_a_worker_that_was_away_for_a_day_catches_up(database_url):
    outcome = outcome_of(database_url, "tests.faults.absence")
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert outcome.meanwhile.startswith("too late and not sent: ")


@pytest.mark.parametrize("night", NIGHTS)
def test_a_clock_that_is_set_forward_and_back_repeats_and_loses_nothing(database_url, night):
    outcome = outcome_of(database_url, "tests.faults.nights", str(night))
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
