"""A receipt on the screen and on paper."""

from typing import Any

import reflex as rx

from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.state.receipts import ReceiptScreen
from fuel_app.kit.ui.address import once_arrived
from fuel_app.kit.ui.brand import SECTION, brand, skip_link
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, badge, card
from fuel_app.kit.ui.page_heading import TITLE, PageHeading

_PRINT = rx.Var("() => window.print()").to(rx.EventChain)


def status_badge(status: Any) -> rx.Component:
    """Return the status of an invoice as a label."""
    color = rx.match(status, ("Paid", "green"), ("Open", "yellow"), ("Not paid", "yellow"), "grey")
    return badge(status, color)


def receipt_page(state: type[ReceiptScreen], *back: rx.Component) -> rx.Component:
    """Return a page that prints as the receipt alone; `back` leads to where one has come from."""
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(brand(), class_name=f"flex h-16 items-center {SECTION}"),
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
