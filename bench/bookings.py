"""Bookings: crowds for the last places, a hundred presses at once, slots, a week's replay.

Settings are read once in a process, so each part runs in processes of its own, one or two at a
time. What is measured is the use case behind the button; the estimate, which is on the screen by
then, comes before.
"""

import json
import os
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from bench import QUICK
from bench.booking_parts import A_DAY, CAPACITIES, DAYS, REPLAY, STORED
from bench.neighborhoods import DATABASES
from bench.report import Figure, show
from tests.site import ROOT

ROUNDS = 1 if QUICK else 3
ORDINARY = (10, 12, 14, 16, 18)
TABS = 200


class _Lab:
    """One database, and processes that work on it."""

    def __init__(self, url: str, capacities: dict[int, int]) -> None:
        self.environment = os.environ | {"FUEL_DATABASE_URL": url}
        self.ground = self.run("make", capacities=capacities)

    def run(self, part: str, **spec: Any) -> Any:
        """Run a part in one process."""
        return self.run_all(part, [spec])[0]

    def run_all(self, part: str, specs: list[dict[str, Any]]) -> list[Any]:
        """Run a part in processes that begin at once."""
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "bench.booking_parts", part],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in specs
        ]
        ground = getattr(self, "ground", None)
        for each, spec in zip(running, specs, strict=True):
            assert each.stdin
            each.stdin.write(json.dumps({"ground": ground} | spec) + "\n")
            each.stdin.flush()
        for each in running:
            assert each.stdout
            assert "ready" in each.stdout.readline()
        for each in running:
            assert each.stdin
            each.stdin.write("go\n")
            each.stdin.flush()
        said = [each.communicate()[0] for each in running]
        assert not any(each.returncode for each in running)
        return [json.loads(each.splitlines()[-1]) for each in said]


def _p95(took: list[float]) -> float:
    return statistics.quantiles(took, n=20)[-1] if len(took) > 1 else took[0]


def _crowds(lab: _Lab, where: str, processes: int) -> Iterator[Figure]:
    first = 2 + ROUNDS * (processes - 1)  # days: each crowd finds windows without bookings

    def rounds(
        count: int, opens: tuple[int, ...], seconds: float = 0, later: int = 0
    ) -> Iterator[tuple[Counter[str], list[float]]]:
        for day in range(first + later, first + later + ROUNDS):
            share = {"count": count // processes, "days": day, "opens": opens, "seconds": seconds}
            done = lab.run_all(
                "crowd", [share | {"first": n, "step": processes} for n in range(processes)]
            )
            outcomes = sum((Counter(each["outcomes"]) for each in done), Counter[str]())
            if others := set(outcomes) - {"booked", "full"}:
                print(where, others, file=sys.stderr)
            yield outcomes, [one for each in done for one in each["took"]]

    for count, opens, places in ((200, 6, 1), (500, 8, 50)):
        found = list(rounds(count, (opens,)))
        what = f"{count} for the last {places} of a slot on {where}"
        off = [abs(outcomes["booked"] - places) for outcomes, _ in found]
        yield Figure(f"{what}: booked too many or too few", "", off, "<= 0")
        errors = [count - outcomes["booked"] - outcomes["full"] for outcomes, _ in found]
        yield Figure(f"{what}: other than 'full'", "errors", errors, "<= 0")
        yield Figure(f"{what}: the last answer", "ms", [max(took) for _, took in found])
    for name, seconds, bound in (("within 10 s", 10, 150), ("in one instant", 0, 500)):
        found = list(rounds(100, ORDINARY, seconds, later=0 if seconds else 2 * ROUNDS))
        what = f"100 press 'Schedule Service' {name} on {where}"
        yield Figure(f"{what}, p95", "ms", [_p95(took) for _, took in found], f"<= {bound}")
        lost = [100 - outcomes["booked"] for outcomes, _ in found]
        yield Figure(f"{what}: not booked", "", lost, "<= 0")


def _replay(name: str, processes: int) -> Iterator[Figure]:
    where = f"{name}, {processes} process{'es' if processes > 1 else ''}"
    total = DAYS * A_DAY
    with DATABASES[name]() as url:
        lab = _Lab(url, REPLAY)
        share = {"count": total // processes, "tabs": TABS // processes}
        done = lab.run_all("replay", [share | {"first": n} for n in range(processes)])
        now = lab.run("stored")
    took = [one for each in done for kind in each["took"].values() for one in kind]
    confirmed = {known: slot for each in done for known, slot in each["confirmed"].items()}
    places = {known: slot for slot, known in now["places"]}
    lost = [
        known
        for known, slot in confirmed.items()
        if places.get(known, "") != slot or not now["events"].get(known)
    ]
    unasked = len(now["states"]) - len(confirmed)
    per_slot = Counter(slot for slot, _ in now["places"])
    per_slot_booked = Counter(slot for slot, state in now["states"].values() if state == "booked")
    most = A_DAY // 9 + 1
    over = sum(max(0, count - most) for count in (per_slot | per_slot_booked).values())
    outcomes: Counter[str] = Counter()
    for each in done:
        outcomes.update(each["outcomes"])
    print(where, dict(outcomes), file=sys.stderr)
    what = f"a week of {A_DAY} a day from {TABS} tabs on {where}"
    yield Figure(f"{what}: lost", "bookings", [len(lost)], "<= 0")
    yield Figure(f"{what}: doubled or unasked", "bookings", [abs(unasked)], "<= 0")
    yield Figure(f"{what}: oversold", "places", [over], "<= 0")
    yield Figure(f"{what}, p95", "ms", [_p95(took)])
    yield Figure(f"{what}", "per s", [len(took) / max(each["spent"] for each in done)])


def measure() -> list[Figure]:
    figures: list[Figure] = []
    for name in DATABASES:
        with DATABASES[name]() as url:
            lab = _Lab(url, CAPACITIES)
            for processes in (1, 2):
                where = f"{name}, {processes} process{'es' if processes > 1 else ''}"
                figures += _crowds(lab, where, processes)
        with DATABASES[name]() as url:
            lab = _Lab(url, CAPACITIES)
            lab.run("store_many")
            what = f"slots of 21 days at {STORED:,} bookings on {name}"
            found = [statistics.median(lab.run("listing")) for _ in range(ROUNDS)]
            figures.append(Figure(what, "ms", found, "<= 20"))
        for processes in (1, 2):
            figures += _replay(name, processes)
    return figures


if __name__ == "__main__":
    show(measure())
