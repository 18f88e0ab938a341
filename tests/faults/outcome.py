"""Outcomes of faults, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """A fault, the load meanwhile, and the cost."""

    fault: str
    load: str
    served: int  # of the load, in the end
    lost: int = 0  # confirmed but not stored
    doubled: int = 0  # stored more than once
    half: int = 0  # rows without those that belong to them
    recovered_s: float = 0  # until the next confirmation, from the crash or the end of the outage
    meanwhile: str = ""  # messages to visitors, and what else was measured


_COLUMNS = (
    *("what was done", "load", "served", "lost", "doubled", "half"),
    *("seconds to recover", "meanwhile"),
)


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a Markdown table with a line for each fault."""
    lines = [_COLUMNS, ["---"] * len(_COLUMNS), *map(_cells, outcomes)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(outcome: Outcome) -> list[str]:
    numbers = (outcome.served, outcome.lost, outcome.doubled, outcome.half)
    recovered = f"{outcome.recovered_s:.1f}" if outcome.recovered_s else "-"
    return [outcome.fault, outcome.load, *map(str, numbers), recovered, outcome.meanwhile]
