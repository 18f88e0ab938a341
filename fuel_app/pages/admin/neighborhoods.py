"""The staff's list of neighborhood groups, and where they are."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.components.admin.neighborhood_filters import neighborhood_filters, neighborhood_order
from fuel_app.components.admin.neighborhood_map import neighborhood_map
from fuel_app.components.admin.neighborhood_table import neighborhood_table
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.list import pager
from fuel_app.kit.ui.page_heading import TITLE
from fuel_app.states.admin.neighborhoods import NeighborhoodsState


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
        current=routes.NEIGHBORHOODS,
    )


def _heading() -> rx.Component:
    return rx.el.div(
        rx.el.h1("Neighborhoods", class_name=TITLE),
        rx.el.A.create(
            rx.icon("download", size=18, aria_hidden=True),
            "Export CSV",
            href=NeighborhoodsState.export_address,
            download=True,
            class_name=button_class("secondary"),
        ),
        class_name="mb-4 flex flex-wrap items-center justify-between gap-3",
    )


def _bar() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            NeighborhoodsState.summary,
            aria_live="polite",
            class_name="min-h-6 text-base text-muted tabular-nums",
        ),
        neighborhood_order(),
        class_name="my-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2",
    )
