"""Billing History of a signed-in customer."""

import reflex as rx

from fuel_app.billing.state.history import HistoryState
from fuel_app.billing.ui.receipt import status_badge
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import panel
from fuel_app.kit.ui.stacked_table import Column, stacked_table


def history() -> rx.Component:
    return panel(
        "Billing History",
        stacked_table(
            HistoryState.lines,
            (
                Column("Date", lambda row: row.day),
                Column(
                    "Description",
                    lambda row: rx.el.a(row.description, href=row.address, class_name="link"),
                ),
                Column("Status", lambda row: status_badge(row.status)),
                Column("Amount", lambda row: row.amount, number=True),
            ),
            caption="Billing History",
            loading=HistoryState.loading,
            empty_text="No charges yet",
        ),
        rx.cond(
            HistoryState.has_more,
            rx.el.div(
                button("Show more", kind="secondary", on_click=HistoryState.show_more),
                class_name="mt-4 flex justify-center",
            ),
        ),
    )
