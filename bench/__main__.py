"""`make bench`: every benchmark, one table. `python -m bench joins` runs one of them."""

import sys
import tempfile
from pathlib import Path

from bench import customers, joins, lighthouse, page_weight
from bench.report import show
from tests.site import served

BENCHMARKS = {
    "page_weight": page_weight.measure,
    "lighthouse": lighthouse.measure,
    "joins": joins.measure,
    "customers": customers.measure,
}

chosen = sys.argv[1:] or list(BENCHMARKS)
figures = []
with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as site:
    for name in chosen:
        print(f"{name} ...", file=sys.stderr)
        figures += BENCHMARKS[name](site)
show(figures)
sys.exit(not all(figure.holds for figure in figures))
