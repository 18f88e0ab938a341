"""The preview's route: the next destination, the map, and the list to order."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.state.day_route import RouteStop
from fuel_app.dispatch.ui.day_route import (
    ENTRY,
    day_map,
    left_out,
    list_by_time,
    map_and_list,
    next_destination,
    stop_pin,
    stop_row,
)
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2
from fuel_app.kit.ui.map import MapLine, MapPin, browser_position, error_card
from fuel_app.kit.ui.reorder import reorder_entry, reorder_list
from fuel_app.preview.state.day_route import DayRouteState

_preview = DayRouteState


_HINT = "order-hint"


_PREVIEW_PIN = (
    "flex h-9 w-9 cursor-pointer items-center justify-center rounded-full border-2 border-white "
    "bg-gulf-deep text-base font-bold tabular-nums text-white shadow-soft aria-pressed:bg-ink "
    "aria-pressed:ring-3 aria-pressed:ring-sun focus-visible:outline-ink"
)


def day_route() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.h2("Optimized Route", id="route-title", class_name=H2),
            rx.foreach(
                _preview.notices, lambda notice: rx.el.p(notice, class_name="text-sm text-muted")
            ),
            rx.cond(
                _preview.roads != "",
                rx.el.p(f"Route by {_preview.roads}", class_name="text-sm text-muted"),
            ),
            class_name="flex flex-wrap items-baseline justify-between gap-x-4",
        ),
        map_and_list(
            rx.cond(_preview.error != "", error_card(_preview.error, on_retry=_preview.retry)),
            rx.cond(
                _preview.stops.length() > 0,
                next_destination(_preview.stops[0], _preview.next_drive),
            ),
            _preview_map(),
            listed=rx.fragment(_stop_list(), left_out(_preview, "Not on the route")),
            stop_ids=_preview.stop_ids,
        ),
        browser_position(
            round=_preview.position_round, on_found=_preview.found, on_missing=_preview.missing
        ),
        aria_labelledby="route-title",
        aria_busy=_preview.busy,
        on_mount=_preview.open,
        class_name="mt-8",
    )


def _preview_map() -> rx.Component:
    return day_map(
        _preview,
        _preview_pin,
        MapLine.create(positions=_preview.line, color="#1D4ED8", weight=5, opacity=0.85),
        rx.cond(
            _preview.start.length() > 0,
            MapPin.create(
                rx.el.span(
                    rx.el.span("Your position", class_name="sr-only"),
                    class_name="block h-5 w-5 rounded-full border-3 border-white bg-[#1D4ED8] "
                    "shadow-soft",
                ),
                lat=_preview.start[0],
                lng=_preview.start[1],
                size=20,
            ),
        ),
        zoom=11,
        still_right="Stops and route are right.",
        waiting=(_preview.stops.length() == 0) & _preview.busy,
    )


def _preview_pin(stop: rx.Var[RouteStop]) -> rx.Component:
    return stop_pin(
        stop, stop.place, label=f"Stop {stop.place}: {stop.customer}", class_name=_PREVIEW_PIN
    )


def _stop_list() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.div(
                _view("By time", driving=False),
                _view("Driving order", driving=True),
                role="group",
                aria_label="Order of the list",
                class_name="flex rounded-control bg-[#E8EEF0] p-1",
            ),
            rx.el.div(
                _order("undo-2", "Undo", _preview.undo, _preview.can_undo),
                _order("route", "Re-optimize", _preview.optimize, _preview.by_hand),
                class_name="flex gap-2",
            ),
            class_name="flex flex-wrap items-center justify-between gap-2",
        ),
        rx.el.p(_why_disabled(), id=_HINT, class_name="mt-2 text-sm text-muted"),
        rx.cond(
            _preview.in_driving_order, _by_route(), list_by_time(_preview.by_time, _by_time, "mt-3")
        ),
        rx.cond(
            ~_preview.busy & (_preview.stops.length() == 0),
            rx.el.p("No stops left today", class_name="py-6 text-center text-base text-muted"),
        ),
        rx.el.p(_preview.spoken, role="status", class_name="sr-only"),
    )


def _view(text: str, *, driving: bool) -> rx.Component:
    chosen = _preview.in_driving_order == driving
    return rx.el.button(
        text,
        type="button",
        aria_pressed=chosen,
        on_click=_preview.list_by(driving),
        class_name="min-h-9 cursor-pointer rounded-lg px-3 text-sm font-semibold text-muted "
        "aria-pressed:bg-surface aria-pressed:text-ink aria-pressed:shadow-soft",
    )


def _order(icon: str, text: str, event: Any, possible: Any) -> rx.Component:
    return button(
        rx.icon(icon, size=18, aria_hidden=True),
        text,
        kind="secondary",
        on_click=event,
        disabled=~possible,
        aria_describedby=_HINT,
        class_name="max-sm:px-3",
    )


def _why_disabled() -> rx.Component:
    """Say why 'Undo' or 'Re-optimize' is disabled."""
    optimized = rx.cond(
        _preview.can_undo,
        "Re-optimize is off: this is the optimized order.",
        "Undo and Re-optimize are off: this is the optimized order, and no stop has been moved.",
    )
    return rx.cond(_preview.by_hand, "", optimized)


def _by_time(stop: rx.Var[RouteStop]) -> rx.Component:
    way = rx.fragment(f"Stop {stop.place} on the route", _drive(stop, " · "))
    return stop_row(stop, stop.number, way)


def _by_route() -> rx.Component:
    count = _preview.stops.length()
    return reorder_list(
        rx.foreach(
            _preview.stops,
            lambda stop: reorder_entry(
                stop_row(stop, stop.place, _drive(stop), vehicle_class="max-sm:hidden"),
                id=stop.id,
                name=stop.customer,
                first=stop.place == 1,
                last=stop.place == count,
                class_name=f"{ENTRY} relative data-[dragged]:rounded-control "
                "data-[dragged]:border data-[dragged]:shadow-soft",
            ),
        ),
        order=_preview.stop_ids,
        on_move=_preview.move,
        class_name="mt-3",
    )


def _drive(stop: rx.Var[RouteStop], before: str = "") -> rx.Component:
    return rx.cond(stop.drive != "", f"{before}{stop.drive} drive", "")
