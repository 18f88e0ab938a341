"""The map of the day's route: what its code weighs, how soon it is there, and 500 stops on it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from bench.report import Figure
from fuel_app import routes
from tests import provision
from tests.browser.conftest import alive
from tests.browser.day_route import GRANTED, pin, show_admin_view, the_map
from tests.browser.other_days import day_with, told
from tests.factories import stop
from tests.site import CHROMIUM_FLAGS, Site

STOPS = 500
RUNS = 5
UPDATES = 20
PATIENCE_MS = 60_000

# Drags the map in circles, a step each frame, and meanwhile switches the list's order again and
# again, each time waiting until the answer is in the page.
_PAN = """
async ([map, buttons, updates]) => {
  const box = map.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height - 30];
  const fire = (target, type, at) => target.dispatchEvent(new MouseEvent(type, {
    bubbles: true, cancelable: true, view: window, button: 0, buttons: 1,
    clientX: x + 60 * Math.cos(at / 10), clientY: y - 60 + 60 * Math.sin(at / 10),
  }));
  const frames = [];
  let shown = 0, done = false;
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const pan = async () => {
    fire(map, "mousedown", 0);
    for (let at = 1, last = performance.now(); !done; at += 1) {
      fire(document, "mousemove", at);
      const now = await frame();
      frames.push(now - last);
      last = now;
    }
    fire(document, "mouseup", 0);
  };
  const update = async () => {
    for (let sent = 0; sent < updates; sent += 1) {
      const next = buttons.find((each) => each.getAttribute("aria-pressed") === "false");
      const until = performance.now() + 5000;
      next.click();
      while (next.getAttribute("aria-pressed") !== "true" && performance.now() < until) {
        await frame();
      }
      shown += next.getAttribute("aria-pressed") === "true";
    }
    done = true;
  };
  const { style } = map.querySelector(".leaflet-map-pane");
  const before = style.transform;
  await Promise.all([pan(), update()]);
  return { frames, shown, moved: style.transform !== before };
}
"""


def measure(site: Site) -> list[Figure]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=provision.chromium(), args=CHROMIUM_FLAGS
        )

        @contextmanager
        def visitor() -> Iterator[Page]:
            context = browser.new_context(base_url=site.url, **GRANTED)
            # No tiles: they are another host's, and not what is measured.
            context.route("**/*.png", lambda route: route.abort())
            yield context.new_page()
            context.close()

        with visitor() as page:
            weight = _weight(page)
        times = []
        for _ in range(RUNS):
            with visitor() as page:
                times.append(_time_to_stops(page))
        with visitor() as page:
            lost, frames = _pan(page)
        browser.close()
    panned = f"{STOPS} stops, panned"
    return [
        Figure("/dashboard, then the map: JavaScript", "KB", [weight["Script"] / 1000], "<= 60"),
        Figure("/dashboard: from the press to the stops on the map", "ms", times),
        Figure(f"{panned}: state updates lost of {UPDATES}", "updates", lost, "<= 0"),
        Figure(f"{panned}: a frame", "ms", frames),
    ]


def _open(page: Page) -> None:
    page.goto(routes.DASHBOARD, wait_until="networkidle")
    alive(page)


def _weight(page: Page) -> Counter[str]:
    """Compressed bytes of what is fetched when the map comes into the page, by kind."""
    _open(page)
    moved: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on(
        "Network.requestWillBeSent",
        lambda event: kinds.update({event["requestId"]: event.get("type", "")}),
    )
    network.on(
        "Network.loadingFinished",
        lambda event: moved.update({kinds.get(event["requestId"], ""): event["encodedDataLength"]}),
    )
    show_admin_view(page)
    expect(pin(page, 1)).to_be_visible(timeout=PATIENCE_MS)
    page.wait_for_load_state("networkidle")
    assert moved["Script"]
    return moved


def _time_to_stops(page: Page) -> float:
    """Milliseconds, with nothing of the map in the browser's cache."""
    _open(page)
    start = page.evaluate("performance.now()")
    show_admin_view(page)
    expect(pin(page, 1)).to_be_visible(timeout=PATIENCE_MS)
    return page.evaluate("performance.now()") - start


def _pan(page: Page) -> tuple[list[int], list[float]]:
    """Updates lost, and how long each frame took."""
    stops = [
        stop(customer=f"Customer {n}", lat=27.2 + n % 25 / 60, lng=-82.65 + n // 25 / 60)
        for n in range(STOPS)
    ]
    told(page, day_with(stops))
    _open(page)
    show_admin_view(page)
    expect(pin(page, STOPS)).to_be_attached(timeout=PATIENCE_MS)
    page.get_by_role("button", name="Close popup").click()
    found: dict[str, Any] = page.evaluate(
        _PAN,
        [
            the_map(page).locator(".leaflet-container").element_handle(),
            [page.get_by_role("button", name=name).element_handle() for name in _ORDERS],
            UPDATES,
        ],
    )
    assert found["moved"]
    return [UPDATES - found["shown"]], found["frames"]


_ORDERS = ("By time", "Driving order")
