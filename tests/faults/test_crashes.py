"""A process that is killed loses nothing that it has confirmed, and leaves nothing half done."""

import asyncio

import pytest

from tests.faults import crashes

pytestmark = pytest.mark.slow


async def test_a_process_that_is_killed_while_people_join_loses_nobody(tmp_path):
    async with asyncio.timeout(180):
        outcome = await crashes.during_joins(tmp_path, people=90, per_second=90)
    assert outcome.served == 90
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert outcome.recovered_s
