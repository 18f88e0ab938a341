"""Bars of a chart, as texts that it draws."""

import dataclasses
from collections.abc import Iterable

_TALLEST = 85  # per cent of the chart; above a bar stands its number


@dataclasses.dataclass(frozen=True)
class Bar:
    """One bar; `top` is where it begins, from above."""

    label: str
    value: str
    top: str


def bars(values: Iterable[tuple[str, float, str]]) -> list[Bar]:
    """Each value, given with its label and its text, beside the largest of them."""
    every = list(values)
    largest = max((value for _, value, _ in every), default=0) or 1
    return [
        Bar(label, text, f"{100 - _TALLEST * value / largest:.1f}%") for label, value, text in every
    ]
