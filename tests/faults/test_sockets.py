"""Many who say nothing keep nobody else from being served, and are sent away."""

from tests.faults.sockets import silent_crowd

MORE_THAN_A_SERVER_TAKES_BY_ITSELF = 1_100


async def test_silent_connections_do_not_block_visitors(site):
    silent = MORE_THAN_A_SERVER_TAKES_BY_ITSELF
    outcome = await silent_crowd(site, idle=silent, slow=50, people=20, per_second=20)
    assert outcome.served == 20
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
