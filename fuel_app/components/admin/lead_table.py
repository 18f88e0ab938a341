"""The staff's list of leads."""

import reflex as rx

from fuel_app.components.admin.lead_row import BOX, lead_row
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.list import HEAD, header, not_loaded, nothing_here, staff_table
from fuel_app.states.admin.leads import LeadsState

_COLUMNS = (
    ("Type", "type"),
    ("Status", "status"),
    ("Submission Date", "date"),
    ("Name", "name"),
    ("Lead Source", "source"),
    ("Email", ""),
    ("Actions", ""),
)


def lead_table() -> rx.Component:
    return staff_table(
        [_choose_page(), *[_header(*column) for column in _COLUMNS]],
        rx.foreach(LeadsState.rows, lead_row),
        caption="Leads and quote requests",
        loading=LeadsState.loading,
        below=_below(),
    )


def _choose_page() -> rx.Component:
    box = rx.el.input(
        type="checkbox",
        checked=LeadsState.page_is_chosen,
        on_change=lambda _: LeadsState.choose_page(),
        aria_label="Select all rows on this page",
        class_name=BOX,
    )
    return rx.el.th(box, scope="col", role="columnheader", class_name=f"{HEAD} w-8")


def _header(title: str, column: str) -> rx.Component:
    return header(title, column, sort=LeadsState.sort, sort_by=LeadsState.sort_by)


def _below() -> rx.Component:
    filtered = (LeadsState.search != "") | (LeadsState.type != "")
    nothing = rx.cond(
        filtered,
        rx.el.div(
            rx.el.p("No submissions match this search.", class_name="text-ink"),
            button("Show all", kind="secondary", on_click=LeadsState.clear, class_name="mt-3"),
        ),
        rx.el.p("No submissions yet. Whoever joins or asks for a quote appears here at once."),
    )
    return rx.cond(
        LeadsState.loading,
        rx.el.p("Loading submissions...", class_name="sr-only"),
        rx.cond(
            LeadsState.failed,
            not_loaded("The list could not be loaded just now.", LeadsState.load),
            rx.cond(LeadsState.rows.length() == 0, nothing_here(nothing)),
        ),
    )
