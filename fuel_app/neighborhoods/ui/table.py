"""The staff's list of neighborhoods."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import badge, progress_bar
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.list import ROW, alphabetic, cell, filter_select, list_table, search_box
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.share import copy_button
from fuel_app.neighborhoods.state.listing import NeighborhoodsState

_COLUMNS = {
    "Neighborhood": "name",
    "ZIP Code": "zip",
    "Pioneer": "pioneer",
    "Members": "members",
    "Join Link": "",
}


def neighborhood_table() -> rx.Component:
    nothing = "No neighborhoods found"
    return list_table(
        NeighborhoodsState,
        _row,
        _COLUMNS,
        caption="Neighborhoods",
        loading="Loading neighborhoods...",
        failed=nothing,
        nothing_found=nothing,
        nothing=nothing,
    )


# One word may be wider than the screen; a cell is as wide as its longest word.
_WORDS = "min-w-0 break-words lg:block lg:min-w-28 lg:max-w-60"


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
    """The row opens on a click anywhere; the name is the link for keyboards and readers."""
    return rx.el.a(
        row.name,
        href=row.address,
        on_click=rx.stop_propagation,
        class_name=f"{_WORDS} font-semibold text-ink hover:text-gulf-deep hover:underline "
        "max-lg:text-base",
    )


def _pioneer(row: Any) -> rx.Component:
    return rx.cond(
        row.pioneer != "",
        rx.el.span(row.pioneer, class_name=_WORDS),
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


_FORM = "neighborhoods"
_SHORT_OF = (1, 2, 3, 5)
ORDERS = {  # those without a column too
    **alphabetic(name="Name"),
    "zip": "ZIP code, lowest first",
    "-zip": "ZIP code, highest first",
    **alphabetic(pioneer="Pioneer"),
    "-members": "Most members",
    "members": "Fewest members",
    "missing": "Closest to the next tier",
    "-missing": "Furthest from the next tier",
    "-created": "Newest",
    "created": "Oldest",
}


def neighborhood_filters() -> rx.Component:
    return live_form(
        search_box(
            NeighborhoodsState,
            "Search neighborhoods",
            box_id="neighborhood-search",
            name="q",
            placeholder="Neighborhood",
        ),
        rx.el.div(
            _filter("ZIP contains", "zip", input_mode="numeric", max_length=5),
            _filter("Pioneer contains", "pioneer"),
            _filter("Min members", "min", NeighborhoodsState.problems["min"], input_mode="numeric"),
            _filter("Max members", "max", NeighborhoodsState.problems["max"], input_mode="numeric"),
            filter_select(
                NeighborhoodsState,
                "Short of next tier",
                "missing",
                [(each, f"By {each} or fewer" if each > 1 else "By 1") for each in _SHORT_OF],
                form=_FORM,
                everything="By any number",
            ),
            class_name="mt-3 grid grid-cols-2 items-start gap-x-3 gap-y-2 sm:grid-cols-3 "
            "lg:grid-cols-5",
        ),
        on_edit=NeighborhoodsState.narrow,
        on_submit=NeighborhoodsState.narrow,
    )


def _filter(label: str, name: str, error: Any = "", **props: Any) -> rx.Component:
    return field(
        label,
        name,
        form=_FORM,
        error=error,
        default_value=getattr(NeighborhoodsState.question, name),
        key=f"{name} {NeighborhoodsState.epoch}",
        auto_complete="off",
        **{"max_length": 100} | props,
    )
