"""`make picture`: draws docs/pictures/open.png anew, the open company of the demo at half past two.

The demo is made in a folder of its own, up to that time of today, and served with the clock there.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from demo import VISITOR
from demo.company import PASSWORD, email_of
from fuel_app import routes
from fuel_app.kit import clock
from tests import provision
from tests.flows.conftest import alive
from tests.site import CHROMIUM_FLAGS, ROOT, Process
from tests.tiles import tile_server

PICTURE = ROOT / "docs" / "pictures" / "open.png"
HEIGHT = 860
BOARD, PHONE = 1280, 360
EDGE, BACKGROUND = 24, "#E6F4F1"


def main() -> None:
    with TemporaryDirectory() as folder, _demo(Path(folder)) as address, sync_playwright() as run:
        chromium = run.chromium.launch(
            executable_path=provision.chromium_for_tests(), args=CHROMIUM_FLAGS
        )
        shown = (
            (email_of("dispatcher"), routes.DISPATCH, BOARD),
            (email_of("technician"), routes.DRIVE, PHONE),
            (VISITOR, routes.DASHBOARD, PHONE),
        )
        screens = [_screen(chromium, address, *about) for about in shown]
    _side_by_side(screens).quantize(256).save(PICTURE, optimize=True)


@contextmanager
def _demo(folder: Path) -> Iterator[str]:
    """Make the demo and serve it as if it were half past two. Gives its address."""
    now = datetime.now(clock.NEW_YORK).replace(hour=14, minute=30, second=0, microsecond=0)
    make = [sys.executable, "-m", "demo", "--folder", str(folder), "--now", now.isoformat()]
    subprocess.run([*make, "--only-make"], cwd=ROOT, check=True)
    with (
        tile_server() as tiles,
        Process(folder / "site.log", {"FUEL_TILE_URL": tiles}, make) as site,
    ):
        yield site.url


def _screen(browser: Browser, address: str, email: str, path: str, width: int) -> Image.Image:
    """Return a screen as a person of the demo sees it."""
    size = {"width": width, "height": HEIGHT}
    context = browser.new_context(viewport=size, base_url=address, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    _sign_in(page, email)
    page.goto(path)
    page.get_by_role("heading").first.wait_for()
    page.wait_for_load_state("networkidle")  # the map's tiles are there
    return Image.open(BytesIO(page.screenshot()))


def _sign_in(page: Page, email: str) -> None:
    page.goto(routes.SIGN_IN)
    alive(page)
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: routes.SIGN_IN not in url)


def _side_by_side(screens: list[Image.Image]) -> Image.Image:
    width = sum(each.width + EDGE for each in screens) + EDGE
    drawn = Image.new("RGB", (width, HEIGHT + 2 * EDGE), BACKGROUND)
    left = EDGE
    for each in screens:
        drawn.paste(each, (left, EDGE))
        left += each.width + EDGE
    return drawn


if __name__ == "__main__":
    main()
