"""Money: 10,000 renewals with a kill in the middle, webhooks in any order, proration, a fill.

Settings are read once in a process, so each part runs in processes of its own.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import date, timedelta
from typing import Any

from bench.money_parts import SUBSCRIPTIONS
from bench.neighborhoods import DATABASES
from bench.report import Figure, show
from fuel_app.billing.rules import plans
from fuel_app.billing.rules.invoices import sum_of
from fuel_app.billing.rules.plans import PaidPeriod, PlanTerms, lines_of
from fuel_app.plans.rules.plans import PLANS, Period
from tests.site import ROOT
from tests.waiting import came_true

WORKERS = {"SQLite": 1, "PostgreSQL": 2}  # processes
SWITCHES = 10_000
PATIENCE_S = 1_200


class _Lab:
    """One database, and processes that work on it."""

    def __init__(self, url: str) -> None:
        self.environment = os.environ | {"FUEL_DATABASE_URL": url}

    def begin(self, part: str, output: int = subprocess.PIPE) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "bench.money_parts", part],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=output,
            text=True,
        )

    def workers(self, count: int) -> list[subprocess.Popen[str]]:
        return [self.begin("work", subprocess.DEVNULL) for _ in range(count)]

    def run(self, part: str) -> Any:
        running = self.begin(part)
        said, _ = running.communicate()
        assert running.returncode == 0
        return json.loads(said.splitlines()[-1])


class _Watcher:
    """Looks into the database from a process of its own."""

    def __init__(self, lab: _Lab) -> None:
        self.process = lab.begin("look")
        self.look()  # it is connected

    def look(self) -> tuple[int, int]:
        """Return how many are paid, and how many renewals are left to do."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        paid, left = json.loads(self.process.stdout.readline())
        return paid, left

    def wait(self, paid: int, left: int | None = None) -> None:
        def reached() -> bool:
            found = self.look()
            return found[0] >= paid and (left is None or found[1] <= left)

        if not came_true(reached, within=PATIENCE_S, pause_s=0.2):
            raise TimeoutError(f"{self.look()}")


def _renewals(name: str) -> Iterator[Figure]:
    what = f"{SUBSCRIPTIONS:,} renewals, killed in the middle, on {name}"
    with DATABASES[name]() as url, ExitStack() as stack:  # the processes end first
        lab = _Lab(url)
        lab.run("make")
        watcher = _Watcher(lab)
        stack.callback(watcher.process.kill)
        started = time.perf_counter()
        workers = lab.workers(WORKERS[name])
        watcher.wait(SUBSCRIPTIONS // 2)
        for each in workers:
            each.kill()
            each.wait()
        workers = lab.workers(WORKERS[name])
        for each in workers:
            stack.callback(each.kill)
        watcher.wait(SUBSCRIPTIONS, left=0)
        paid = time.perf_counter() - started
        for each in workers:
            each.kill()
            each.wait()
        found = lab.run("check")
    print(name, f"{paid:.0f} s", found, file=sys.stderr)
    yield Figure(f"{what}: all charged", "s", [paid], "<= 300")
    missing = abs(SUBSCRIPTIONS - found["invoices"]) + found["doubled"]
    yield Figure(f"{what}: periods not invoiced once", "", [missing], "<= 0")
    off = found["not charged once"] + abs(SUBSCRIPTIONS - found["at the provider"])
    yield Figure(f"{what}: not charged once", "", [off], "<= 0")
    yield Figure(f"{what}: sums that differ", "", [len(found["problems"])], "<= 0")


def _proration() -> Iterator[Figure]:
    """Switch plans on random days; what was charged is the price of the days used."""
    chance = random.Random(17)
    off = 0
    for _ in range(SWITCHES):
        day = date(2026, 1, 1) + timedelta(days=chance.randrange(5_000))
        terms = PlanTerms("Palms", chance.randrange(25))
        charged = used = 0
        current: PaidPeriod | None = None
        for plan in sorted(chance.sample(PLANS, chance.randint(2, 3)), key=lambda one: one.price):
            lines = lines_of(plan, day, terms, current)
            charged += sum_of(lines).cents
            if current:
                left = plans.unused_value(current.price, current.period, day)
                used += (current.price - left).cents
            current = PaidPeriod(plan, Period.of(day, day), plans.price_of(lines))
            day += timedelta(days=chance.randrange(28))
        assert current
        off += abs(charged - used - current.price.cents)
    yield Figure(f"{SWITCHES:,} random switches: off by", "cents", [off], "<= 0")


def _webhooks(name: str) -> Iterator[Figure]:
    ends = []
    for part in ("in_order", "shuffled"):
        with DATABASES[name]() as url:
            ends.append(_Lab(url).run(part))
    differ = sum(one != other for one, other in zip(*ends, strict=True))
    what = f"webhooks of {len(ends[0])} customers five times, shuffled, on {name}"
    yield Figure(f"{what}: other ends", "customers", [differ], "<= 0")


def _more_than_held(name: str) -> Iterator[Figure]:
    with DATABASES[name]() as url:
        found = _Lab(url).run("fill")
    print(name, found, file=sys.stderr)
    what = f"33 gallons' worth held, 34 filled, on {name}"
    off = abs(found["total"] - sum(found["received"])) + (found["state"] != "paid")
    yield Figure(f"{what}: not received", "cents", [off], "<= 0")
    yield Figure(f"{what}: sums that differ", "", [len(found["problems"])], "<= 0")


def measure() -> list[Figure]:
    figures = [*_proration()]
    for name in DATABASES:
        figures += [*_webhooks(name), *_more_than_held(name), *_renewals(name)]
    return figures


if __name__ == "__main__":
    show(measure())
