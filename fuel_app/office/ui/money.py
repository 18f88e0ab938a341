"""The money on the settings: what came in per day, and what needs a look."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.button import button, download_link, line_button
from fuel_app.kit.ui.cards import TEXT, alert, panel
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.list import pager
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.customer_invoices import InvoicesTab
from fuel_app.office.state.money import MoneyState

_FORM = "money"


def money() -> rx.Component:
    return rx.fragment(
        once_arrived(
            MoneyState,
            _report(),
            until=rx.el.div(class_name="skeleton h-80 rounded-card", aria_hidden=True),
        ),
        address_mirror(MoneyState),
    )


def _report() -> rx.Component:
    report = MoneyState.report
    return rx.fragment(
        panel(
            "What came in",
            rx.el.p(
                "Captured and refunded are on cards. Income is what was invoiced, less discounts.",
                class_name=f"mt-1 {TEXT}",
            ),
            alert(rx.cond(MoneyState.failed, "The money cannot be read just now.", "")),
            _range(),
            _table(
                report.days,
                Column("Day", lambda line: line.day),
                Column("Captured", lambda line: line.captured, number=True),
                Column("Refunded", lambda line: line.refunded, number=True),
                Column("Income", _income, number=True),
                caption="Days",
                empty_text="Nothing moved on these days.",
            ),
            action=download_link("Download CSV", MoneyState.export, class_name="shrink-0"),
        ),
        panel(
            "Open and failed payments",
            _concerns(report.payments, "No payment is open or has failed."),
            pager(MoneyState),
        ),
        panel("Disputes", _concerns(report.disputes, "No payment is disputed.")),
        panel(
            "Refunds that failed",
            _concerns(report.refunds, "No refund has failed.", Column("Change", _try_again)),
        ),
        panel(
            "Unmatched webhooks",
            _table(
                report.webhooks,
                Column("Event", lambda line: line.what),
                Column("Object", lambda line: line.object_id),
                Column("Received", lambda line: line.when),
                Column("Change", _look_again),
                caption="Unmatched webhooks",
                empty_text="All webhooks have found their payment.",
            ),
            lead="Stripe has sent events about objects that are none of ours.",
        ),
    )


def _range() -> rx.Component:
    shown = MoneyState.shown
    fields = [
        field(
            label,
            name,
            form=_FORM,
            error=MoneyState.errors[name],
            type="date",
            default_value=shown[name],
            key=f"{name} {shown[name]}",  # it appears anew with another day
        )
        for label, name in (("First day", "first"), ("Last day", "last"))
    ]
    return rx.el.form(
        *fields,
        button("Show", kind="secondary", type="submit", class_name="sm:mt-6"),
        on_submit=MoneyState.narrow,
        no_validate=True,
        class_name="mt-4 grid gap-4 sm:grid-cols-[12rem_12rem_auto] sm:justify-start",
    )


def _income(line: Any) -> rx.Component:
    parts = rx.foreach(line.income, lambda part: rx.el.span(part, class_name="block text-sm"))
    return rx.fragment(rx.el.strong(line.earned), parts)


def _concerns(rows: Any, empty_text: str, last: Column | None = None) -> rx.Component:
    return _table(
        rows,
        Column("Customer", _customer),
        Column("When", lambda line: line.when),
        Column("Amount", lambda line: line.amount, number=True),
        last or Column("State", lambda line: line.what),
        caption="Payments",
        empty_text=empty_text,
    )


def _customer(line: Any) -> rx.Component:
    href = routes.customer_tab(line.person_id, InvoicesTab.KEY)
    return rx.cond(line.person_id != "", rx.el.a(line.who, href=href, class_name="link"), line.who)


def _try_again(line: Any) -> rx.Component:
    press = MoneyState.retry_refund(line.refund_id)
    return line_button("Try again", f"{line.who}, {line.amount}", on_click=press)


def _look_again(line: Any) -> rx.Component:
    return line_button("Look again", line.object_id, on_click=MoneyState.look_again(line.id))


def _table(rows: Any, *columns: Column, caption: str, empty_text: str) -> rx.Component:
    return stacked_table(
        rows,
        columns,
        caption=caption,
        loading=MoneyState.loading,
        empty_text=rx.cond(MoneyState.failed, "", empty_text),
    )
