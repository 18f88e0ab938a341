"""A technician's phone: a Chromium with a profile of its own, closed, killed and opened."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import BrowserContext, FilePayload, Locator, Page, Playwright, expect

from tests import pictures, provision
from tests.flows.conftest import PHONE
from tests.helpers.technician_server import Office, technicians_office
from tests.site import CHROMIUM_FLAGS

ALL_SENT = "All sent"
_KEPT = """async () => {
  const database = await new Promise((done) => {
    const request = indexedDB.open("technician");
    request.onsuccess = () => done(request.result);
  });
  const all = (name) => new Promise((done) => {
    const request = database.transaction(name).objectStore(name).getAll();
    request.onsuccess = () => done(request.result);
  });
  const [actions, photos] = [await all("actions"), await all("photos")];
  database.close();
  return { actions: actions.map(({ stop, kind }) => [stop, kind]),
           photos: photos.map((photo) => photo.bytes.byteLength) };
}"""


class Phone:
    """A phone with the page open."""

    def __init__(self, playwright: Playwright, address: str, profile: Path, **cookies: str) -> None:
        self.playwright, self.address, self.profile = playwright, address, profile
        self.cookies = cookies
        self.problems: list[str] = []
        self.open()

    def open(self, *, offline: bool = False) -> None:
        """Start the browser and open the page."""
        self.context: BrowserContext = self.playwright.chromium.launch_persistent_context(
            self.profile,
            executable_path=provision.chromium_for_tests(),
            args=CHROMIUM_FLAGS,
            viewport=PHONE,  # type: ignore[arg-type]
            base_url=self.address,
        )
        self.context.on("weberror", lambda error: self.problems.append(str(error.error)))
        for name, value in self.cookies.items():
            self.context.add_cookies([{"name": name, "value": value, "url": self.address}])
        self.context.clock.install()
        self.context.set_offline(offline)
        self.page = self.context.pages[0]
        self.page.goto("/drive")

    def close(self) -> None:
        self.context.close()

    def kill(self) -> None:
        """Kill the browser (SIGKILL), as a phone does that needs its memory."""
        mine = [p for p in psutil.process_iter(["cmdline"]) if self._is_mine(p)]
        for process in mine:
            process.kill()
        psutil.wait_procs(mine)

    def _is_mine(self, process: psutil.Process) -> bool:
        return any(str(self.profile) in part for part in process.info["cmdline"] or [])

    def line(self, *, is_up: bool) -> None:
        """Take the line away, or give it back."""
        self.context.set_offline(not is_up)

    def tab(self) -> Page:
        """Open the page in another tab."""
        page = self.context.new_page()
        page.goto("/drive")
        return page

    @property
    def go(self) -> Locator:
        return self.page.locator("#go")

    @property
    def customer(self) -> Locator:
        return self.page.locator("#customer")

    @property
    def place(self) -> str | None:
        """Return the line above the customer, such as 'Stop 1 of 5 · There'."""
        return self.page.locator("#place").text_content()

    def press(self, *names: str) -> None:
        for name in names:
            self.page.get_by_role("button", name=name, exact=True).click()

    def tick_all(self) -> None:
        check = self.page.get_by_role("group", name="Safety check")
        check.wait_for()
        for box in check.get_by_role("checkbox").all():
            box.check()

    def wait_out_grace(self) -> None:
        """Let the 20 s pass in which a step can be undone before it is sent."""
        self.page.clock.fast_forward(20_000)

    def choose_photo(self) -> None:
        self.page.set_input_files("#picture", files=[a_photo()])

    def take_photo(self) -> None:
        """Take a photo. Return when it is stored."""
        counted = self.page.locator("#photos")
        number = int((counted.text_content() or "0").rpartition(" ")[2])
        self.choose_photo()
        expect(counted).to_have_text(f"Photos taken: {number + 1}")

    def type_figures(self, start: str, end: str, ticket: str = "T-1") -> None:
        self.page.get_by_label("Meter at the start").fill(start)
        self.page.get_by_label("Meter at the end").fill(end)
        self.page.get_by_label("Ticket number").fill(ticket)

    def fill_stop(self, customer: str, end: str = "1011.5") -> None:
        """Go through all steps of the stop that is shown."""
        expect(self.customer).to_have_text(customer)
        self.press("Start driving", "I'm here")
        self.tick_all()
        self.press("Start fueling")
        self.take_photo()
        number = customer.rpartition(" ")[2]
        self.type_figures("1000", end, f"T-{number if number.isdigit() else 1}")
        self.press("Done")

    def kept(self) -> dict[str, list]:
        """Return what the phone has not sent yet."""
        return self.page.evaluate(_KEPT)

    def reconnect(self) -> None:
        """Lose the line for a moment; phones send again as soon as it is back."""
        self.line(is_up=False)
        self.line(is_up=True)

    def expect_ready(self) -> None:
        """Wait until the phone has the day and keeps the page."""
        self.expect_line(ALL_SENT)
        self.page.evaluate("navigator.serviceWorker.ready.then(() => null)")

    def expect_line(self, text: str, *, within_s: float = 10) -> None:
        expect(self.page.locator("#line")).to_have_text(text, timeout=within_s * 1000)


@pytest.fixture
def office() -> Iterator[Office]:
    with technicians_office() as running:
        yield running


@pytest.fixture
def phone(playwright: Playwright, office: Office, tmp_path: Path) -> Iterator[Phone]:
    """Return a phone that was opened in the morning: it has the day and keeps the page."""
    opened = Phone(playwright, office.address, tmp_path / "profile")
    try:
        opened.expect_ready()
        yield opened
        assert opened.problems == []
    finally:
        opened.close()


def another_photo() -> FilePayload:
    file = pictures.as_file(pictures.two_colors((640, 480)).rotate(90))
    return {"name": "ticket.jpg", "mimeType": "image/jpeg", "buffer": file}


@cache
def a_photo() -> FilePayload:
    """A photo of some megabytes, as a camera takes it."""
    picture = pictures.two_colors((2400, 1800))
    picture.paste(pictures.two_colors((900, 700)).rotate(30), (300, 200))
    return {
        "name": "meter.jpg",
        "mimeType": "image/jpeg",
        "buffer": pictures.as_file(picture, quality=100),
    }
