"""The filters above the staff's list of groups."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.fields import CONTROL, field, select_field
from fuel_app.kit.ui.list import search_box
from fuel_app.kit.ui.live_form import live_form
from fuel_app.states.admin.neighborhoods import NeighborhoodsState

_FORM = "groups"
_SHORT_OF = (1, 2, 3, 5)
_ORDERS = {
    "name": "Name, A to Z",
    "-name": "Name, Z to A",
    "zip": "ZIP code, lowest first",
    "-zip": "ZIP code, highest first",
    "pioneer": "Pioneer, A to Z",
    "-pioneer": "Pioneer, Z to A",
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
            "Search neighborhoods",
            box_id="group-search",
            name="q",
            value=NeighborhoodsState.filters.q,
            epoch=NeighborhoodsState.filters_epoch,
            placeholder="Neighborhood",
        ),
        rx.el.div(
            _filter("ZIP contains", "zip", input_mode="numeric", max_length=5),
            _filter("Pioneer contains", "pioneer"),
            _filter("Min members", "min", NeighborhoodsState.min_error, input_mode="numeric"),
            _filter("Max members", "max", NeighborhoodsState.max_error, input_mode="numeric"),
            select_field(
                "Short of next tier",
                "missing",
                rx.fragment(
                    *[
                        rx.el.option(f"By {count} or fewer" if count > 1 else "By 1", value=count)
                        for count in _SHORT_OF
                    ]
                ),
                form=_FORM,
                placeholder="By any number",
                default_value=NeighborhoodsState.filters.missing,
                key=f"missing {NeighborhoodsState.filters_epoch}",
            ),
            class_name="mt-3 grid grid-cols-2 items-start gap-x-3 gap-y-2 sm:grid-cols-3 "
            "lg:grid-cols-5",
        ),
        on_edit=NeighborhoodsState.narrow,
        on_leave=NeighborhoodsState.leave,
        on_submit=NeighborhoodsState.narrow,
    )


def _filter(label: str, name: str, error: Any = "", **props: Any) -> rx.Component:
    return field(
        label,
        name,
        form=_FORM,
        error=error,
        default_value=getattr(NeighborhoodsState.filters, name),
        key=f"{name} {NeighborhoodsState.filters_epoch}",
        auto_complete="off",
        **{"max_length": 100} | props,
    )


def neighborhood_order() -> rx.Component:
    """Every order, those without a column too; on a phone it is the only way to sort."""
    return rx.el.label(
        rx.el.span("Sort by", class_name="shrink-0 text-sm font-semibold text-ink"),
        rx.el.select(
            *[rx.el.option(text, value=order) for order, text in _ORDERS.items()],
            value=NeighborhoodsState.sort,
            on_change=NeighborhoodsState.order,
            class_name=f"{CONTROL} cursor-pointer",
        ),
        class_name="flex items-center gap-2 max-sm:w-full",
    )
