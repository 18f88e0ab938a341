"""`make bench`: every benchmark, one table. `python -m bench joins` runs one of them."""

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench import (
    customers,
    day_route,
    groups,
    joins,
    lead_files,
    leads,
    lighthouse,
    page_weight,
    routing,
)
from bench.report import show
from tests.site import served

NEEDING_NO_SITE = {
    "routing": routing.measure,
    "groups": groups.measure,
    "lead_files": lead_files.measure,
    "leads": leads.measure,
}
BENCHMARKS = {
    "page_weight": page_weight.measure,
    "lighthouse": lighthouse.measure,
    "joins": joins.measure,
    "customers": customers.measure,
    "day_route": day_route.measure,
}

chosen = sys.argv[1:] or [*BENCHMARKS, *NEEDING_NO_SITE]
figures = []
with ExitStack() as stack:
    site = None
    for name in chosen:
        print(f"{name} ...", file=sys.stderr)
        if name in NEEDING_NO_SITE:
            figures += NEEDING_NO_SITE[name]()
            continue
        if site is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            site = stack.enter_context(served(Path(folder)))
        figures += BENCHMARKS[name](site)
show(figures)
sys.exit(not all(figure.holds for figure in figures))
