"""Lighthouse on every public page and every page of accounts, as on a phone: median of five.

The landing page is compared with the same page as a plain file: no script.
"""

import json
import os
import subprocess
from pathlib import Path

from bench import QUICK, plain_file
from bench.page_weight import ACCOUNTS
from bench.report import Figure
from fuel_app import routes
from fuel_app.marketing.http import PUBLIC_PAGES
from tests import provision
from tests.site import CHROMIUM_FLAGS, Site

LIGHTHOUSE = "lighthouse@13.5.0"
TOOLS = Path(__file__).parents[1] / ".cache" / "lighthouse"
RUNS = 1 if QUICK else 5
TRIES = 3  # of one run
PAGES = PUBLIC_PAGES[:1] if QUICK else (*PUBLIC_PAGES, *ACCOUNTS)
AUDITS = {
    "first-contentful-paint": ("first paint", "ms", ""),
    "largest-contentful-paint": ("largest paint", "ms", ""),
    "total-blocking-time": ("blocking time", "ms", ""),
    "cumulative-layout-shift": ("layout shift", "", "<= 0"),
}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")


def _installed() -> Path:
    program = TOOLS / "node_modules" / ".bin" / "lighthouse"
    if not program.exists():
        TOOLS.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-save", "--prefix", str(TOOLS), LIGHTHOUSE]
        subprocess.run(command, check=True)
    return program


def _run(program: Path, address: str) -> dict:
    report = TOOLS / "report.json"
    command = [
        str(program),
        address,
        "--quiet",
        "--output=json",
        f"--output-path={report}",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--chrome-flags=--headless {' '.join(CHROMIUM_FLAGS)}",
    ]
    chromium = {"CHROME_PATH": str(provision.chromium())}
    for left in reversed(range(TRIES)):  # now and then Chromium's trace has no beginning
        done = subprocess.run(
            command, check=not left, env=os.environ | chromium, stdout=subprocess.DEVNULL
        )
        if done.returncode == 0:
            break
    return json.loads(report.read_text())


def measure(site: Site) -> list[Figure]:
    program = _installed()
    figures = []
    for route in PAGES:
        reports = [_run(program, site.url + route) for _ in range(RUNS)]
        figures += _page(route, reports)
        if route == routes.HOME:
            with plain_file.served(site.url + route) as plain:
                figures += _beside([_run(program, plain) for _ in range(RUNS)], reports)
    return figures


def _beside(plain: list[dict], ours: list[dict]) -> list[Figure]:
    def painted(reports: list[dict]) -> list[float]:
        return [report["audits"]["largest-contentful-paint"]["numericValue"] for report in reports]

    ratios = [here / there for here, there in zip(painted(ours), painted(plain), strict=True)]
    return [
        Figure("/ as a plain file: largest paint", "ms", painted(plain)),
        Figure("/ largest paint / the plain file's", "ratio", ratios),
    ]


def _page(route: str, reports: list[dict]) -> list[Figure]:
    bounds = dict.fromkeys(CATEGORIES, ">= 100") | {
        "performance": ">= 98" if route == routes.HOME else ">= 97"
    }
    if route in ACCOUNTS:  # search engines are asked to stay away from them
        bounds |= {"performance": "", "seo": ""}
    scores = [
        Figure(
            f"{route} Lighthouse {name}",
            "",
            [100 * report["categories"][name]["score"] for report in reports],
            bounds[name],
        )
        for name in CATEGORIES
    ]
    audits = [
        Figure(
            f"{route} Lighthouse {what}",
            unit,
            [report["audits"][audit]["numericValue"] for report in reports],
            bound,
        )
        for audit, (what, unit, bound) in AUDITS.items()
    ]
    return scores + audits
