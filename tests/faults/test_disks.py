"""A full disk: calm words, nothing half written, and all goes on when there is room."""

import pytest

from tests.faults import disks


async def test_a_full_disk_loses_no_join(tmp_path):
    try:
        with disks.small_disk(tmp_path) as site:
            outcome = await disks.full(site, rows=2_000, people=80, per_second=20)
    except PermissionError as error:
        pytest.skip(str(error))
    assert outcome.served == 2_080
    assert (outcome.lost, outcome.doubled, outcome.half) == (0, 0, 0)
    assert "answer [200, 200]" in outcome.meanwhile
    assert "the import is done" in outcome.meanwhile
    assert outcome.recovered_s
