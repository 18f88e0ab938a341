"""The tab 'Ledger' of one customer."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import submit_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.forms import field_of, live_form
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.customer_ledger import LedgerTab
from fuel_app.office.ui.customer_head import about_customer
from fuel_app.plans.rules.ledger import REASON_MAX


def ledger() -> rx.Component:
    return rx.fragment(
        rx.el.dl(rx.foreach(LedgerTab.left, _left), class_name="grid gap-4 sm:grid-cols-3"),
        rx.cond(
            LedgerTab.left.length() > 0,
            _adjust(),
            rx.cond(
                LedgerTab.loading, rx.fragment(), rx.el.p("No plan is active.", class_name=TEXT)
            ),
        ),
        stacked_table(
            LedgerTab.rows,
            [
                Column("When", lambda line: line.when),
                Column("What", lambda line: line.what),
                Column("Fills", lambda line: line.fills, number=True),
                Column("Booking", lambda line: line.booking),
                Column("Who", lambda line: line.who),
                Column("Reason", lambda line: line.reason),
            ],
            caption="Ledger",
            loading=LedgerTab.loading,
            empty_text="No entries yet",
        ),
    )


def _left(of_period: Any) -> rx.Component:
    return rx.el.div(
        rx.el.dt(of_period[0], class_name="text-sm font-semibold text-muted"),
        rx.el.dd(of_period[1], class_name="text-base font-bold text-ink"),
    )


def _adjust() -> rx.Component:
    edition = LedgerTab.edition.to_string()
    return live_form(
        alert(LedgerTab.error),
        about_customer(),
        rx.el.div(
            field_of(
                LedgerTab,
                "Fills",
                "fills",
                hint=rx.el.span("Of this period: 1 adds one, -1 takes one away. ", LedgerTab.most),
                max_length=10,
                key=f"fills-{edition}",
            ),
            field_of(
                LedgerTab, "Reason", "reason", max_length=REASON_MAX + 1, key=f"reason-{edition}"
            ),
            class_name="mt-4 grid gap-4 sm:grid-cols-[12rem_1fr]",
        ),
        rx.el.div(
            submit_button("Adjust", busy=LedgerTab.busy, busy_text="Adjusting..."),
            class_name="mt-3 flex justify-end",
        ),
        on_edit=LedgerTab.edit,
        on_submit=LedgerTab.adjust,
    )
