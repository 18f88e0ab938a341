"""What a first visit to `/` moves over the wire, by kind, and whom it talks to."""

from collections import Counter
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from bench.report import Figure
from tests import provision
from tests.site import CHROMIUM_FLAGS, Site

KINDS = {"Script": "JavaScript", "Stylesheet": "CSS", "Font": "font"}
BOUNDS = {"JavaScript": "<= 200", "CSS": "<= 15", "font": "<= 40", "all": "<= 300"}


def measure(site: Site) -> list[Figure]:
    """Compressed bytes as Chromium counts them, with an empty cache."""
    moved: Counter[str] = Counter(dict.fromkeys(BOUNDS, 0))
    kinds: dict[str, str] = {}
    foreign: set[str] = set()
    own = urlsplit(site.url).netloc

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=provision.chromium(), args=CHROMIUM_FLAGS
        )
        page = browser.new_page(viewport={"width": 360, "height": 740})
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")

        def began(event: dict) -> None:
            kinds[event["requestId"]] = KINDS.get(event.get("type", ""), "other")
            address = urlsplit(event["request"]["url"])
            if address.scheme.startswith("http") and address.netloc != own:
                foreign.add(address.netloc)

        def ended(event: dict) -> None:
            moved[kinds.get(event["requestId"], "other")] += event["encodedDataLength"]
            moved["all"] += event["encodedDataLength"]

        network.on("Network.requestWillBeSent", began)
        network.on("Network.loadingFinished", ended)
        page.goto(site.url, wait_until="networkidle")
        inlined = page.evaluate(
            "Array.from(document.querySelectorAll('style'), (s) => s.textContent).join('').length"
        )
        browser.close()
    return [
        *[
            Figure(f"/ first visit: {kind}", "KB", [moved[kind] / 1000], bound)
            for kind, bound in BOUNDS.items()
        ],
        Figure("/ styles inlined in the page (raw)", "KB", [inlined / 1000]),
        Figure("/ other hosts asked", "hosts", [len(foreign)], "<= 0"),
    ]
