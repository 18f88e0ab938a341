"""Billing History of a signed-in customer."""

import reflex as rx

from fuel_app.billing.state.history import HistoryState
from fuel_app.billing.ui.parts import invoices
from fuel_app.billing.ui.receipt import status_badge
from fuel_app.kit.ui.button import button


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
