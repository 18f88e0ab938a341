"""A day's stops beside their map: the next one, the list, those that are left out."""

from collections.abc import Callable
from typing import Any

import reflex as rx

from fuel_app.dispatch.state.day_route import RouteStop
from fuel_app.dispatch.ui.map import SelectedStop, StopChoice
from fuel_app.kit.ui.cards import TEXT, badge, card

ENTRY = "flex items-start gap-1 border-b border-line bg-surface last:border-0"


def map_and_list(*shown: rx.Component, listed: rx.Component, **selected: Any) -> rx.Component:
    """Render a day's map with what belongs to it, beside its list."""
    return SelectedStop.create(
        rx.el.div(
            rx.el.div(*shown, class_name="flex min-w-0 flex-col gap-4 lg:sticky lg:top-20"),
            card(listed, class_name="min-w-0 max-sm:p-3"),
            class_name="mt-3 grid items-start gap-4 sm:gap-6 lg:grid-cols-[3fr_2fr]",
        ),
        **selected,
    )


def next_destination(
    stop: rx.Var[RouteStop], drive: Any, *more: rx.Component, **props: Any
) -> rx.Component:
    """Render the card of the next stop."""
    return card(
        rx.el.p("Next Destination", class_name="text-sm font-semibold text-muted"),
        rx.el.div(
            rx.el.p(stop.customer, class_name="text-lg font-bold text-ink"),
            rx.cond(
                drive != "",
                rx.el.p(f"{drive} away", class_name="shrink-0 text-lg font-bold text-gulf-deep"),
            ),
            class_name="flex items-baseline justify-between gap-4",
        ),
        rx.el.p(stop.address, class_name=TEXT),
        *more,
        **props,
    )


def left_out(day: Any, title: str) -> rx.Component:
    """Render the stops that are on no route, with the reasons."""
    return rx.cond(
        day.left_out.length() > 0,
        rx.el.div(
            rx.el.h3(title, class_name="text-base font-bold text-ink"),
            rx.el.ul(
                rx.foreach(
                    day.left_out,
                    lambda each: rx.el.li(f"{each.customer}: {each.reason}", key=each.id),
                ),
                class_name=f"mt-1 {TEXT}",
            ),
            class_name="mt-4 border-t border-line pt-4",
        ),
    )


def list_by_time(
    day: Any, row: Callable[[Any], rx.Component], class_name: str = ""
) -> rx.Component:
    """Render the stops of a day by their times, each as a row."""
    return rx.el.ol(
        rx.foreach(day.by_time, lambda stop: rx.el.li(row(stop), key=stop.id, class_name=ENTRY)),
        aria_label="Stops by time",
        class_name=class_name,
    )


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
