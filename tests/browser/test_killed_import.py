"""The server is killed in the middle of an import: all of the file's rows are there, or none."""

import httpx

from tests.lead_files import people, table
from tests.site import Site, served
from tests.waiting import came_true

ROWS = 12_000
DEADLINE_S = 240


def send(site: Site, data: bytes) -> httpx.Response:
    address = f"{site.url}/api/leads/imports?name=leads.csv"
    return httpx.post(address, content=data, cookies=site.staff_cookie(), timeout=30)


def stored(site: Site) -> tuple[int, int]:
    ((waiting, listed),) = site.rows(
        "SELECT (SELECT count(*) FROM waitlist_submissions), (SELECT count(*) FROM leads)"
    )
    return waiting, listed


def latest(site: Site) -> tuple[str, int]:
    return site.rows("SELECT state, imported FROM lead_imports ORDER BY started_at DESC LIMIT 1")[0]


def test_a_killed_server_leaves_no_half_file_and_doubles_nothing(tmp_path):
    data = table(*people(ROWS))
    with served(tmp_path) as site:
        assert send(site, data).status_code == 202
        assert came_true(lambda: stored(site)[1] > 1_000, within=DEADLINE_S)
        for process in site.processes():
            process.kill()
    waiting, listed = stored(site)
    assert 1_000 < waiting == listed < ROWS
    assert latest(site) == ("running", listed)
    with served(tmp_path) as site:
        assert came_true(lambda: latest(site)[0] == "failed", within=DEADLINE_S)
        assert stored(site) == (0, 0)
        assert latest(site) == ("failed", 0)
        assert send(site, data).status_code == 202
        assert came_true(lambda: latest(site)[0] == "done", within=DEADLINE_S)
        assert latest(site) == ("done", ROWS)
        assert stored(site) == (ROWS, ROWS)
