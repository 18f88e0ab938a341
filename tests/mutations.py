"""Mutations that the tests must catch: `python -m tests.mutations [N ...] [--from N]`.

Puts each fault of `mutations.toml` into the code, runs the tests that it names, and takes it out
again. What its file lacks is looked for in all of `fuel_app`. Exits with 1 if one is missed.
"""

import argparse
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LISTED = Path(__file__).with_suffix(".toml")
LIMIT = ("timeout", "--signal=INT", "300")  # seconds; one that hangs is not caught
PYTEST = (*("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"), "-m", "not browser and not long")


def source_of(entry: dict[str, Any]) -> Path:
    """Return the file in which the mutated text occurs, exactly once: its own, or the only one."""
    own, old = ROOT / entry["file"], entry["old"]
    files = [each for each in (ROOT / "fuel_app").rglob("*.py") if old in each.read_text()]
    files = [own] if own in files else files
    assert len(files) == 1, f"{entry['about']}: found in {len(files)} files"
    assert files[0].read_text().count(old) == 1, f"{entry['about']}: occurs more than once"
    return files[0]


def is_caught(entry: dict[str, Any]) -> bool:
    """Mutate, test, restore. Return whether a test failed."""
    path = source_of(entry)
    text = path.read_text()
    try:
        path.write_text(text.replace(entry["old"], entry["new"]))
        command = [*LIMIT, sys.executable, *PYTEST, *entry["tests"].split()]
        return subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 1
    finally:
        path.write_text(text)


def main() -> int:
    """Run the mutations that were asked for, by default all. Return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("numbers", type=int, nargs="*", metavar="N")
    parser.add_argument("--from", type=int, default=1, metavar="N", dest="first")
    asked, missed = parser.parse_args(), False
    for number, entry in enumerate(tomllib.loads(LISTED.read_text())["mutations"], 1):
        if number >= asked.first and (not asked.numbers or number in asked.numbers):
            began = time.monotonic()
            caught = is_caught(entry)
            missed |= not caught
            said = f"{'caught' if caught else 'MISSED'} {time.monotonic() - began:.0f}"
            print(number, said, entry["about"], flush=True)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
