"""The list of the route's stops, by time or in driving order."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.state.day_route import DayRouteState, RouteStop
from fuel_app.dispatch.ui.map import StopChoice
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import badge
from fuel_app.kit.ui.reorder import reorder_entry, reorder_list

_HINT = "order-hint"
ENTRY = "flex items-start gap-1 border-b border-line bg-surface last:border-0"


def stop_list() -> rx.Component:
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
                _order("undo-2", "Undo", DayRouteState.undo, DayRouteState.can_undo),
                _order("route", "Re-optimize", DayRouteState.optimize, DayRouteState.by_hand),
                class_name="flex gap-2",
            ),
            class_name="flex flex-wrap items-center justify-between gap-2",
        ),
        rx.el.p(_why_disabled(), id=_HINT, class_name="mt-2 text-sm text-muted"),
        rx.cond(DayRouteState.in_driving_order, _by_route(), _by_time()),
        rx.cond(
            ~DayRouteState.busy & (DayRouteState.stops.length() == 0),
            rx.el.p("No stops left today", class_name="py-6 text-center text-base text-muted"),
        ),
        rx.el.p(DayRouteState.spoken, role="status", class_name="sr-only"),
    )


def _view(text: str, *, driving: bool) -> rx.Component:
    chosen = DayRouteState.in_driving_order == driving
    return rx.el.button(
        text,
        type="button",
        aria_pressed=chosen,
        on_click=DayRouteState.list_by(driving),
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
        DayRouteState.can_undo,
        "Re-optimize is off: this is the optimized order.",
        "Undo and Re-optimize are off: this is the optimized order, and no stop has been moved.",
    )
    return rx.cond(DayRouteState.by_hand, "", optimized)


def _by_time() -> rx.Component:
    return rx.el.ol(
        rx.foreach(
            DayRouteState.by_time,
            lambda stop: rx.el.li(
                stop_row(stop, stop.number, _place_and_drive(stop)), key=stop.id, class_name=ENTRY
            ),
        ),
        aria_label="Stops by time",
        class_name="mt-3",
    )


def _by_route() -> rx.Component:
    count = DayRouteState.stops.length()
    return reorder_list(
        rx.foreach(
            DayRouteState.stops,
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
        order=DayRouteState.stop_ids,
        on_move=DayRouteState.move,
        class_name="mt-3",
    )


def _place_and_drive(stop: rx.Var[RouteStop]) -> rx.Component:
    return rx.fragment(
        f"Stop {stop.place} on the route",
        rx.cond(stop.drive != "", f" · {stop.drive} drive", ""),
    )


def _drive(stop: rx.Var[RouteStop]) -> rx.Component:
    return rx.cond(stop.drive != "", f"{stop.drive} drive", "")


def stop_row(
    stop: rx.Var[Any],
    number: Any,
    way: rx.Component,
    vehicle_class: str = "",
    late: rx.Component | None = None,
) -> rx.Component:
    """Render a button that selects the stop on the map."""
    return StopChoice.create(
        rx.el.span(
            number,
            class_name="w-5 shrink-0 text-lg font-bold leading-6 tabular-nums text-gulf-deep",
        ),
        rx.el.span(
            rx.el.span(
                rx.el.span(stop.customer, class_name="font-bold text-ink"),
                rx.el.span(stop.time, class_name="shrink-0 font-semibold tabular-nums text-ink"),
                class_name="flex items-baseline justify-between gap-3",
            ),
            rx.el.span(stop.vehicle, class_name=f"block text-muted {vehicle_class}"),
            rx.el.span(stop.address, class_name="block text-muted"),
            rx.el.span(
                badge(stop.status),
                rx.el.span(way, class_name="text-sm text-muted"),
                late or rx.cond(stop.late, badge("After its window", "yellow")),
                class_name="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1",
            ),
            class_name="block min-w-0 flex-1 text-base",
        ),
        stop_id=stop.id,
        class_name="flex min-w-0 flex-1 cursor-pointer gap-2 rounded-control px-2 py-3 text-left "
        "hover:bg-sand aria-pressed:bg-seafoam",
    )
