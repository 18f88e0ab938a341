"""The built site on a port of its own, and visitors with a real Chromium.

Every test also fails on a console error, a broken content policy or a request to another host.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    Request,
    expect,
    sync_playwright,
)

from tests import provision
from tests.site import CHROMIUM_FLAGS, Site, served
from tests.tiles import tile_server

PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 900}

# First, so that no worker is left with one of them at the end.
LONGEST = {
    "test_many_processes.py",
    "test_staff_strangers.py",
    "test_submissions.py",
    "test_drive_offline.py",
    "test_tracking.py",
    "test_drive.py",
    "test_whole_day.py",
    "test_dispatch.py",
}

# No page lives long enough to repay what V8 spends on optimizing its scripts: an eighth of axe.
SHORT_LIVED = "--js-flags=--no-opt --no-maglev"

expect.set_options(timeout=10_000)
# Pages are prerendered; they handle events once React has marked their elements.
_TAKEN_OVER = (
    "Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react'))"
)
_zip_codes = count(60001)
_companies = count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what each open page shows to the report of a failed test."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("browser")
    if browser and report.when == "call" and report.failed:
        for page in (page for context in browser.contexts for page in context.pages):
            with suppress(Error):
                report.sections.append((page.url, page.locator("body").inner_text(timeout=1_000)))
    return report


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with (
        tile_server() as tiles,
        served(tmp_path_factory.mktemp("site"), FUEL_TILE_URL=tiles) as running,
    ):
        yield replace(running, tiles=tiles)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    chromium = playwright.chromium.launch(
        executable_path=provision.chromium_for_tests(), args=[*CHROMIUM_FLAGS, SHORT_LIVED]
    )
    yield chromium
    chromium.close()


@dataclass
class Witness:
    """Invisible failures of a tab: console errors, exceptions and foreign requests."""

    hosts: set[str]  # ours, and that of the map tiles
    expected: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", self._note_error)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.on("request", self._note_foreign)

    def _note_error(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._note(message.text)

    def _note_foreign(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.netloc not in self.hosts:
            self._note(f"another host: {request.url}")

    def _note(self, what: str) -> None:
        if not any(text in what for text in self.expected):
            self.seen.append(what)


@pytest.fixture
def witness(site: Site) -> Iterator[Witness]:
    watching = Witness({urlsplit(address).netloc for address in (site.url, site.tiles)})
    yield watching
    assert watching.seen == []


Visit = Callable[..., Page]


@pytest.fixture
def visit(site: Site, browser: Browser, witness: Witness) -> Iterator[Visit]:
    """Return a function that opens an address as a new visitor and waits until it is alive."""
    contexts = []

    def open_page(
        address: str = "/", viewport: dict[str, int] = DESKTOP, **context: object
    ) -> Page:
        contexts.append(browser.new_context(viewport=viewport, base_url=site.url, **context))  # type: ignore[arg-type]
        page = contexts[-1].new_page()
        witness.watch(page)
        page.goto(address)
        alive(page)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def visit_as_staff(site: Site, visit: Visit) -> Visit:
    """Return a function that opens an address as signed-in staff and waits until all is loaded."""

    def open_page(address: str, *viewport: dict[str, int], **context: object) -> Page:
        cookies = [
            {"name": name, "value": value, "url": site.url}
            for name, value in site.staff_cookie().items()
        ]
        page = visit(address, *viewport, storage_state={"cookies": cookies}, **context)
        loaded(page)
        return page

    return open_page


@pytest.fixture
def company() -> str:
    """Return a company name that no other test uses."""
    return f"Analytical Engines {next(_companies)}"


def alive(page: Page) -> None:
    """Wait until React has taken over the page and talks to the server."""
    until(page, f"sessionStorage.getItem('token') !== null && {_TAKEN_OVER}")
    page.wait_for_load_state("load")


def loaded(page: Page) -> None:
    """Wait until all is there: what comes while a dialog is open stays open to screen readers."""
    expect(page.get_by_role("main").locator(".skeleton, [aria-busy=true]")).to_have_count(0)


@pytest.fixture
def zip_code() -> str:
    """Return a ZIP code that no other test uses."""
    return str(next(_zip_codes))


def until(page: Page, condition: str) -> None:
    """Wait until a JavaScript condition holds.

    The content policy forbids Playwright's `wait_for_function`, which evaluates text.
    """
    look = f"const look = () => ({condition}) ? done() : requestAnimationFrame(look); look();"
    page.evaluate(f"() => new Promise((done) => {{ {look} }})")
