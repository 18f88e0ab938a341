"""Known weaknesses of what we install: `python -m tests.audit`.

Asks the vulnerability service about every pinned version. Where it cannot be reached there is
nothing to say, and that is said in one line; a weakness that is known and not accepted fails.
"""

import subprocess
import sys
from pathlib import Path

import httpx

PINNED = Path(__file__).parents[1] / "constraints.txt"
SERVICE = "https://api.osv.dev/v1/query"
TIMEOUT_S = 3
AUDIT_S = 120

# Weaknesses that do not reach us, each with its reason: "GHSA-...": "why".
ACCEPTED: dict[str, str] = {}


def reachable(service: str = SERVICE) -> bool:
    """Return True if the service answers about an existing package."""
    question = {"package": {"name": "pip", "ecosystem": "PyPI"}, "version": "25.0"}
    try:
        return httpx.post(service, json=question, timeout=TIMEOUT_S).is_success
    except httpx.HTTPError:
        return False


def command(service: str = SERVICE) -> list[str]:
    """Return the audit command, which neither resolves nor installs."""
    ignored = [part for each in ACCEPTED for part in ("--ignore-vuln", each)]
    asks = ["--vulnerability-service", "osv", "--osv-url", service, "--timeout", str(TIMEOUT_S)]
    return [
        *(sys.executable, "-m", "pip_audit", "--requirement", str(PINNED)),
        *("--no-deps", "--disable-pip", "--progress-spinner", "off"),
        *asks,
        *ignored,
    ]


def audit(service: str = SERVICE) -> int:
    """Audit all pinned versions. Return the exit status: 0 unless a weakness is known."""
    if not reachable(service):
        print("Dependencies not audited: the vulnerability service cannot be reached.")
        return 0
    return subprocess.run(command(service), check=False, timeout=AUDIT_S).returncode


if __name__ == "__main__":
    sys.exit(audit())
