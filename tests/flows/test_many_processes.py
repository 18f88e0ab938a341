"""Two processes behind nginx, with PostgreSQL and Redis, act as one site."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import httpx
import pytest
from aiohttp import ClientSession, TCPConnector, WSServerHandshakeError
from playwright.sync_api import FilePayload, Page, expect

from fuel_app.accounts.state.session import StaffLoginState
from tests import lead_files
from tests.deployment import Deployment, deployed
from tests.flows.conftest import alive
from tests.flows.joiners import WAITING, joining
from tests.flows.staff import row, sign_in
from tests.flows.visitor import (
    a_person,
    fill_in,
    found_neighborhood,
    join_waitlist,
    modal,
    open_waitlist,
    send,
)
from tests.site import Process, run
from tests.waiting import came_true
from tests.websocket import MESSAGE, Visitor

ON_THE_LIST = "You're on the List!"
FIND = "Find your neighborhood"
SOON_S = 20
UNFINISHED_JOIN = """
INSERT INTO waitlist_submissions
    (id, status, lead_source, created_at, first_name, last_name, email, phone_number, zip_code)
VALUES ('half', 'Not Contacted', 'Inbound', now(), 'Ada', 'Lovelace', $1, '9415550123', '34236')
"""

_words = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("deployment")
    with deployed(folder, FUEL_RATE_LIMITS="on") as running:
        yield running


@pytest.fixture
def visit(visit) -> Callable[..., Page]:
    """Accept the self-signed certificate."""
    return partial(visit, ignore_https_errors=True)


@pytest.fixture
def another_tab(witness) -> Callable[[Page, str], Page]:
    """Return a function that opens an address in another tab of a browser."""

    def open_tab(page: Page, address: str) -> Page:
        tab = page.context.new_page()
        witness.watch(tab)
        tab.goto(address)
        alive(tab)
        return tab

    return open_tab


@pytest.fixture
def name() -> str:
    """Return a first name that no other test uses."""
    return "Ada" + "e" * next(_words)


def test_visitors_at_both_processes_join_one_neighborhood(visit, site, zip_code):
    before = site.metric("fuel_event_seconds_count")
    pioneer = visit("/")
    join_waitlist(pioneer, zip_code)
    for _ in range(3):  # the tab's state is at every process
        pioneer.reload()
        alive(pioneer)
        expect(modal(pioneer).get_by_role("heading", name=FIND)).to_be_visible()
    link = found_neighborhood(pioneer, "Palm Grove")
    neighbors = [visit(link) for _ in range(3)]
    for neighbor in neighbors:
        expect(modal(neighbor).get_by_text("You are invited to Palm Grove")).to_be_visible()
        join_waitlist(neighbor, zip_code)
        modal(neighbor).get_by_role("button", name="Join Neighborhood").click()
        expect(modal(neighbor).get_by_role("heading", name=ON_THE_LIST)).to_be_visible()
    expect(modal(neighbors[-1]).get_by_text("4 neighbors")).to_be_visible()

    assert all(site.connected()), "each process serves some of the tabs"
    after = site.metric("fuel_event_seconds_count")
    assert all(more > some for some, more in zip(before, after, strict=True))
    members = "SELECT neighborhood_id FROM waitlist_submissions WHERE zip_code = $1"
    stored = site.rows(members, zip_code)
    assert (len(stored), len(set(stored))) == (4, 1)


def test_staff_at_both_processes_see_changes_live_and_sign_out_everywhere(
    visit, another_tab, site, zip_code, name
):
    first = visit("/submissions")
    sign_in(first)
    (cookie,) = first.context.cookies()
    flags = [cookie[name] for name in ("name", "path", "httpOnly", "secure", "sameSite")]
    assert flags == ["__Host-fuel-session", "/", True, True, "Lax"]
    tabs = [first, *(another_tab(first, "/submissions") for _ in range(3))]
    assert all(site.connected())
    for tab in tabs:
        expect(tab.get_by_role("heading", name="Submissions", exact=True)).to_be_visible()

    first.get_by_role("button", name="Upload CSV").click()
    data = lead_files.table(*lead_files.people(50_000))
    file = FilePayload(name="many.csv", mimeType="text/csv", buffer=data)
    modal(first).get_by_label("Choose a CSV file").set_input_files(file)
    modal(first).get_by_role("button", name="Import 50,000 rows").click(timeout=60_000)
    for tab in tabs[1:]:
        tab.get_by_role("button", name="Importing...").click()
        expect(modal(tab).get_by_text("of 50,000 rows")).to_be_visible()
    join_waitlist(visit("/"), zip_code, **{"First name": name})
    modal(tabs[-1]).get_by_role("button", name="Cancel import").click()
    for tab in tabs:
        many = modal(tab).get_by_role("listitem").filter(has_text="many.csv")
        expect(many.get_by_text("Cancelled")).to_be_visible(timeout=60_000)
        tab.keyboard.press("Escape")
        expect(row(tab, f"{name} Lovelace")).to_be_visible()
    assert site.rows("SELECT count(*) FROM leads WHERE email LIKE '%@import.example'") == [(0,)]

    row(first, name).get_by_role("combobox", name="Status").select_option("Contacted")
    expect(first.get_by_role("button", name="Undo", exact=True)).to_be_visible()
    stored = "SELECT status FROM leads WHERE name = $1"
    assert site.rows(stored, f"{name} Lovelace") == [("Contacted",)]

    tabs[-1].get_by_role("button", name="Sign Out").click()
    for tab in tabs:
        expect(tab.get_by_role("heading", name="Submissions", exact=True)).to_be_hidden()
        expect(tab.get_by_text(f"{name} Lovelace")).to_be_hidden()


@pytest.mark.long
def test_rolling_restart_loses_nothing(visit, site, zip_code):
    page = visit("/")
    dialog, person = open_waitlist(page), a_person(zip_code)
    fill_in(dialog, person)
    first, second = site.processes
    with joining(site.url, zip_code) as report:
        _stop_while_it_imports(site, first)
        first.start()
        send(dialog)
        expect(dialog.get_by_role("heading", name=FIND)).to_be_visible()
        second.stop()
        second.start()
        found_neighborhood(page, "Palm Grove")

    assert report.errors == []
    assert set(report.statuses) == {200, 410}, "pages, and made-up tickets"
    assert report.disconnected >= WAITING, "submitted during the restart"
    joined = "SELECT email FROM waitlist_submissions WHERE zip_code = $1"
    emails = sorted(email for (email,) in site.rows(joined, zip_code))
    assert emails == sorted([*report.joined, person["Email"]])


def _stop_while_it_imports(site: Deployment, process: Process) -> None:
    """Stop a process in the middle of an import, which it or the other process finishes."""
    file = lead_files.table(*lead_files.people(600))
    with site.unfinished(UNFINISHED_JOIN, "ada600@import.example"):
        address = f"{process.url}/api/leads/imports?name=few.csv&begin=1"
        assert httpx.post(address, content=file, cookies=site.staff_cookie()).status_code == 202
        process.ask_to_stop()
        assert _latest_import(site)[0] == "running"
    process.stop()
    assert came_true(lambda: _latest_import(site) == ("done", 600), within=SOON_S)


def _latest_import(site: Deployment) -> tuple:
    asked = "SELECT state, imported FROM lead_imports ORDER BY started_at DESC LIMIT 1"
    return site.rows(asked)[0]


def test_login_rate_limit_covers_both_processes_and_nginxs_address(visit, site):
    """The attacker claims other addresses in headers and in messages."""
    claim = {"asgi.scope": {"headers": [], "client": ["192.0.2.1", 1]}}

    async def guess(visitor: Visitor) -> str:
        answers = len(visitor.answers)
        await visitor._socket.send_str(MESSAGE + json.dumps(["connect", claim]))
        await visitor.send(StaffLoginState.login, form={"password": "guess"})
        await visitor.until(lambda: len(visitor.answers) > answers)
        return visitor.value(StaffLoginState, "error")

    async def try_all() -> tuple[list[int], list[str]]:
        elsewhere = TCPConnector(ssl=False, local_addr=("127.0.0.2", 0))
        async with ClientSession(connector=elsewhere) as session:
            # Of three, two are at one worker of nginx, which gives them to both processes.
            claims = [Visitor(session, site.url, claims=f"203.0.113.{n}") for n in (1, 2, 3)]
            async with claims[0] as one, claims[1] as other, claims[2] as third:
                said = [await guess(each) for each in (one, other, third, one, other)]
                late = [await guess(each) for each in (one, other, third)]
                return site.connected(), [*said, *late]

    connected, said = run(try_all())

    assert all(connected)
    assert said[:5] == ["Invalid password"] * 5
    assert all(text.startswith("Too many attempts.") for text in said[5:])
    sign_in(visit("/submissions"))  # another address is not limited


def test_nginx_terminates_tls_and_rejects_foreign_origins(site):
    with httpx.Client(verify=False) as client:
        plain = client.get(f"{site.plain_url}/fleet?x=1")
        safe = client.get(f"{site.url}/fleet", headers={"x-request-id": "claimed-by-a-visitor"})

    async def connect(origin: str) -> int:
        async with ClientSession(connector=TCPConnector(ssl=False)) as session:
            try:
                async with Visitor(session, site.url, origin=origin):
                    return 101
            except WSServerHandshakeError as refused:
                return refused.status

    assert (plain.status_code, plain.headers["location"]) == (301, "https://localhost/fleet?x=1")
    assert safe.headers["strict-transport-security"]
    assert len(safe.headers["x-request-id"]) == 32
    assert [run(connect(origin)) for origin in ("https://evil.example", site.url)] == [403, 101]
