"""Actions in the staff's list of leads."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.flows.conftest import DESKTOP, until

PAGE = 50


@pytest.fixture
def open_list(visit_as_staff):
    """Return a function that opens the list as signed-in staff."""

    def open_it(query: str = "", viewport: dict[str, int] = DESKTOP) -> Page:
        page = visit_as_staff(f"/submissions{query}", viewport)
        expect(page.get_by_role("heading", name="Submissions", exact=True)).to_be_visible()
        return page

    return open_it


@pytest.fixture(scope="session")
def ada(site) -> str:
    """Store a page and ten more leads with one name. Return the name."""
    site.seed("waitlist", "Adaline", PAGE + 10)
    return "Adaline"


@pytest.fixture
def names(site, company):
    """Return a function that stores fleet quotes under a new name and returns it."""

    def join(count: int) -> str:
        name = "Ida" + company.rsplit(" ", 1)[1].translate(
            str.maketrans("0123456789", "abcdefghij")
        )
        site.seed("fleet", name, count)
        return name

    return join


def query(page: Page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def search_for(page: Page, text: str) -> None:
    page.get_by_role("searchbox", name="Search submissions").fill(text)
    until(page, f"location.search.includes('q={text}')")


def status(page: Page, name: str) -> Locator:
    return page.get_by_role("combobox", name=f"Status of {name}")


def undo(page: Page) -> Locator:
    return page.get_by_role("button", name="Undo", exact=True)
