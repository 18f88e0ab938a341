"""The staff's list of neighborhoods, and where they are."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, undo_bar
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.button import button, download_link
from fuel_app.kit.ui.list import list_summary, order_select, pager
from fuel_app.kit.ui.script import TITLE, way_back
from fuel_app.neighborhoods.state import (
    NeighborhoodsState,
    NeighborhoodState,
    NeighborhoodToolsState,
)
from fuel_app.neighborhoods.ui import (
    ORDERS,
    change_log,
    invitation,
    neighborhood_filters,
    neighborhood_map,
    neighborhood_members,
    neighborhood_table,
    neighborhood_tools,
    pioneer_card,
    standing,
)


def neighborhoods() -> rx.Component:
    return admin_layout(
        _heading(),
        neighborhood_filters(),
        _bar(),
        rx.el.div(
            rx.el.div(neighborhood_table(), pager(NeighborhoodsState), class_name="min-w-0"),
            neighborhood_map(),
            class_name="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_300px]",
        ),
        address_mirror(NeighborhoodsState),
        current=routes.NEIGHBORHOODS,
    )


def _heading() -> rx.Component:
    return rx.el.div(
        rx.el.h1("Neighborhoods", class_name=TITLE),
        download_link("Export CSV", NeighborhoodsState.export_address),
        class_name="mb-4 flex flex-wrap items-center justify-between gap-3",
    )


def _bar() -> rx.Component:
    return rx.el.div(
        list_summary(NeighborhoodsState),
        order_select(NeighborhoodsState, ORDERS),
        class_name="my-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2",
    )


def neighborhood() -> rx.Component:
    return admin_layout(
        way_back("Back to Neighborhoods", routes.NEIGHBORHOODS),
        once_arrived(
            NeighborhoodState,
            rx.cond(NeighborhoodState.missing, _missing(), _found()),
            until=_unknown(),
        ),
        neighborhood_tools(),
        undo_bar(),
        address_mirror(NeighborhoodState),
        current=routes.NEIGHBORHOODS,
    )


def _unknown() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Loading neighborhood...", class_name=TITLE),
        rx.el.div(class_name="skeleton mt-4 h-64 rounded-card", aria_hidden=True),
    )


def _missing() -> rx.Component:
    return rx.el.div(
        rx.icon("map-pin-off", size=32, aria_hidden=True, class_name="text-[#8FA3AB]"),
        rx.el.h1("Neighborhood not found", class_name=f"break-words {TITLE}"),
        rx.el.p("There is no such neighborhood (any more).", class_name="text-base text-muted"),
        class_name="flex flex-col items-center gap-2 py-20 text-center",
        role="status",
    )


def _found() -> rx.Component:
    return rx.fragment(
        _neighborhood_heading(),
        rx.el.div(
            rx.cond(
                NeighborhoodState.merged,
                rx.el.p(
                    rx.icon("merge", size=20, aria_hidden=True, class_name="shrink-0"),
                    "The neighborhood of this address has been merged into this one.",
                    class_name="mb-4 flex gap-2 rounded-card bg-seafoam p-4 text-base text-ink",
                ),
            ),
            role="status",
        ),
        rx.el.div(
            rx.el.div(standing(), pioneer_card(), class_name="grid gap-4 xl:grid-cols-2"),
            rx.el.div(
                invitation(),
                change_log(),
                class_name="flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-span-2",
            ),
            neighborhood_members(),
            class_name="grid grid-cols-[minmax(0,1fr)] items-start gap-x-6 gap-y-4 "
            "lg:grid-cols-[minmax(0,1fr)_18rem] lg:grid-rows-[auto_1fr]",
        ),
    )


def _neighborhood_heading() -> rx.Component:
    neighborhood = NeighborhoodState.neighborhood
    return rx.el.div(
        rx.el.div(
            rx.el.h1(
                rx.cond(NeighborhoodState.loading, "Loading neighborhood...", neighborhood.name),
                class_name=f"break-words {TITLE}",
            ),
            rx.el.p(
                rx.cond(
                    NeighborhoodState.loading,
                    "",
                    f"ZIP {neighborhood.zip_code} · since {NeighborhoodState.founded}",
                ),
                class_name="min-h-6 text-base text-muted tabular-nums",
            ),
            class_name="min-w-0",
        ),
        rx.el.div(
            button("Rename", kind="secondary", on_click=NeighborhoodToolsState.open_rename),
            button("Merge", kind="secondary", on_click=NeighborhoodToolsState.open_merge),
            class_name="flex gap-2",
        ),
        class_name="mb-4 flex flex-wrap items-end justify-between gap-3",
    )
