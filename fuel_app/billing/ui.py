"""Billing History, a receipt on the screen and on paper, and small parts of screens that pay."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.state.cards import Part, TestPayments
from fuel_app.billing.state.receipts import HistoryState, ReceiptScreen
from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, TEXT, badge, card, panel
from fuel_app.kit.ui.frame import SECTION, brand, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading, alert_in_view
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


def history() -> rx.Component:
    return invoices(
        HistoryState.lines,
        lambda row: rx.el.a(row.description, href=row.address, class_name="link"),
        lambda row: status_badge(row.status),
        rx.cond(
            HistoryState.has_more,
            rx.el.div(
                button("Show more", kind="secondary", on_click=HistoryState.show_more),
                class_name="mt-4 flex justify-center",
            ),
        ),
        loading=HistoryState.loading,
        empty_text="No charges yet",
    )


_PRINT = rx.Var("() => window.print()").to(rx.EventChain)


def status_badge(status: Any) -> rx.Component:
    """Return the status of an invoice as a label."""
    color = rx.match(status, ("Paid", "green"), ("Open", "yellow"), ("Not paid", "yellow"), "grey")
    return badge(status, color)


def receipt_page(
    state: type[ReceiptScreen], *back: rx.Component, menu: rx.Component | None = None
) -> rx.Component:
    """Return a page that prints as the receipt alone; `back` leads to where one has come from."""
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(
                brand(),
                menu or rx.fragment(),
                class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
            ),
            class_name="border-b border-line bg-surface print:hidden",
        ),
        rx.el.main(
            rx.el.div(*back, class_name="mx-auto max-w-3xl print:hidden"),
            once_arrived(
                state,
                rx.cond(
                    state.missing,
                    _instead(rx.el.p(InvoiceGone.message, role="status", class_name=TEXT)),
                    _receipt(state),
                ),
                until=_instead(
                    rx.el.div(class_name="skeleton h-64 rounded-control", aria_hidden=True)
                ),
            ),
            id="content",
            class_name=f"py-6 sm:py-10 print:p-0 {SECTION}",
        ),
    )


def _instead(*children: Any) -> rx.Component:
    """Return what stands there while there is no receipt."""
    return rx.el.div(
        PageHeading.create("Receipt", class_name=f"{TITLE} mb-4"),
        card(*children),
        class_name="mx-auto max-w-3xl",
    )


def _receipt(state: type[ReceiptScreen]) -> rx.Component:
    shown = state.receipt
    return rx.el.div(
        rx.el.div(
            PageHeading.create(f"{shown.title} ", shown.name, class_name=TITLE),
            rx.el.div(
                button("Print", kind="secondary", on_click=_PRINT),
                button(
                    rx.icon("download", size=18, aria_hidden=True),
                    "Download PDF",
                    on_click=state.download,
                ),
                class_name="flex flex-wrap gap-3 print:hidden",
            ),
            class_name="mb-4 flex flex-wrap items-center justify-between gap-3",
        ),
        card(
            rx.el.div(
                rx.el.address(
                    rx.foreach(
                        shown.company, lambda line: rx.el.p(line, class_name="first:font-bold")
                    ),
                    class_name="text-base not-italic text-ink wrap-anywhere",
                ),
                status_badge(shown.status),
                class_name="flex items-start justify-between gap-4",
            ),
            rx.el.dl(
                rx.foreach(shown.facts, _fact),
                class_name="mt-6 grid gap-x-6 gap-y-3 sm:grid-cols-2 print:grid-cols-2",
            ),
            rx.el.dl(
                rx.foreach(shown.lines, lambda line: _amount(line.text, line.amount, line.detail)),
                class_name="mt-6 divide-y divide-line border-y border-line",
            ),
            rx.el.dl(
                rx.foreach(shown.sums, lambda each: _amount(each[0], each[1])),
                class_name="[&>div:last-child]:font-bold",
            ),
            rx.foreach(shown.notes, lambda note: rx.el.p(note, class_name=f"mt-4 {TEXT}")),
            class_name="print:border-0 print:p-0 print:shadow-none",
        ),
        class_name="mx-auto max-w-3xl",
    )


def _fact(fact: Any) -> rx.Component:
    return rx.el.div(
        rx.el.dt(fact[0], class_name="text-sm font-semibold text-muted"),
        rx.el.dd(fact[1], class_name="text-base text-ink wrap-anywhere"),
    )


def _amount(text: Any, amount: Any, detail: Any = "") -> rx.Component:
    return rx.el.div(
        rx.el.dt(
            text,
            rx.cond(detail != "", rx.el.span(detail, class_name="block text-sm text-muted")),
            class_name="min-w-0 wrap-anywhere",
        ),
        rx.el.dd(amount, class_name="shrink-0 tabular-nums"),
        class_name="flex items-baseline justify-between gap-4 py-2 text-base text-ink",
    )
