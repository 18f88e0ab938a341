"""OSRM itself, on a real map: its tables, its drives, and points without a road."""

import random
import subprocess
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from math import inf

import httpx
import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers.routing import NEAR_M, OsrmRouting
from fuel_app.kit.errors import RouteFailed
from tests.osrm_provision import FOLDER, GRAPH, PROGRAMS, is_ready
from tests.servers import free_port
from tests.waiting import came_true

pytestmark = pytest.mark.long

IN_MONACO = (Point(43.7347, 7.4206), Point(43.7400, 7.4270), Point(43.7320, 7.4180))
AT_SEA = Point(43.7100, 7.4600)
DAYS, STOPS = 20, 30


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Run OSRM. Yield its address."""
    assert is_ready(), "Run `python -m tests.osrm_provision` first, as `make prove` does."
    port = free_port()
    command = [PROGRAMS / "osrm-routed", "--algorithm", "mld", "-i", "127.0.0.1"]
    server = subprocess.Popen(
        [*command, "-p", str(port), GRAPH.name], cwd=FOLDER, stdout=subprocess.DEVNULL
    )
    at = f"http://127.0.0.1:{port}"
    try:
        assert came_true(lambda: _answers(at), within=60)
        yield at
    finally:
        server.terminate()
        server.wait()


def _answers(address: str) -> bool:
    try:
        return httpx.get(f"{address}/nearest/v1/driving/7.42,43.73").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture
async def osrm(address: str) -> AsyncIterator[OsrmRouting]:
    """Yield the provider that asks it."""
    provider = OsrmRouting(address)
    yield provider
    await provider._client.aclose()


def a_day(seed: int) -> list[Point]:
    chance = random.Random(seed)
    return [
        Point(chance.uniform(43.7270, 43.7480), chance.uniform(7.4110, 7.4360))
        for _ in range(STOPS)
    ]


async def test_drive_takes_as_long_as_the_matrix_says(osrm):
    for seed in range(DAYS):
        points = a_day(seed)
        matrix = await osrm.matrix(points, near_m=5_000)
        drive = await osrm.drive(points, near_m=5_000)
        planned = [matrix[a][b] for a, b in pairwise(range(STOPS))]
        assert [leg.seconds for leg in drive.legs] == pytest.approx(planned, abs=1)


async def test_drive_that_may_not_turn_at_a_stop_is_longer(address, osrm):
    """The days are such that the proof above would notice."""
    where = ";".join(f"{point.lng:.6f},{point.lat:.6f}" for point in a_day(0))
    async with httpx.AsyncClient() as client:
        answer = (await client.get(f"{address}/route/v1/driving/{where}")).json()
    drive = await osrm.drive(a_day(0), near_m=5_000)
    assert answer["routes"][0]["duration"] > 1.05 * sum(leg.seconds for leg in drive.legs)


async def test_no_road_leads_to_a_point_at_sea(osrm):
    points = [*IN_MONACO, AT_SEA]
    matrix = await osrm.matrix(points, near_m=NEAR_M)
    assert [row[3] for row in matrix] == [inf] * 4
    assert matrix[3] == (inf,) * 4
    assert all(cell < inf for row in matrix[:3] for cell in row[:3])
    with pytest.raises(RouteFailed, match="No road leads there"):
        await osrm.drive(points, near_m=NEAR_M)
    assert (await osrm.matrix(points, near_m=10_000))[0][3] < inf


async def test_table_of_more_points_than_a_request_takes_is_whole(osrm):
    points = [point for seed in range(4) for point in a_day(seed)][:101]
    matrix = await osrm.matrix(points, near_m=5_000)
    assert len(matrix) == 101
    some = [0, 49, 50, 100]
    alone = await osrm.matrix([points[at] for at in some], near_m=5_000)
    assert [[matrix[a][b] for b in some] for a in some] == [list(row) for row in alone]
