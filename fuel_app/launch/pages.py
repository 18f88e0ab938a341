"""The launch screen: where people wait, the areas' waves, and what becomes of invitations."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, for_admins, undo_bar
from fuel_app.areas.state import AreasState
from fuel_app.kit.ui.address import address_mirror
from fuel_app.kit.ui.script import TITLE
from fuel_app.launch.state.waves import DemandState, FunnelState, WavesState
from fuel_app.launch.ui.areas import area_dialogs
from fuel_app.launch.ui.waves import funnel, places, waves

LAUNCH_STATES = (DemandState, WavesState, AreasState, FunnelState)


def launch() -> rx.Component:
    return rx.fragment(
        admin_layout(
            rx.el.h1("Launch", class_name=TITLE),
            for_admins(_screen(), _only_admins()),
            current=routes.LAUNCH,
        ),
        undo_bar(),
    )


def _screen() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            DemandState.headline,
            aria_live="polite",
            class_name="mt-1 min-h-7 text-lg text-muted tabular-nums",
        ),
        rx.el.div(places(), waves(), funnel(), class_name="mt-4 flex max-w-6xl flex-col gap-8"),
        area_dialogs(),
        address_mirror(DemandState),
    )


def _only_admins() -> rx.Component:
    return rx.el.div(
        rx.el.p("Only admins can launch areas.", class_name="mt-3 text-base text-muted"),
        rx.el.a(
            "Back to the dashboard",
            href=routes.DASHBOARD,
            class_name="link inline-flex min-h-11 items-center text-base",
        ),
    )
