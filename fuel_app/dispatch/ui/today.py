"""The day's real route on the dashboard: the next destination, the map, the list by time."""

import reflex as rx

from fuel_app.dispatch.state.day_route import RouteStop
from fuel_app.dispatch.state.today import TodaysRouteState, TruckLine
from fuel_app.dispatch.ui.board.parts import lateness, number, swatch
from fuel_app.dispatch.ui.map import day_map, stop_pin
from fuel_app.dispatch.ui.stops import (
    left_out,
    list_by_time,
    map_and_list,
    next_destination,
    stop_row,
)
from fuel_app.kit.ui.cards import H2, TEXT
from fuel_app.kit.ui.map import MapLine

_DAY = TodaysRouteState
_PIN = (
    "block h-9 w-9 cursor-pointer rounded-full border-2 border-white bg-white shadow-soft "
    "aria-pressed:ring-3 aria-pressed:ring-sun focus-visible:outline-ink"
)


def todays_route() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Optimized Route", id="today-title", class_name=H2),
        map_and_list(
            rx.foreach(_DAY.following, _next),
            _map(),
            rx.el.ul(
                rx.foreach(_DAY.lines, _truck),
                aria_label="Trucks",
                class_name=f"flex flex-wrap gap-x-4 gap-y-1 {TEXT}",
            ),
            listed=rx.fragment(_list(), left_out(_DAY, "Not on a route")),
            stop_ids=_DAY.stop_ids,
            first_id=_DAY.next_id,
        ),
        aria_labelledby="today-title",
        aria_busy=_DAY.loading,
        class_name="mt-8",
    )


def _next(stop: rx.Var[RouteStop]) -> rx.Component:
    when = rx.el.p(f"{stop.truck}, {stop.time}", class_name=TEXT)
    return next_destination(stop, stop.drive, when, key=stop.id)


def _map() -> rx.Component:
    return day_map(
        _DAY,
        _pin,
        rx.foreach(
            _DAY.lines,
            lambda line: MapLine.create(
                positions=line.points, color=line.color, weight=5, opacity=0.75, key=line.truck
            ),
        ),
        zoom=13,
        still_right="Stops and their order are right.",
        waiting=_DAY.loading,
    )


def _pin(stop: rx.Var[RouteStop]) -> rx.Component:
    return stop_pin(
        stop,
        number(stop.place, stop.line_color, "h-full w-full text-base"),
        label=f"{stop.truck}, stop {stop.place}: {stop.customer}",
        class_name=_PIN,
    )


def _truck(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.el.li(
        swatch(line.color), line.truck, key=line.truck, class_name="flex items-center gap-2"
    )


def _list() -> rx.Component:
    return rx.cond(
        _DAY.stops.length() > 0,
        list_by_time(_DAY, _row),
        rx.cond(
            _DAY.loading,
            rx.el.div(class_name="skeleton h-24 rounded-control", aria_hidden=True),
            rx.el.p("No stops on a route today", class_name=f"py-6 text-center {TEXT}"),
        ),
    )


def _row(stop: rx.Var[RouteStop]) -> rx.Component:
    way = rx.fragment(f"Stop {stop.place} of {stop.truck} · {stop.drive} drive")
    return stop_row(
        stop, stop.number, way, late=lateness(stop, "Late", "At risk", "After shift", "px-2.5")
    )
