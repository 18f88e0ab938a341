"""The staff's list of neighborhoods, and where they are."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.kit.ui.address import address_mirror
from fuel_app.kit.ui.button import download_link
from fuel_app.kit.ui.list import list_summary, order_select, pager
from fuel_app.kit.ui.script import TITLE
from fuel_app.neighborhoods.state import NeighborhoodsState
from fuel_app.neighborhoods.ui import (
    ORDERS,
    neighborhood_filters,
    neighborhood_map,
    neighborhood_table,
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
