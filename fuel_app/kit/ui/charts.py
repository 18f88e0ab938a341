"""Bars of a chart, as texts that it draws."""

import dataclasses
from collections.abc import Iterable
from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import H2, card

_TALLEST = 85  # per cent of the chart; above a bar stands its number


@dataclasses.dataclass(frozen=True)
class Bar:
    """One bar; `top` is where it begins, from above."""

    label: str
    value: str
    top: str


def bars(values: Iterable[tuple[str, float, str]]) -> list[Bar]:
    """Return bars for (label, value, text), as high as their share of the largest value."""
    every = list(values)
    largest = max((value for _, value, _ in every), default=0) or 1
    return [
        Bar(label, text, f"{100 - _TALLEST * value / largest:.1f}%") for label, value, text in every
    ]


def bar_chart(
    title: str, bars: rx.Var[list[Bar]], *, unit: str, heading: Any = rx.el.h2, class_name: str = ""
) -> rx.Component:
    """A chart; sizes are in per cent, so that the texts do not scale. Screen readers say `unit`."""
    return card(
        heading(title, class_name=H2),
        rx.el.ol(
            rx.foreach(bars, lambda bar: _bar(bar, unit)),
            class_name=f"mt-4 flex min-h-44 items-end gap-2 sm:gap-4 {class_name}",
        ),
    )


def _bar(bar: rx.Var[Bar], unit: str) -> rx.Component:
    return rx.el.li(
        rx.el.span(f"{bar.label}: {bar.value} {unit}", class_name="sr-only"),
        rx.el.svg(
            # Longer than there is room for: only the upper corners are round.
            rx.el.svg.rect(
                x="0", y=bar.top, width="100%", height="110%", rx="6", class_name="fill-gulf"
            ),
            rx.el.svg.text(
                bar.value,
                x="50%",
                y=bar.top,
                dy="-8",
                custom_attrs={"textAnchor": "middle"},
                class_name="fill-ink text-sm font-semibold tabular-nums",
            ),
            aria_hidden=True,
            class_name="block h-36 w-full overflow-hidden border-b border-line",
        ),
        rx.el.span(
            bar.label,
            aria_hidden=True,
            class_name="mt-1 block whitespace-nowrap text-center text-sm text-muted",
        ),
        class_name="min-w-0 max-w-20 flex-1",
    )
