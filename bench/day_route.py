"""The map of the day's route: size of its code, time to the stops, and panning 500 stops."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from bench import QUICK
from bench.report import Figure
from fuel_app import routes
from tests import provision
from tests.factories import stop
from tests.flows.conftest import alive
from tests.flows.day_route import GRANTED, pin, show_admin_view, the_map
from tests.flows.other_days import DayProxy, day_with
from tests.site import CHROMIUM_FLAGS, Site

STOPS = 500
RUNS = 1 if QUICK else 5
UPDATES = 20
TIMEOUT_MS = 60_000

# Drags the map in circles, a step each frame, until stopped.
_PAN = """
(map) => {
  const box = map.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height - 30];
  const fire = (target, type, at) => target.dispatchEvent(new MouseEvent(type, {
    bubbles: true, cancelable: true, view: window, button: 0, buttons: 1,
    clientX: x + 60 * Math.cos(at / 10), clientY: y - 60 + 60 * Math.sin(at / 10),
  }));
  const { style } = map.querySelector(".leaflet-map-pane");
  const before = style.transform;
  const pan = (window.pan = { frames: [], going: true, moved: false });
  let last = performance.now();
  const step = (now) => {
    pan.frames.push(now - last);
    last = now;
    pan.moved ||= style.transform !== before;
    fire(document, pan.going ? "mousemove" : "mouseup", pan.frames.length);
    if (pan.going) requestAnimationFrame(step);
  };
  fire(map, "mousedown", 0);
  requestAnimationFrame(step);
}
"""
_STOP = "() => { window.pan.going = false; return window.pan; }"


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
    """Return compressed bytes that the map fetches, by kind."""
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
    expect(pin(page, 1)).to_be_visible(timeout=TIMEOUT_MS)
    page.wait_for_load_state("networkidle")
    assert moved["Script"]
    return moved


def _time_to_stops(page: Page) -> float:
    """Return milliseconds with an empty cache."""
    _open(page)
    start = page.evaluate("performance.now()")
    show_admin_view(page)
    expect(pin(page, 1)).to_be_visible(timeout=TIMEOUT_MS)
    return page.evaluate("performance.now()") - start


def _pan(page: Page) -> tuple[list[int], list[float]]:
    """Return lost updates and the milliseconds of each frame."""
    stops = [
        stop(customer=f"Customer {n}", lat=27.2 + n % 25 / 60, lng=-82.65 + n // 25 / 60)
        for n in range(STOPS)
    ]
    server = DayProxy(page, day_with(stops))
    _open(page)
    show_admin_view(page)
    expect(pin(page, STOPS)).to_be_attached(timeout=TIMEOUT_MS)
    page.get_by_role("button", name="Close popup").click(timeout=TIMEOUT_MS)
    the_map(page).locator(".leaflet-container").evaluate(_PAN)
    lost = 0
    for update in range(1, UPDATES + 1):
        server.push(next_drive=f"{update} mins")
        try:
            page.get_by_text(f"{update} mins away", exact=True).wait_for(timeout=TIMEOUT_MS)
        except PlaywrightTimeout:
            lost += 1
    panned: dict[str, Any] = page.evaluate(_STOP)
    assert panned["moved"]
    return [lost], panned["frames"]
