"""`make bench`: every benchmark, one table. `python -m bench joins` runs one of them.

`python -m bench instances FOLDER` solves the published instances of a folder, as `make bench` does
with `BENCH_INSTANCES=FOLDER`.
"""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import chain
from pathlib import Path

from bench import (
    accounts,
    bookings,
    company,
    company_load,
    customers,
    day_route,
    dispatch,
    instances,
    joins,
    lead_files,
    leads,
    lighthouse,
    load,
    money,
    neighborhoods,
    page_weight,
    promises,
    proofs,
    routing,
)
from bench.report import Figure, keep, show
from tests.site import Site, served

ON_ONE_SITE = {
    "page_weight": page_weight.measure,
    "lighthouse": lighthouse.measure,
    "joins": joins.measure,
    "customers": customers.measure,
    "day_route": day_route.measure,
}
BY_THEMSELVES = {
    "routing": routing.measure,
    "neighborhoods": neighborhoods.measure,
    "lead_files": lead_files.measure,
    "leads": leads.measure,
    "accounts": accounts.measure,
    "bookings": bookings.measure,
    "money": money.measure,
    "dispatch": dispatch.measure,
    "instances": lambda: _instances(os.environ.get("BENCH_INSTANCES", "")),
    "proofs": proofs.measure,
    "company": company.measure,
    "load": load.measure,
    "company_load": company_load.measure,
}


def run(names: Sequence[str]) -> dict[str, list[Figure]]:
    """Run benchmarks. A failed one becomes a missed figure, and the others go on."""
    found: dict[str, list[Figure]] = {}
    seconds: dict[str, float] = {}
    with ExitStack() as stack:
        site = cache(lambda: stack.enter_context(_site()))
        for name in names:
            started = time.perf_counter()
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                measure = BY_THEMSELVES.get(name)
                found[name] = measure() if measure else ON_ONE_SITE[name](site())
            except Exception:
                traceback.print_exc()
                found[name] = [Figure(f"{name} failed: see what it printed", "", [1], "<= 0")]
            seconds[name] = time.perf_counter() - started
            print(f"{name}: {seconds[name]:.0f} s", file=sys.stderr, flush=True)
            keep(found, seconds)  # a later crash cannot lose it
    return found


@contextmanager
def _site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as site:
        yield site


def _instances(folder: str) -> list[Figure]:
    return instances.measure(Path(folder)) if folder else []


def _figures(names: Sequence[str]) -> list[Figure]:
    match names:
        case ["instances", folder]:
            return instances.measure(Path(folder))
    known = [*ON_ONE_SITE, *BY_THEMSELVES]
    if unknown := set(names) - set(known):
        sys.exit(f"No benchmark {', '.join(unknown)}; there are {', '.join(known)}.")
    return [*chain.from_iterable(run(names or known).values())]


if __name__ == "__main__":
    figures = _figures(sys.argv[1:])
    show(figures)
    if not sys.argv[1:]:
        promises.show_all(figures)
    sys.exit(not all(figure.holds for figure in figures))
