"""A short table that becomes cards on a phone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import reflex as rx

SKELETON_ROWS = 3


@dataclass(frozen=True)
class Column:
    """One column: its title, what a row shows there, and whether that is a number."""

    title: str
    shows: Callable[[Any], Any]
    number: bool = False


def stacked_table(
    rows: Any, columns: Sequence[Column], *, caption: str, loading: Any, empty_text: Any = ""
) -> rx.Component:
    """Render `rows`; on a phone each is a card that names its values, those that it has.

    A table that is laid out otherwise is no table to a reader any more, so the roles are said.
    """
    return rx.el.div(
        rx.el.table(
            rx.el.caption(caption, class_name="sr-only"),
            rx.el.thead(
                rx.el.tr(*[_header(column) for column in columns], role="row"),
                role="rowgroup",
                class_name="max-sm:sr-only",
            ),
            rx.el.tbody(
                rx.cond(
                    loading,
                    rx.fragment(*[_skeleton(columns)] * SKELETON_ROWS),
                    rx.foreach(rows, lambda row: _row(row, columns)),
                ),
                role="rowgroup",
                class_name="tabular-nums max-sm:block",
            ),
            role="table",
            aria_busy=loading,
            class_name="w-full border-collapse text-left text-base max-sm:block",
        ),
        rx.cond(
            loading | (rows.length() > 0),
            rx.fragment(),
            rx.el.p(empty_text, class_name="py-6 text-center text-base text-muted"),
        ),
        class_name="mt-3",
    )


_LINE = "border-b border-line last:border-b-0 max-sm:block max-sm:py-3"


def _side(column: Column) -> str:
    return "sm:text-right" if column.number else ""


def _header(column: Column) -> rx.Component:
    return rx.el.th(
        column.title,
        scope="col",
        role="columnheader",
        class_name="whitespace-nowrap border-b border-line py-2 pr-4 text-sm font-semibold "
        f"text-muted last:pr-0 {_side(column)}",
    )


def _row(row: Any, columns: Sequence[Column]) -> rx.Component:
    return rx.el.tr(
        *[
            rx.el.td(
                rx.el.span(
                    column.title,
                    aria_hidden=True,
                    class_name="shrink-0 text-sm font-semibold text-muted sm:hidden",
                ),
                rx.el.span(
                    column.shows(row),
                    class_name="min-w-0 wrap-anywhere max-sm:text-right max-sm:[&>a]:inline-flex "
                    "max-sm:[&>a]:min-h-11 max-sm:[&>a]:items-center",
                ),
                role="cell",
                class_name="py-3 pr-4 text-ink last:pr-0 sm:min-w-24 max-sm:flex "
                "max-sm:items-baseline max-sm:justify-between max-sm:gap-4 max-sm:px-0 "
                f"max-sm:py-1 max-sm:has-[>span:last-child:empty]:hidden {_side(column)}",
            )
            for column in columns
        ],
        role="row",
        class_name=_LINE,
    )


def _skeleton(columns: Sequence[Column]) -> rx.Component:
    cell = rx.el.td(
        rx.el.div(class_name="skeleton h-4 rounded"), class_name="py-4 pr-4 max-sm:block"
    )
    return rx.el.tr(*[cell] * len(columns), aria_hidden=True, class_name=_LINE)
