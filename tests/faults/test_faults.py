"""Nothing confirmed is lost or stored twice, whatever breaks, and the site recovers by itself."""

import pytest

from fuel_app.submissions.rules.imports import BYTES_MAX
from tests.faults import crashes, disks, outages, uploads
from tests.faults.crowd import NO_ANSWER
from tests.faults.outcome import Outcome
from tests.faults.sockets import joins_beside_idle_connections

pytestmark = pytest.mark.long

MORE_THAN_THE_BACKLOG = 1_100  # connections
IN_FLIGHT_MAX = 16 * 2**20  # bytes in the systems' buffers when the answer comes


def assert_held(outcome: Outcome, served: int) -> None:
    assert outcome.served == served
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert NO_ANSWER not in outcome.meanwhile


async def test_a_killed_process_loses_no_join(site):
    outcome = await crashes.during_joins(site, people=60, per_second=60)
    assert_held(outcome, served=60)
    assert outcome.recovered_s


async def test_one_killed_process_of_two_loses_no_join(deployed):
    outcome = await crashes.during_joins(deployed, people=60, per_second=60)
    assert_held(outcome, served=60)
    assert outcome.recovered_s


async def test_an_import_resumes_after_its_process_is_killed(site):
    outcome = await crashes.during_an_import(site, rows=10_000)
    assert_held(outcome, served=10_000)
    assert "the import is done by itself" in outcome.meanwhile


async def test_a_full_disk_loses_no_join(tmp_path):
    try:
        with disks.small_disk(tmp_path) as site:
            outcome = await disks.full(site, rows=2_000, people=80, per_second=20)
    except PermissionError as error:
        pytest.skip(str(error))
    assert_held(outcome, served=2_080)
    assert "answer [200, 200]" in outcome.meanwhile
    assert "the import is done" in outcome.meanwhile
    assert outcome.recovered_s


async def test_a_database_outage_loses_no_join(deployed):
    outcome = await outages.database_gone(deployed, seconds=2, rows=1_500, people=60, per_second=40)
    assert_held(outcome, served=1_560)
    assert "the import is done" in outcome.meanwhile
    assert outcome.recovered_s


async def test_an_emptied_redis_loses_no_join(deployed):
    outcome = await outages.redis_gone(deployed, seconds=2, people=60, per_second=40)
    assert_held(outcome, served=61)
    assert outcome.recovered_s


async def test_idle_connections_do_not_block_visitors(site):
    outcome = await joins_beside_idle_connections(
        site, idle=MORE_THAN_THE_BACKLOG, slow=50, people=20, per_second=20
    )
    assert_held(outcome, served=20)


async def test_an_upload_of_a_gigabyte_is_refused_early(site):
    for attempt in await uploads.a_gigabyte_each(site):
        assert attempt.status == uploads.CUT_OFF or 400 <= attempt.status < 500, attempt
        assert attempt.sent <= IN_FLIGHT_MAX + (0 if attempt.says_length else BYTES_MAX), attempt
