"""The dispatch board: map, trucks, timeline and unassigned bookings; tabs on a phone."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout, undo_bar
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.dialogs import MovingState
from fuel_app.dispatch.ui.board import Separator, board_frame, columns, no_shifts, unassigned
from fuel_app.dispatch.ui.board_head import board_head
from fuel_app.dispatch.ui.board_views import (
    board_map,
    breakdown_dialog,
    details_dialog,
    load_dialog,
    publish_dialog,
    timeline,
    weather_hold_dialog,
)
from fuel_app.dispatch.ui.due_near import due_near_dialog
from fuel_app.dispatch.ui.trucks import shifts_dialog
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.script import TITLE

_MAP = "board-map-part"

_TABS = {"map": "Map", "trucks": "Trucks", "timeline": "Timeline", "unassigned": "Unassigned"}


def dispatch() -> rx.Component:
    return admin_layout(
        once_arrived(BoardState, _board(), until=_unknown()),
        undo_bar(),
        address_mirror(BoardState),
        current=routes.DISPATCH,
    )


def _unknown() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Dispatch", class_name=TITLE),
        rx.el.p("Loading the board...", role="status", class_name="sr-only"),
        rx.el.div(class_name="skeleton mt-4 h-80 rounded-card", aria_hidden=True),
    )


def _board() -> rx.Component:
    return rx.el.div(
        board_head(),
        rx.el.p(
            rx.cond(
                MovingState.held != "",
                f"Moving {MovingState.name}: choose a place. Escape cancels.",
                rx.cond(BoardState.loading, "Loading the board...", ""),
            ),
            role="status",
            class_name="sr-only",
        ),
        _tabs(),
        board_frame(
            rx.el.div(
                # Its foot makes it higher, the separator wider.
                _part(
                    "map",
                    board_map(),
                    "max-lg:w-full! lg:h-64 lg:min-h-40 lg:w-72 lg:min-w-56 lg:shrink-0 "
                    "lg:resize-y lg:overflow-hidden lg:pb-3",
                    id=_MAP,
                ),
                rx.cond(
                    BoardState.columns.length() > 0,
                    rx.fragment(
                        Separator.create(
                            controls=_MAP,
                            min=25,
                            max=75,
                            aria_label="Width of the map",
                            class_name="h-64 w-3 shrink-0 cursor-col-resize touch-none "
                            "rounded-full max-lg:hidden after:mx-auto after:block after:h-full "
                            "after:w-1 after:rounded-full after:bg-line hover:after:bg-gulf",
                        ),
                        _part("timeline", timeline(), "lg:flex-1"),
                    ),
                ),
                class_name="lg:flex lg:items-start",
            ),
            rx.el.div(
                _part("unassigned", unassigned(), "lg:h-full lg:w-52 lg:shrink-0"),
                _part("trucks", _trucks(), "lg:h-full lg:flex-1"),
                class_name="lg:flex lg:min-h-80 lg:flex-1 lg:gap-3",
            ),
            class_name="flex flex-col gap-3 lg:min-h-0 lg:flex-1",
        ),
        details_dialog(),
        load_dialog(),
        breakdown_dialog(),
        publish_dialog(),
        weather_hold_dialog(),
        shifts_dialog(),
        due_near_dialog(),
        class_name="lg:flex lg:h-[calc(100dvh-4rem)] lg:min-h-[44rem] lg:flex-col",
    )


def _tabs() -> rx.Component:
    return rx.el.div(
        *[
            rx.el.button(
                text,
                _count() if name == "unassigned" else "",
                type="button",
                aria_pressed=BoardState.tab == name,
                on_click=BoardState.show_tab(name),
                class_name="min-h-11 flex-auto cursor-pointer rounded-lg px-1 text-sm "
                "font-semibold text-muted aria-pressed:bg-surface aria-pressed:text-ink "
                "aria-pressed:shadow-soft",
            )
            for name, text in _TABS.items()
        ],
        role="group",
        aria_label="Parts of the board",
        class_name="sticky top-28 z-20 mb-3 flex rounded-control bg-[#E8EEF0] p-1 lg:hidden",
    )


def _count() -> rx.Component:
    waiting = BoardState.unassigned.length()
    return rx.cond(waiting > 0, rx.el.span(" ", waiting, class_name="tabular-nums"))


def _part(name: str, part: rx.Component, class_name: str = "", **props: Any) -> rx.Component:
    """Render a part of the board; on a phone its tab shows it."""
    shown = f"min-w-0 {class_name}"
    return rx.el.div(
        part, class_name=rx.cond(BoardState.tab == name, shown, f"{shown} max-lg:hidden"), **props
    )


def _trucks() -> rx.Component:
    return rx.cond(
        BoardState.columns.length() > 0,
        columns(),
        rx.cond(
            BoardState.loading,
            rx.el.div(class_name="skeleton h-80 rounded-card", aria_hidden=True),
            rx.cond(BoardState.failed, rx.fragment(), no_shifts()),
        ),
    )
