"""Small parts of the screens that pay."""

from typing import Any

import reflex as rx

from fuel_app.billing.state.cards import TestPayments
from fuel_app.billing.state.shown import Part

TEST_PAYMENTS = "Test payments: no money moves"


def payments_note(class_name: str = "") -> rx.Component:
    """Return the note that stands on every page that pays, where no money moves."""
    return rx.cond(
        TestPayments.on,
        rx.el.p(
            TEST_PAYMENTS,
            class_name="w-fit rounded-full bg-[#FFF0CC] px-2.5 py-0.5 text-sm font-semibold "
            f"text-[#6B4700] {class_name}",
        ),
    )


def amounts(parts: Any) -> rx.Component:
    """Return how an amount is made up; nothing where it has one part."""

    def part(each: rx.Var[Part]) -> rx.Component:
        return rx.el.div(
            rx.el.dt(each.label),
            rx.el.dd(each.amount, class_name="shrink-0 tabular-nums"),
            class_name="flex justify-between gap-3",
        )

    return rx.cond(
        parts.length() > 0,
        rx.el.dl(rx.foreach(parts, part), class_name="mb-2 flex flex-col gap-1 text-sm text-muted"),
    )
