"""Lighthouse on every public page of the production build, as on a phone: median of five."""

import json
import os
import subprocess
from pathlib import Path

from bench import QUICK
from bench.report import Figure
from fuel_app import routes
from fuel_app.web.seo import PUBLIC_PAGES
from tests import provision
from tests.site import CHROMIUM_FLAGS, Site

LIGHTHOUSE = "lighthouse@13.5.0"
TOOLS = Path(__file__).parents[1] / ".cache" / "lighthouse"
RUNS = 1 if QUICK else 5
PAGES = PUBLIC_PAGES[:1] if QUICK else PUBLIC_PAGES
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
    subprocess.run(command, check=True, env=os.environ | chromium, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())


def measure(site: Site) -> list[Figure]:
    program = _installed()
    return [figure for route in PAGES for figure in _page(program, site, route)]


def _page(program: Path, site: Site, route: str) -> list[Figure]:
    reports = [_run(program, site.url + route) for _ in range(RUNS)]
    bounds = dict.fromkeys(CATEGORIES, ">= 100") | {
        "performance": ">= 98" if route == routes.HOME else ">= 97"
    }
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
