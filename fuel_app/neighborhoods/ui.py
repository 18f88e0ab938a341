"""The staff's screen of neighborhoods, their list and map; the progress to the next tier."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.kit.ui.address import address_mirror
from fuel_app.kit.ui.button import copy_button, download_link
from fuel_app.kit.ui.cards import badge, progress_bar
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.list import (
    ROW,
    alphabetic,
    cell,
    filter_select,
    list_summary,
    list_table,
    order_select,
    pager,
    search_box,
)
from fuel_app.kit.ui.map import MapLine, MapPin, map_frame
from fuel_app.kit.ui.script import TITLE
from fuel_app.neighborhoods.rules import TIERS, members_range
from fuel_app.neighborhoods.state import NeighborhoodsState


def tier_progress(card: Any) -> rx.Component:
    """Show how far the members of a `NeighborhoodCard` are on the way to the next tier."""
    return progress_bar(card.members, card.goal, "Members on the way to the next tier", card.color)


def neighborhoods() -> rx.Component:
    """Return the staff's screen."""
    return admin_layout(
        rx.el.div(
            rx.el.h1("Neighborhoods", class_name=TITLE),
            download_link("Export CSV", NeighborhoodsState.export_address),
            class_name="mb-4 flex flex-wrap items-center justify-between gap-3",
        ),
        _filters(),
        rx.el.div(
            list_summary(NeighborhoodsState),
            order_select(NeighborhoodsState, _ORDERS),
            class_name="my-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2",
        ),
        rx.el.div(
            rx.el.div(_table(), pager(NeighborhoodsState), class_name="min-w-0"),
            _map(),
            class_name="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_300px]",
        ),
        address_mirror(NeighborhoodsState),
        current=routes.NEIGHBORHOODS,
    )


MIDDLE = [27.36, -82.5]  # of the service area
ZOOM = 10
_LARGE = 38  # pixels; smaller circles lie above

_CIRCLE = (
    "absolute inset-0 flex cursor-pointer items-center justify-center rounded-full border-2 "
    "border-white text-xs font-bold tabular-nums shadow-soft aria-pressed:ring-3 "
    "aria-pressed:ring-ink focus-visible:outline-ink"
)
_COLORS = (
    "bg-[#5A6F79] text-white",
    "bg-sun text-ink",
    "bg-ok text-white",
    "bg-gulf-deep text-white",
)


def _map() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Where the neighborhoods are", class_name="text-lg font-bold text-ink"),
        rx.el.p(
            "A circle for each ZIP, larger with more members. Press one to list its neighborhoods.",
            class_name="mb-3 text-sm text-muted",
        ),
        map_frame(
            MapLine.create(
                positions=NeighborhoodsState.service_area,
                color="#0A5961",
                weight=2,
                opacity=0.6,
                dashes="4 6",
            ),
            rx.foreach(NeighborhoodsState.circles, _circle),
            label="Map of the neighborhoods",
            places=rx.cond(
                NeighborhoodsState.service_area.length() > 0,
                NeighborhoodsState.service_area,
                [MIDDLE],
            ),
            zoom=ZOOM,
            tile_url=NeighborhoodsState.tile_url,
            still_right="The circles are right.",
            class_name="h-[400px]",
        ),
        _legend(),
        class_name="rounded-card border border-line bg-surface p-4 xl:sticky xl:top-4",
    )


def _circle(circle: Any) -> rx.Component:
    return MapPin.create(
        rx.el.button(
            circle.members,
            type="button",
            on_click=NeighborhoodsState.show_zip(circle.zip_code),
            aria_label=circle.label,
            aria_pressed=circle.zip_code == NeighborhoodsState.question.zip,
            title=circle.label,
            class_name=rx.match(
                circle.tier,
                *[
                    (tier.level, f"{_CIRCLE} {color}")
                    for tier, color in zip(TIERS, _COLORS, strict=True)
                ],
                f"{_CIRCLE} {_COLORS[0]}",
            ),
        ),
        lat=circle.lat,
        lng=circle.lng,
        size=circle.size,
        front=circle.size < _LARGE,
        key=circle.zip_code,
    )


def _legend() -> rx.Component:
    """Say what the number in a circle counts and what its color means."""
    return rx.el.div(
        rx.el.p(
            "The number counts the members in the ZIP. The color is its largest neighborhood's "
            "tier:",
            id="map-legend",
            class_name="text-muted",
        ),
        rx.el.ul(
            *[
                rx.el.li(
                    rx.el.span(
                        aria_hidden=True, class_name=f"h-4 w-4 rounded-full {color.split()[0]}"
                    ),
                    f"{tier.label}: {members_range(tier)}",
                    class_name="flex items-center gap-2",
                )
                for tier, color in zip(TIERS, _COLORS, strict=True)
            ],
            aria_labelledby="map-legend",
            class_name="mt-1 grid grid-cols-2 gap-x-3 gap-y-1 text-ink tabular-nums",
        ),
        class_name="mt-3 text-sm",
    )


_COLUMNS = {
    "Neighborhood": "name",
    "ZIP Code": "zip",
    "Pioneer": "pioneer",
    "Members": "members",
    "Join Link": "",
}


def _table() -> rx.Component:
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
_ORDERS = {  # those without a column too
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


def _filters() -> rx.Component:
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
