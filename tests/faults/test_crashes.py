"""A process that is killed loses nothing that it has confirmed, and leaves nothing half done."""

from tests.faults import crashes
from tests.faults.crowd import NOTHING


async def test_a_killed_process_loses_no_join(site):
    outcome = await crashes.during_joins(site, people=60, per_second=60)
    assert outcome.served == 60
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert NOTHING not in outcome.meanwhile
    assert outcome.recovered_s


async def test_one_killed_process_of_two_loses_no_join(deployed):
    outcome = await crashes.during_joins(deployed, people=60, per_second=60)
    assert outcome.served == 60
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert NOTHING not in outcome.meanwhile


async def test_an_import_whose_process_is_killed_goes_on_where_it_was(site):
    outcome = await crashes.during_an_import(site, rows=10_000)
    assert outcome.served == 10_000
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert "the import is done by itself" in outcome.meanwhile
