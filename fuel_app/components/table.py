"""The frame of every table: sticky header, and drawn states for loading, empty and failed."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app.components.button import button

SKELETON_ROWS = 6


def table_shell(
    columns: Sequence[rx.Component | str],
    rows: rx.Component,
    *,
    caption: str,
    loading: Any,
    empty: Any,
    empty_text: Any,
    failed: Any = False,
    on_retry: Any = None,
    loading_text: str = "Loading...",
) -> rx.Component:
    """A table with its states.

    Args:
        columns: What stands in the header: texts, or whole header cells (such as sort buttons).
        rows: What makes the body's rows, usually a foreach.
        caption: What the table is, for readers that cannot see it.
        loading: Whether rows are on their way; skeleton rows show meanwhile.
        empty: Whether there is nothing to show, and `empty_text` says so.
        failed: Whether the rows could not be had; a button then tries again by `on_retry`.
    """
    return rx.el.div(
        rx.el.table(
            rx.el.caption(caption, class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(
                    *[
                        column
                        if isinstance(column, rx.Component)
                        else rx.el.th(column, scope="col", class_name=HEADER_CELL)
                        for column in columns
                    ]
                ),
                class_name="sticky top-0 z-10 bg-sand",
            ),
            rx.el.tbody(
                rx.cond(loading, rx.fragment(*_skeleton(len(columns))), rows),
                class_name="tabular-nums",
            ),
            aria_busy=loading,
            class_name="w-full border-collapse text-left text-sm",
        ),
        rx.el.div(
            rx.cond(
                loading,
                rx.el.p(loading_text, class_name="sr-only"),
                rx.cond(failed, _failure(on_retry), rx.cond(empty, _emptiness(empty_text))),
            ),
            role="status",
        ),
        class_name="overflow-x-auto rounded-card border border-line bg-surface",
    )


HEADER_CELL = "whitespace-nowrap border-b border-line px-4 py-3 text-sm font-semibold text-muted"


def _skeleton(columns: int) -> list[rx.Component]:
    cell = rx.el.td(rx.el.div(class_name="skeleton h-4 rounded"), class_name="px-4 py-3")
    return [rx.el.tr(*[cell] * columns, aria_hidden=True) for _ in range(SKELETON_ROWS)]


def _emptiness(text: Any) -> rx.Component:
    return rx.el.p(text, class_name="px-4 py-10 text-center text-base text-muted")


def _failure(on_retry: Any) -> rx.Component:
    return rx.el.div(
        rx.el.p("This could not be loaded just now.", class_name="text-base text-ink"),
        button("Try again", kind="secondary", on_click=on_retry) if on_retry else rx.fragment(),
        class_name="flex flex-col items-center gap-3 px-4 py-10",
    )
