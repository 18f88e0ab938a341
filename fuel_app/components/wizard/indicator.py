"""Which steps there are, which are done, and where one is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    address: str
    done: Any = False  # whether it has a check mark; a Var works too


def step_indicator(
    steps: Sequence[Step], current: int, on_lead: Callable[[str], Any] | None
) -> rx.Component:
    entries = []
    for number, step in enumerate(steps, start=1):
        here = {"aria-current": "step"} if number == current + 1 else {}
        inside = (_circle(number, step.done, bool(here)), rx.el.span(step.title))
        look = (
            "flex min-h-11 items-center gap-1.5 rounded-control text-sm font-semibold sm:gap-2 "
            "sm:text-base "
            f"{'text-gulf-deep' if here else 'text-muted'}"
        )
        entries.append(
            rx.el.li(
                rx.el.a(
                    *inside,
                    href=step.address,
                    on_click=on_lead(step.address),
                    custom_attrs=here,
                    class_name=f"{look} underline-offset-4 hover:underline",
                )
                if on_lead
                else rx.el.div(*inside, custom_attrs=here, class_name=look)
            )
        )
    return rx.el.nav(
        rx.el.ol(*entries, class_name="flex flex-wrap items-center gap-x-3.5 sm:gap-x-6"),
        aria_label="Steps",
    )


def _circle(number: int, done: Any, here: bool) -> rx.Component:
    """The step's number; once it is done, a check mark in its place."""
    shape = "flex h-7 w-7 shrink-0 items-center justify-center rounded-full text-sm font-bold"
    current = f"{shape} bg-gulf text-white"
    return rx.cond(
        done,
        rx.el.span(
            rx.icon("check", size=18, aria_hidden=True),
            rx.el.span("Completed:", class_name="sr-only"),
            class_name=current if here else f"{shape} bg-[#CFE9E3] text-gulf-deep",
        ),
        rx.el.span(
            str(number),
            class_name=current
            if here
            else f"{shape} border border-[#8FA3AB] bg-surface text-muted",
        ),
    )
