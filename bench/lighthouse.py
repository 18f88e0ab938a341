"""Lighthouse on the production build, as on a phone: the median of five runs."""

import json
import os
import subprocess
from pathlib import Path

from bench.report import Figure
from tests import provision
from tests.site import CHROMIUM_FLAGS, Site

LIGHTHOUSE = "lighthouse@13.5.0"
TOOLS = Path(__file__).parents[1] / ".cache" / "lighthouse"
RUNS = 5
BOUNDS = {
    "performance": ">= 98",
    "accessibility": ">= 100",
    "best-practices": ">= 100",
    "seo": ">= 100",
}


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
        f"--only-categories={','.join(BOUNDS)}",
        f"--chrome-flags=--headless {' '.join(CHROMIUM_FLAGS)}",
    ]
    chromium = {"CHROME_PATH": str(provision.chromium())}
    subprocess.run(command, check=True, env=os.environ | chromium, stdout=subprocess.DEVNULL)
    return json.loads(report.read_text())


def measure(site: Site, route: str = "/") -> list[Figure]:
    program = _installed()
    reports = [_run(program, site.url + route) for _ in range(RUNS)]
    scores = {
        name: [100 * report["categories"][name]["score"] for report in reports] for name in BOUNDS
    }
    audits = {
        "largest-contentful-paint": ("largest paint", "ms", ""),
        "first-contentful-paint": ("first paint", "ms", ""),
        "total-blocking-time": ("blocking time", "ms", ""),
        "cumulative-layout-shift": ("layout shift", "", "<= 0"),
    }
    return [
        *[Figure(f"{route} Lighthouse {name}", "", scores[name], BOUNDS[name]) for name in BOUNDS],
        *[
            Figure(
                f"{route} Lighthouse {what}",
                unit,
                [report["audits"][audit]["numericValue"] for report in reports],
                bound,
            )
            for audit, (what, unit, bound) in audits.items()
        ],
    ]
