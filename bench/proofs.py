"""Promises that a test proves: what a phone keeps without a line, and a walk over the company.

The tests run as they are, and a row counts those that did not pass. One that is not there is left
out.
"""

import re
import subprocess
import sys

from bench.report import Figure
from tests.site import ROOT

PROOFS = {
    "15 actions with 3 photos made offline, browser killed: in order, once": (
        "tests/flows/test_drive_offline.py::"
        "test_three_fills_with_photos_made_offline_arrive_once_and_in_order"
    ),
    "a random walk over the whole company": "tests/test_company_walk.py",
}


def measure() -> list[Figure]:
    return [
        Figure(what, "failed tests", [_failed(tests)], "<= 0")
        for what, tests in PROOFS.items()
        if (ROOT / tests.partition("::")[0]).exists()
    ]


def _failed(tests: str) -> int:
    """Return how many tests did not pass; at least one where pytest has another reason to fail."""
    options = ["-p", "no:cacheprovider", "--hypothesis-profile=prove"]
    command = [sys.executable, "-m", "pytest", tests, *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-3_000:], done.stderr[-1_000:], file=sys.stderr)
    found = [int(count) for count in re.findall(r"(\d+) (?:failed|error)", done.stdout)]
    return sum(found) or (1 if done.returncode else 0)
