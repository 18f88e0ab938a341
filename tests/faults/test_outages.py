"""The database or Redis is gone for a while: calm words meanwhile, then all goes on by itself."""

from tests.faults import outages
from tests.faults.crowd import NOTHING


async def test_a_database_outage_loses_no_join(deployed):
    outcome = await outages.database_gone(deployed, seconds=2, rows=1_500, people=60, per_second=40)
    assert outcome.served == 1_560
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert "the import is done" in outcome.meanwhile
    assert NOTHING not in outcome.meanwhile
    assert outcome.recovered_s


async def test_an_emptied_redis_loses_no_join(deployed):
    outcome = await outages.redis_gone(deployed, seconds=2, people=60, per_second=40)
    assert outcome.served == 61
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert NOTHING not in outcome.meanwhile
    assert outcome.recovered_s
