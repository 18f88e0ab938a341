"""The frame of the staff's lists: a dense table, on a phone a card for each row.

A table that is laid out otherwise is no table to a reader any more, so the roles are said.
"""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app.components.button import button

SKELETON_ROWS = 8

CELL = (
    "px-2 py-2 align-middle lg:first:pl-3 max-lg:flex max-lg:items-center max-lg:justify-between "
    "max-lg:gap-3 max-lg:px-4 max-lg:py-1"
)
HEAD = (
    "sticky top-0 z-10 border-b border-line bg-sand px-2 py-1 text-sm font-semibold text-muted "
    "first:pl-3"
)
ROW = (
    "border-b border-line last:border-b-0 hover:bg-sand max-lg:relative max-lg:flex "
    "max-lg:flex-col max-lg:py-3"
)


def staff_table(
    headers: Sequence[rx.Component],
    rows: Any,
    *,
    caption: str,
    loading: Any,
    below: rx.Component,
) -> rx.Component:
    """A table with its header row.

    Args:
        rows: What makes the body's rows, usually a foreach.
        caption: What the table is, for readers that cannot see it.
        loading: Whether rows are on their way; skeleton rows show meanwhile.
        below: Stands under the rows, such as what there is to say when there are none.
    """
    return rx.el.div(
        rx.el.table(
            rx.el.caption(caption, class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(*headers, role="row"), role="rowgroup", class_name="max-lg:sr-only"
            ),
            rx.el.tbody(
                rx.cond(loading, rx.fragment(*[_skeleton(len(headers))] * SKELETON_ROWS), rows),
                role="rowgroup",
                class_name="tabular-nums max-lg:block",
            ),
            role="table",
            aria_busy=loading,
            class_name="w-full border-collapse text-left text-sm max-lg:block",
        ),
        rx.el.div(below, role="status"),
        class_name="rounded-card border border-line bg-surface lg:overflow-x-auto",
    )


def header(title: str, column: str = "", *, sort: Any = "", sort_by: Any = None) -> rx.Component:
    """A header cell; with a column, a click on it sorts.

    Args:
        sort: The column that the list is sorted by, with a minus in front when descending.
        sort_by: An event that takes the column.
    """
    if not column:
        return rx.el.th(title, scope="col", role="columnheader", class_name=HEAD)
    ascending, descending = sort == column, sort == f"-{column}"
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
            on_click=sort_by(column),
            class_name="inline-flex min-h-9 cursor-pointer items-center gap-1 whitespace-nowrap "
            "rounded hover:text-gulf-deep",
        ),
        scope="col",
        role="columnheader",
        aria_sort=rx.cond(ascending, "ascending", rx.cond(descending, "descending", "none")),
        class_name=HEAD,
    )


def cell(title: str, shows: Any, class_name: str = "") -> rx.Component:
    """A cell; on a phone its title stands beside what it shows, unless there is none."""
    label = rx.el.span(title, aria_hidden=True, class_name="font-semibold text-muted lg:hidden")
    return rx.el.td(
        label if title else rx.fragment(),
        shows,
        role="cell",
        class_name=f"{CELL} {class_name}",
    )


def nothing_here(*children: Any) -> rx.Component:
    """What stands below a table without rows."""
    return rx.el.div(*children, class_name="px-4 py-10 text-center text-base text-muted")


def not_loaded(text: str, on_retry: Any) -> rx.Component:
    """What stands below a table whose rows could not be had."""
    return nothing_here(
        rx.el.p(text, class_name="text-ink"),
        button("Try again", kind="secondary", on_click=on_retry, class_name="mt-3"),
    )


def _skeleton(columns: int) -> rx.Component:
    blank = rx.el.td(
        rx.el.div(class_name="skeleton h-5 rounded"), class_name=f"{CELL} max-lg:block"
    )
    return rx.el.tr(
        *[blank] * columns,
        aria_hidden=True,
        class_name="border-b border-line max-lg:block max-lg:py-3",
    )
