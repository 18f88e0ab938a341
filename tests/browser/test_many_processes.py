"""Two processes behind nginx, with PostgreSQL and Redis: visitors and staff take them for one."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import alive
from tests.browser.staff import row, sign_in
from tests.browser.visitor import found_neighborhood, join_waitlist, modal
from tests.deployment import Deployment, deployed

ON_THE_LIST = "You're on the List!"
FIND = "Find your neighborhood"

_words = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("deployment")
    with deployed(folder, FUEL_RATE_LIMITS="on") as running:
        yield running


@pytest.fixture
def visit(visit) -> Callable[..., Page]:
    """The certificate is one of our own making."""
    return partial(visit, ignore_https_errors=True)


@pytest.fixture
def another_tab(witness) -> Callable[[Page, str], Page]:
    """Opens an address in a browser that is open already."""

    def open_tab(page: Page, address: str) -> Page:
        tab = page.context.new_page()
        witness.watch(tab)
        tab.goto(address)
        alive(tab)
        return tab

    return open_tab


@pytest.fixture
def name() -> str:
    """A first name that no other test uses."""
    return "Ada" + "e" * next(_words)


def test_visitors_at_both_processes_join_one_group(visit, site, zip_code):
    before = site.told("fuel_event_seconds_count")
    pioneer = visit("/")
    join_waitlist(pioneer, zip_code)
    link = found_neighborhood(pioneer, "Palm Grove")
    neighbors = [visit(link) for _ in range(3)]
    for neighbor in neighbors:
        expect(modal(neighbor).get_by_text("You are invited to Palm Grove")).to_be_visible()
        join_waitlist(neighbor, zip_code)
        modal(neighbor).get_by_role("button", name="Join Neighborhood").click()
        expect(modal(neighbor).get_by_role("heading", name=ON_THE_LIST)).to_be_visible()
    expect(modal(neighbors[-1]).get_by_text("4 neighbors")).to_be_visible()

    assert all(site.connected()), "each process has some of the tabs"
    after = site.told("fuel_event_seconds_count")
    assert all(more > some for some, more in zip(before, after, strict=True))
    members = "SELECT members FROM neighborhoods WHERE zip_code = $1"
    assert site.rows(members, zip_code) == [(4,)]


def test_a_tab_keeps_what_it_holds_wherever_it_lands(visit, site, zip_code):
    """Reloaded again and again, it has been at both processes."""
    page = visit("/")
    join_waitlist(page, zip_code)
    for _ in range(4):
        page.reload()
        alive(page)
        expect(modal(page).get_by_role("heading", name=FIND)).to_be_visible()
    found_neighborhood(page, "Palm Grove")


def test_staff_are_signed_in_at_both_processes_see_changes_live_and_leave_everywhere(
    visit, another_tab, site, zip_code, name
):
    first = visit("/submissions")
    sign_in(first)
    tabs = [first, *(another_tab(first, "/submissions") for _ in range(3))]
    assert all(site.connected())
    for tab in tabs:
        expect(tab.get_by_role("heading", name="Submissions", exact=True)).to_be_visible()

    join_waitlist(visit("/"), zip_code, **{"First name": name})
    for tab in tabs:
        expect(row(tab, f"{name} Lovelace")).to_be_visible()
    row(first, name).get_by_role("combobox", name="Status").select_option("Contacted")
    stored = "SELECT status FROM leads WHERE name = $1"
    expect(first.get_by_role("button", name="Undo", exact=True)).to_be_visible()
    assert site.rows(stored, f"{name} Lovelace") == [("Contacted",)]

    tabs[-1].get_by_role("button", name="Sign Out").click()
    for tab in tabs:
        expect(tab.get_by_role("heading", name="Submissions", exact=True)).to_be_hidden()
        expect(tab.get_by_text(f"{name} Lovelace")).to_be_hidden()
