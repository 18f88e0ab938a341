"""Small parts of the screens that pay, and those that a preview shares with the real screen."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.billing.state.cards import TestPayments
from fuel_app.billing.state.shown import Part
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, panel
from fuel_app.kit.ui.in_view import alert_in_view
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.plans.rules.plans import PLANS, Plan

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


def refusal_beside(state: Any, name: Any) -> rx.Component:
    """Return why the press of a button was refused, with the way to another card.

    Args:
        state: The screen, a `PayingScreen` with `add_card`.
        name: Of the button.
    """
    return alert_in_view(
        rx.cond(state.error_at == name, state.error, ""),
        rx.cond(
            state.wants_card,
            button(
                "Update card",
                kind="secondary",
                disabled=state.busy != "",
                on_click=state.add_card,
                class_name="mb-4 max-sm:w-full",
            ),
        ),
        class_name="w-full",
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


def plan_line(name: Any, price: Any, billing: Any, *, is_billed: Any = True) -> rx.Component:
    """Return the current plan with its price, and its next billing if there is one."""
    return rx.el.div(
        rx.el.div(
            rx.el.p(name, class_name="text-xl font-bold text-ink"),
            rx.el.p(price, class_name="text-base text-ink"),
        ),
        rx.cond(
            is_billed,
            rx.el.dl(
                rx.el.dt("Next billing date", class_name="text-sm text-muted"),
                rx.el.dd(billing, class_name="text-base font-semibold tabular-nums text-ink"),
                class_name="sm:text-right",
            ),
        ),
        class_name="mt-4 flex flex-wrap items-end justify-between gap-4",
    )


def available_plans(entry: Callable[[Plan], rx.Component], *more: rx.Component) -> rx.Component:
    return rx.el.section(
        rx.el.h2("Available Plans", class_name=H2),
        rx.el.ul(*map(entry, PLANS), class_name="mt-6 grid gap-6 lg:grid-cols-3"),
        *more,
    )


def invoices(
    rows: Any,
    description: Callable[[Any], Any],
    status: Callable[[Any], Any],
    *more: rx.Component,
    **props: Any,
) -> rx.Component:
    """Return the table of what was charged."""
    return panel(
        "Billing History",
        stacked_table(
            rows,
            (
                Column("Date", lambda row: row.day),
                Column("Description", description),
                Column("Status", status),
                Column("Amount", lambda row: row.amount, number=True),
            ),
            caption="Billing History",
            **props,
        ),
        *more,
    )
