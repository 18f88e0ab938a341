"""The staff's list of neighborhood groups."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import badge, progress_bar
from fuel_app.kit.ui.list import ROW, cell, header, nothing_here, staff_table
from fuel_app.kit.ui.share import copy_button
from fuel_app.states.admin.neighborhoods import NeighborhoodsState

_COLUMNS = (
    ("Neighborhood", "name"),
    ("ZIP Code", "zip"),
    ("Pioneer", "pioneer"),
    ("Members", "members"),
    ("Join Link", ""),
)


def neighborhood_table() -> rx.Component:
    return staff_table(
        [_header(*column) for column in _COLUMNS],
        rx.foreach(NeighborhoodsState.rows, _row),
        caption="Neighborhood groups",
        loading=NeighborhoodsState.loading,
        below=_below(),
    )


def _header(title: str, column: str) -> rx.Component:
    return header(title, column, sort=NeighborhoodsState.sort, sort_by=NeighborhoodsState.sort_by)


def _row(row: Any) -> rx.Component:
    return rx.el.tr(
        cell("", _name(row), "max-lg:order-first max-lg:justify-start"),
        cell("ZIP Code", rx.el.span(row.zip_code)),
        cell("Pioneer", _pioneer(row)),
        cell("Members", _members(row)),
        cell("Join Link", _join_link(row)),
        key=row.id,
        role="row",
        on_click=rx.redirect(row.address),
        class_name=f"{ROW} cursor-pointer",
    )


def _name(row: Any) -> rx.Component:
    """The row opens on a click anywhere; the name is the link for everybody else."""
    return rx.el.a(
        row.name,
        href=row.address,
        on_click=rx.stop_propagation,
        class_name="min-w-0 break-words font-semibold text-ink hover:text-gulf-deep "
        "hover:underline max-lg:text-base",
    )


def _pioneer(row: Any) -> rx.Component:
    return rx.cond(
        row.pioneer != "",
        rx.el.span(row.pioneer, class_name="min-w-0 break-words"),
        rx.el.span("No pioneer", class_name="text-muted"),
    )


def _members(row: Any) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            badge(row.members_text, row.color),
            rx.el.span(row.tier, class_name="font-medium text-ink"),
            class_name="flex items-center justify-between gap-2",
        ),
        progress_bar(row.members, row.goal, f"{row.members_text} of {row.goal} members", row.color),
        rx.cond(row.missing != "", rx.el.span(row.missing, class_name="text-xs text-muted")),
        class_name="flex w-36 flex-col gap-1 max-lg:w-44",
    )


def _join_link(row: Any) -> rx.Component:
    return copy_button(
        rx.icon("copy", size=16, aria_hidden=True),
        "Copy Link",
        text=row.join_link,
        label=f"Copy Link of {row.name}",
        class_name="inline-flex min-h-11 min-w-26 shrink-0 cursor-pointer items-center "
        "justify-center gap-1.5 whitespace-nowrap rounded-control px-1 text-sm font-semibold "
        "text-gulf-deep hover:bg-seafoam lg:min-h-9",
    )


def _below() -> rx.Component:
    return rx.cond(
        NeighborhoodsState.loading,
        rx.el.p("Loading neighborhoods...", class_name="px-4 py-3 text-base text-muted"),
        rx.cond(NeighborhoodsState.rows.length() == 0, nothing_here(_nothing())),
    )


def _nothing() -> rx.Component:
    return rx.el.div(
        rx.el.p("No neighborhoods found", class_name="text-ink"),
        rx.cond(
            NeighborhoodsState.failed,
            button(
                "Try again",
                kind="secondary",
                on_click=NeighborhoodsState.load,
                class_name="mt-3",
            ),
            rx.cond(
                NeighborhoodsState.filtered,
                button(
                    "Show all",
                    kind="secondary",
                    on_click=NeighborhoodsState.clear,
                    class_name="mt-3",
                ),
            ),
        ),
    )
