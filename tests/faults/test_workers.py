"""Workers share one port: a killed one is replaced, and all end with the first process."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.deployment import METRICS_TOKEN, counted
from tests.servers import redis_server
from tests.site import Process, prepare
from tests.waiting import came_true

ASKED = 20
SOON_S = 30


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Process]:
    with redis_server() as redis:
        settings = {
            "FUEL_DATABASE_URL": f"sqlite:///{tmp_path / 'fuel.db'}",
            "FUEL_REDIS_URL": redis.url,
            "FUEL_METRICS_TOKEN": METRICS_TOKEN,
            "FUEL_WORKERS": "2",
        }
        prepare(settings)
        with Process(tmp_path / "site.log", settings) as process:
            yield process


def workers(site: Process) -> set[psutil.Process]:
    return {each for each in site.family() if _is_worker(each)}


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # just killed
        return False


@pytest.mark.long
def test_workers_share_a_port_are_counted_together_and_replaced(site):
    for _ in range(ASKED):
        assert httpx.get(f"{site.url}/health").status_code == 200
    assert counted(site, "fuel_http_request_seconds_count", route="/health") == ASKED
    first = workers(site)
    first.pop().kill()
    (left,) = first

    assert came_true(lambda: len(workers(site) - {left}) == 1, within=SOON_S)
    assert httpx.get(f"{site.url}/health").status_code == 200
    second = workers(site)
    site.stop()
    assert came_true(lambda: not any(each.is_running() for each in second), within=SOON_S)
