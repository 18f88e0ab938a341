"""The staff's list of leads and quote requests."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, undo_bar
from fuel_app.kit.ui.address import address_mirror
from fuel_app.kit.ui.button import download_link
from fuel_app.kit.ui.list import list_summary, order_select, pager, search_box
from fuel_app.kit.ui.script import TITLE, way_back
from fuel_app.submissions.state.leads import LeadsState
from fuel_app.submissions.ui.desk import lost_dialog
from fuel_app.submissions.ui.filters import filters_button, lead_filters
from fuel_app.submissions.ui.imports import lead_import
from fuel_app.submissions.ui.leads import (
    ORDERS,
    bulk_bar,
    delete_dialog,
    lead_details,
    lead_table,
)


def submissions() -> rx.Component:
    return admin_layout(
        _heading(),
        _toolbar(),
        lead_filters(),
        bulk_bar(),
        lead_table(),
        pager(LeadsState),
        lead_details(),
        lost_dialog(),
        delete_dialog(),
        undo_bar(),
        address_mirror(LeadsState),
        current=routes.SUBMISSIONS,
    )


def _heading() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            way_back("Back to Dashboard", routes.DASHBOARD),
            rx.el.h1("Submissions", class_name=TITLE),
            list_summary(LeadsState),
        ),
        rx.el.div(
            download_link("Export", LeadsState.export_address),
            download_link("Export all fields", LeadsState.whole_export_address),
            lead_import(),
            class_name="flex flex-wrap items-center gap-2",
        ),
        class_name="mb-4 flex flex-wrap items-end justify-between gap-3",
    )


def _toolbar() -> rx.Component:
    return rx.el.div(
        search_box(
            LeadsState,
            "Search submissions",
            box_id="lead-search",
            placeholder="Name, company, email, phone or ZIP",
        ),
        order_select(LeadsState, ORDERS, class_name="max-lg:hidden"),
        filters_button(),
        class_name="sticky top-0 z-20 mb-2 flex gap-2 bg-sand py-2",
    )
