"""The day's real route on the dashboard: the next destination, the map, the list by time."""

import reflex as rx

from fuel_app.dispatch.rules.timing import AT_RISK, LATE
from fuel_app.dispatch.state.today import TodaysRouteState, TodaysStop, TruckLine
from fuel_app.dispatch.ui.board.parts import number, swatch
from fuel_app.dispatch.ui.map import SelectedStop, stop_pin, stop_popup
from fuel_app.dispatch.ui.stops import ENTRY, stop_row
from fuel_app.kit.ui.cards import H2, TEXT, card
from fuel_app.kit.ui.map import MapLine, map_frame

_DAY = TodaysRouteState
_PIN = (
    "block h-9 w-9 cursor-pointer rounded-full border-2 border-white bg-white shadow-soft "
    "aria-pressed:ring-3 aria-pressed:ring-sun focus-visible:outline-ink"
)
_LATE = "inline-flex items-center gap-1 rounded-full px-2.5 py-0.5 text-sm font-semibold"


def todays_route() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Optimized Route", id="today-title", class_name=H2),
        SelectedStop.create(
            rx.el.div(
                rx.el.div(
                    rx.foreach(_DAY.following, _next_destination),
                    _map(),
                    rx.el.ul(
                        rx.foreach(_DAY.lines, _truck),
                        aria_label="Trucks",
                        class_name=f"flex flex-wrap gap-x-4 gap-y-1 {TEXT}",
                    ),
                    class_name="flex min-w-0 flex-col gap-4 lg:sticky lg:top-20",
                ),
                card(_list(), _left_out(), class_name="min-w-0 max-sm:p-3"),
                class_name="mt-3 grid items-start gap-4 sm:gap-6 lg:grid-cols-[3fr_2fr]",
            ),
            stop_ids=_DAY.stop_ids,
            first_id=_DAY.next_id,
        ),
        aria_labelledby="today-title",
        aria_busy=_DAY.loading,
        class_name="mt-8",
    )


def _next_destination(stop: rx.Var[TodaysStop]) -> rx.Component:
    return card(
        rx.el.p("Next Destination", class_name="text-sm font-semibold text-muted"),
        rx.el.div(
            rx.el.p(stop.customer, class_name="text-lg font-bold text-ink"),
            rx.el.p(f"{stop.drive} away", class_name="shrink-0 text-lg font-bold text-gulf-deep"),
            class_name="flex items-baseline justify-between gap-4",
        ),
        rx.el.p(stop.address, class_name=TEXT),
        rx.el.p(f"{stop.truck}, {stop.time}", class_name=TEXT),
        key=stop.id,
    )


def _map() -> rx.Component:
    return map_frame(
        rx.foreach(
            _DAY.lines,
            lambda line: MapLine.create(
                positions=line.points, color=line.color, weight=5, opacity=0.75, key=line.truck
            ),
        ),
        # Pins stay in the page in the order in which they came, and Tab goes by that.
        rx.fragment(rx.foreach(_DAY.stops, _pin), key=_DAY.stop_ids.join(",")),
        rx.foreach(_DAY.stops, stop_popup),
        label="Route map",
        places=_DAY.view,
        zoom=13,
        tile_url=_DAY.tile_url,
        still_right="Stops and their order are right.",
        class_name="h-[360px] max-sm:-mx-4 max-sm:w-auto max-sm:rounded-none max-sm:border-x-0 "
        "lg:h-[calc(100dvh-300px)] lg:min-h-[420px]",
        waiting=_DAY.loading,
    )


def _pin(stop: rx.Var[TodaysStop]) -> rx.Component:
    return stop_pin(
        stop,
        number(stop.place, stop.line_color, "h-full w-full text-base"),
        label=f"{stop.truck}, stop {stop.place}: {stop.customer}",
        class_name=_PIN,
    )


def _truck(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.el.li(
        swatch(line.color),
        line.truck,
        key=line.truck,
        class_name="flex items-center gap-2",
    )


def _list() -> rx.Component:
    return rx.cond(
        _DAY.stops.length() > 0,
        rx.el.ol(
            rx.foreach(
                _DAY.by_time,
                lambda stop: rx.el.li(
                    stop_row(stop, stop.number, _way(stop), late=_late(stop)),
                    key=stop.id,
                    class_name=ENTRY,
                ),
            ),
            aria_label="Stops by time",
        ),
        rx.cond(
            _DAY.loading,
            rx.el.div(class_name="skeleton h-24 rounded-control", aria_hidden=True),
            rx.el.p("No stops on a route today", class_name=f"py-6 text-center {TEXT}"),
        ),
    )


def _way(stop: rx.Var[TodaysStop]) -> rx.Component:
    return rx.fragment(f"Stop {stop.place} of {stop.truck} · {stop.drive} drive")


def _late(stop: rx.Var[TodaysStop]) -> rx.Component:
    """Say late and at risk: they alone are red and amber."""
    return rx.match(
        stop.lateness,
        (LATE, _warning("clock-alert", "Late", "bg-[#FEF1EF] text-danger")),
        (AT_RISK, _warning("clock", "At risk", "bg-[#FFF0CC] text-[#6B4700]")),
        rx.fragment(),
    )


def _warning(icon: str, text: str, colors: str) -> rx.Component:
    return rx.el.span(
        rx.icon(icon, size=14, aria_hidden=True), text, class_name=f"{_LATE} {colors}"
    )


def _left_out() -> rx.Component:
    return rx.cond(
        _DAY.left_out.length() > 0,
        rx.el.div(
            rx.el.h3("Not on a route", class_name="text-base font-bold text-ink"),
            rx.el.ul(
                rx.foreach(
                    _DAY.left_out,
                    lambda each: rx.el.li(f"{each.customer}: {each.reason}", key=each.id),
                ),
                class_name=f"mt-1 {TEXT}",
            ),
            class_name="mt-4 border-t border-line pt-4",
        ),
    )
