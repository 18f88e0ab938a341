"""The staff's list: a dense table; on a phone a card for each lead."""

import reflex as rx

from fuel_app.components.admin.lead_row import BOX, CELL, lead_row
from fuel_app.components.button import button
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
_SKELETON_ROWS = 8

_HEAD = (
    "sticky top-0 z-10 border-b border-line bg-sand px-2 py-1 text-sm font-semibold text-muted "
    "first:pl-3"
)


def lead_table() -> rx.Component:
    return rx.el.div(
        rx.el.table(
            rx.el.caption("Leads and quote requests", class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(_choose_page(), *[_header(*column) for column in _COLUMNS], role="row"),
                role="rowgroup",
                class_name="max-lg:sr-only",
            ),
            rx.el.tbody(
                rx.cond(
                    LeadsState.loading,
                    rx.fragment(*[_skeleton()] * _SKELETON_ROWS),
                    rx.foreach(LeadsState.rows, lead_row),
                ),
                role="rowgroup",
                class_name="tabular-nums max-lg:block",
            ),
            role="table",
            aria_busy=LeadsState.loading,
            class_name="w-full border-collapse text-left text-sm max-lg:block",
        ),
        _what_else(),
        class_name="rounded-card border border-line bg-surface lg:overflow-x-auto",
    )


def _choose_page() -> rx.Component:
    box = rx.el.input(
        type="checkbox",
        checked=LeadsState.page_is_chosen,
        on_change=lambda _: LeadsState.choose_page(),
        aria_label="Select all rows on this page",
        class_name=BOX,
    )
    return rx.el.th(box, scope="col", role="columnheader", class_name=f"{_HEAD} w-8")


def _header(title: str, column: str) -> rx.Component:
    if not column:
        return rx.el.th(title, scope="col", role="columnheader", class_name=_HEAD)
    ascending, descending = LeadsState.sort == column, LeadsState.sort == f"-{column}"
    return rx.el.th(
        rx.el.button(
            title,
            rx.cond(
                ascending,
                rx.icon("arrow-up", size=14, aria_hidden=True),
                rx.cond(
                    descending,
                    rx.icon("arrow-down", size=14, aria_hidden=True),
                    rx.icon("chevrons-up-down", size=14, aria_hidden=True, class_name="opacity-50"),
                ),
            ),
            type="button",
            on_click=LeadsState.sort_by(column),
            class_name="inline-flex min-h-9 cursor-pointer items-center gap-1 whitespace-nowrap "
            "rounded hover:text-gulf-deep",
        ),
        scope="col",
        role="columnheader",
        aria_sort=rx.cond(ascending, "ascending", rx.cond(descending, "descending", "none")),
        class_name=_HEAD,
    )


def _skeleton() -> rx.Component:
    cell = rx.el.td(rx.el.div(class_name="skeleton h-5 rounded"), class_name=f"{CELL} max-lg:block")
    return rx.el.tr(
        *[cell] * (len(_COLUMNS) + 1),
        aria_hidden=True,
        class_name="border-b border-line max-lg:block max-lg:py-3",
    )


def _what_else() -> rx.Component:
    """What stands below the rows when there are none."""
    words = "px-4 py-10 text-center text-base text-muted"
    filtered = (LeadsState.search != "") | (LeadsState.type != "")
    nothing = rx.cond(
        filtered,
        rx.el.div(
            rx.el.p("No submissions match this search.", class_name="text-ink"),
            button("Show all", kind="secondary", on_click=LeadsState.clear, class_name="mt-3"),
        ),
        rx.el.p("No submissions yet. Whoever joins or asks for a quote appears here at once."),
    )
    failure = rx.el.div(
        rx.el.p("The list could not be loaded just now.", class_name="text-ink"),
        button("Try again", kind="secondary", on_click=LeadsState.load, class_name="mt-3"),
    )
    return rx.el.div(
        rx.cond(
            LeadsState.loading,
            rx.el.p("Loading submissions...", class_name="sr-only"),
            rx.cond(
                LeadsState.failed,
                rx.el.div(failure, class_name=words),
                rx.cond(LeadsState.rows.length() == 0, rx.el.div(nothing, class_name=words)),
            ),
        ),
        role="status",
    )
