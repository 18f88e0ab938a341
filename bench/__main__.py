"""`make bench`: every benchmark, one table. `python -m bench money load` runs two of them."""

import sys
import time
import traceback
from collections.abc import Sequence
from itertools import chain

from bench import (
    announcements,
    bookings,
    company,
    forecast,
    lead_files,
    load,
    money,
    openings,
    page_weight,
    pages,
    planning,
    reminders,
    visits,
)
from bench.report import Figure, keep, show

BENCHMARKS = {
    "page_weight": page_weight.measure,
    "pages": pages.measure,
    "openings": openings.measure,
    "bookings": bookings.measure,
    "money": money.measure,
    "reminders": reminders.measure,
    "announcements": announcements.measure,
    "planning": planning.measure,
    "visits": visits.measure,
    "forecast": forecast.measure,
    "lead_files": lead_files.measure,
    "company": company.measure,
    "load": load.measure,
}


def run(names: Sequence[str]) -> list[Figure]:
    """Run benchmarks. A failed one becomes a missed figure, and the others go on."""
    figures: dict[str, list[Figure]] = {}
    seconds: dict[str, float] = {}
    for name in names:
        started = time.perf_counter()
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            figures[name] = BENCHMARKS[name]()
        except Exception:
            traceback.print_exc()
            figures[name] = [Figure(f"{name} failed: see what it printed", "", [1], "<= 0")]
        seconds[name] = time.perf_counter() - started
        print(f"{name}: {seconds[name]:.0f} s", file=sys.stderr, flush=True)
        keep(figures, seconds)  # a later crash cannot lose it
    return [*chain.from_iterable(figures.values())]


if __name__ == "__main__":
    names = sys.argv[1:] or [*BENCHMARKS]
    if unknown := set(names) - BENCHMARKS.keys():
        sys.exit(f"No benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}.")
    figures = run(names)
    show(figures)
    sys.exit(not all(figure.holds for figure in figures))
