"""Bytes of a first visit to each public page, by kind, and the hosts that it asks."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import brotli
from playwright.sync_api import Browser, Response, sync_playwright

from bench import QUICK
from bench.report import Figure
from fuel_app import routes
from fuel_app.marketing.http import PUBLIC_PAGES
from tests import provision
from tests.site import CHROMIUM_FLAGS, Site, served

ACCOUNTS = (routes.SIGN_IN, routes.ONBOARDING, routes.SECURITY, routes.FORGOT_PASSWORD)
PAGES = (*(PUBLIC_PAGES[:1] if QUICK else (*PUBLIC_PAGES, *ACCOUNTS)), routes.DASHBOARD)
KINDS = {"Script": "JavaScript", "Stylesheet": "CSS", "Font": "font"}
BOUNDS = {"JavaScript": "<= 220", "CSS": "<= 15", "font": "<= 40", "all": ""}
LANDING_BOUNDS = BOUNDS | {"JavaScript": "<= 200", "all": "<= 300"}
OWN_BOUNDS = {routes.HOME: LANDING_BOUNDS, routes.DASHBOARD: BOUNDS | {"JavaScript": "<= 230"}}
MAP = "leaflet-zoom-animated"  # a name that only the map's own code knows


def measure() -> list[Figure]:
    """Measure compressed bytes as Chromium counts them, with an empty cache."""
    with (
        TemporaryDirectory() as folder,
        served(Path(folder)) as site,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=provision.chromium(), args=CHROMIUM_FLAGS
        )
        figures = [figure for route in PAGES for figure in _first_visit(browser, site, route)]
        browser.close()
    return figures


def _first_visit(browser: Browser, site: Site, route: str) -> list[Figure]:
    moved: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    foreign: set[str] = set()

    def began(event: dict) -> None:
        kinds[event["requestId"]] = KINDS.get(event.get("type", ""), "other")
        address = urlsplit(event["request"]["url"])
        if address.scheme.startswith("http") and address.netloc != urlsplit(site.url).netloc:
            foreign.add(address.netloc)

    def ended(event: dict) -> None:
        moved[kinds.get(event["requestId"], "other")] += event["encodedDataLength"]
        moved["all"] += event["encodedDataLength"]

    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.requestWillBeSent", began)
    network.on("Network.loadingFinished", ended)
    scripts: list[Response] = []
    page.on("response", lambda answer: scripts.append(answer) if _is_script(answer) else None)
    page.goto(site.url + route, wait_until="networkidle")
    maps = sum(MAP in script.text() for script in scripts)
    styles: list[str] = page.evaluate(
        "Array.from(document.querySelectorAll('style'), (style) => style.textContent)"
    )
    context.close()
    # The stylesheet travels inside the page; it counts as CSS all the same.
    moved["CSS"] += len(brotli.compress("".join(styles).encode()))
    bounds = OWN_BOUNDS.get(route, BOUNDS)
    return [
        *[
            Figure(f"{route} first visit: {kind}", "KB", [moved[kind] / 1000], bound)
            for kind, bound in bounds.items()
        ],
        Figure(f"{route} other hosts asked", "hosts", [len(foreign)], "<= 0"),
        Figure(f"{route} scripts of the map", "files", [maps], "<= 0"),
    ]


def _is_script(answer: Response) -> bool:
    return answer.request.resource_type == "script"
