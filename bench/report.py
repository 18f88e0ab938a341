"""Figures of benchmarks with their spread and bound, and their table."""

import json
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench import QUICK

RESULTS = Path(__file__).parent / "results.json"


@dataclass(frozen=True)
class Figure:
    """One measured number with its unit and bound ('<= 200', '>= 0.3', or empty)."""

    what: str
    unit: str
    runs: Sequence[float]
    bound: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.runs)

    @property
    def holds(self) -> bool:
        if not self.bound:
            return True
        sign, limit = self.bound.split()
        return self.median <= float(limit) if sign == "<=" else self.median >= float(limit)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"


def show(figures: Sequence[Figure]) -> None:
    """Print the table."""
    rows = [
        (
            figure.what,
            _number(figure.median),
            figure.unit,
            f"{_number(min(figure.runs))} - {_number(max(figure.runs))} ({len(figure.runs)})",
            figure.bound,
            ("ok" if figure.holds else "MISSED") if figure.bound else "",
        )
        for figure in figures
    ]
    head = ("what", "median", "unit", "min - max (runs)", "bound", "")
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, tuple("-" * width for width in widths), *rows]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def keep(found: Mapping[str, Sequence[Figure]], seconds: Mapping[str, float]) -> None:
    """Write all runs of all figures as JSON, by benchmark, with the seconds that each took."""
    kept = {
        "mode": "quick" if QUICK else "full",
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "seconds": {name: round(spent) for name, spent in seconds.items()},
        "figures": {
            name: [asdict(each) | {"median": each.median, "holds": each.holds} for each in figures]
            for name, figures in found.items()
        },
    }
    RESULTS.write_text(json.dumps(kept, indent=1))
