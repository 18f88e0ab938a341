"""One neighborhood group, for the staff."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.components.admin.neighborhood_aside import change_log, invitation
from fuel_app.components.admin.neighborhood_detail import pioneer, standing
from fuel_app.components.admin.neighborhood_members import group_members
from fuel_app.components.admin.neighborhood_tools import group_tools
from fuel_app.components.admin.undo import undo_bar
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.page_heading import TITLE, way_back
from fuel_app.states.admin.neighborhood import NeighborhoodState
from fuel_app.states.admin.neighborhood_tools import GroupToolsState


def neighborhood() -> rx.Component:
    return admin_layout(
        way_back("Back to Neighborhoods", routes.NEIGHBORHOODS),
        rx.cond(NeighborhoodState.missing, _missing(), _found()),
        group_tools(),
        undo_bar(),
        current=routes.NEIGHBORHOODS,
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
        _heading(),
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
            rx.el.div(standing(), pioneer(), class_name="grid gap-4 xl:grid-cols-2"),
            rx.el.div(
                invitation(),
                change_log(),
                class_name="flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-span-2",
            ),
            group_members(),
            class_name="grid grid-cols-[minmax(0,1fr)] items-start gap-x-6 gap-y-4 "
            "lg:grid-cols-[minmax(0,1fr)_18rem] lg:grid-rows-[auto_1fr]",
        ),
    )


def _heading() -> rx.Component:
    group = NeighborhoodState.group
    return rx.el.div(
        rx.el.div(
            rx.el.h1(
                rx.cond(NeighborhoodState.loading, "Loading neighborhood...", group.name),
                class_name=f"break-words {TITLE}",
            ),
            rx.el.p(
                rx.cond(
                    NeighborhoodState.loading,
                    "",
                    f"ZIP {group.zip_code} · since {NeighborhoodState.founded}",
                ),
                class_name="min-h-6 text-base text-muted tabular-nums",
            ),
            class_name="min-w-0",
        ),
        rx.el.div(
            button("Rename", kind="secondary", on_click=GroupToolsState.open_rename),
            button("Merge", kind="secondary", on_click=GroupToolsState.open_merge),
            class_name="flex gap-2",
        ),
        class_name="mb-4 flex flex-wrap items-end justify-between gap-3",
    )
