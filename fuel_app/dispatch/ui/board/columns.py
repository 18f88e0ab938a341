"""The board's columns: one for each truck, and the bookings on no route."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.state.board.board import BoardState
from fuel_app.dispatch.state.board.breakdown import BreakdownState
from fuel_app.dispatch.state.board.details import DetailsState
from fuel_app.dispatch.state.board.hold import HoldState
from fuel_app.dispatch.state.board.moving import OFF_ROUTE, MovingState
from fuel_app.dispatch.state.board.rows import Column, StopCard
from fuel_app.dispatch.ui.board.parts import (
    RED,
    SMALL,
    SR,
    is_over,
    marks,
    number,
    small_button,
    swatch,
)
from fuel_app.kit.ui.cards import H2, badge
from fuel_app.kit.ui.script import Script

_BOX = "rounded-card border border-line bg-surface shadow-soft"
_PLACE = (
    "my-1 flex min-h-9 max-md:min-h-11 w-full cursor-pointer items-center justify-center gap-1 "
    "rounded-control border border-dashed text-sm font-semibold hover:text-white "
    "data-[over]:text-white"
)
_GAP = f"{_PLACE} border-gulf bg-seafoam text-gulf-deep hover:bg-gulf data-[over]:bg-gulf"
_LATE_GAP = f"{_PLACE} border-danger bg-[#FEF1EF] text-danger hover:bg-danger data-[over]:bg-danger"


class DispatchBoard(Script):
    """The frame in which stops are dragged, and moved by keys."""

    tag = "DispatchBoard"
    FILE = "board.js"
    held: rx.Var[str]
    selected: rx.Var[str]
    on_pick: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_put: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_cancel: rx.EventHandler[rx.event.no_args_event_spec]


def board_frame(*children: Any, class_name: str) -> rx.Component:
    return DispatchBoard.create(
        *children,
        held=MovingState.held,
        selected=BoardState.selected,
        on_pick=MovingState.pick,
        on_put=MovingState.put,
        on_cancel=MovingState.cancel,
        class_name=class_name,
    )


def columns() -> rx.Component:
    """Render the trucks beside each other; the strip scrolls sideways."""
    return rx.el.ul(
        rx.foreach(BoardState.columns, _column),
        aria_label="Trucks",
        class_name="relative flex items-start gap-3 overflow-x-auto p-1 pb-3",
    )


def _column(column: rx.Var[Column]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.h2(
                swatch(column.color),
                rx.el.span(column.truck, class_name="min-w-0 wrap-anywhere"),
                class_name="flex items-center gap-2 text-base font-bold text-ink",
            ),
            rx.cond(column.is_broken, badge("Broken down")),
            class_name="flex items-start justify-between gap-2",
        ),
        rx.el.p(column.technician, " · ", column.hours, class_name="text-sm text-muted"),
        _red("user-x", column.left),
        _red("clock-alert", column.late),
        rx.el.p(column.driving, class_name="text-sm text-muted"),
        rx.foreach(
            column.loads, lambda load: rx.el.p(load, class_name="text-sm tabular-nums text-muted")
        ),
        rx.cond(
            is_over(),
            rx.fragment(),
            rx.el.div(
                rx.cond(
                    column.is_broken,
                    small_button("Repaired", column.truck, BreakdownState.repaired(column.id)),
                    rx.fragment(
                        small_button("Add refill", column.truck, MovingState.refill(column.id)),
                        small_button("Broken down", column.truck, BreakdownState.ask(column.id)),
                    ),
                ),
                class_name="-mx-2 flex flex-wrap",
            ),
        ),
        rx.el.ol(
            rx.foreach(column.stops, lambda stop: _stop(stop, column.color)),
            aria_label=f"Stops of {column.truck}",
            class_name="mt-1 flex flex-col",
        ),
        rx.cond(
            MovingState.gaps.contains(column.last_gap),
            _gap(column.last_gap),
            rx.cond(
                column.stops.length() == 0,
                rx.el.p("No stop yet", class_name="py-4 text-center text-sm text-muted"),
            ),
        ),
        key=column.id,
        custom_attrs={"data-column": column.id},
        class_name=f"w-72 max-w-[82vw] shrink-0 p-3 {_BOX}",
    )


def _red(icon: str, text: Any) -> rx.Component:
    """Say in red what a dispatcher must mend of a route, if there is anything."""
    return rx.cond(
        text != "",
        rx.el.p(
            rx.icon(icon, size=16, aria_hidden=True, class_name="mt-0.5 shrink-0"),
            rx.el.span(text, class_name="min-w-0"),
            class_name=f"my-1 flex gap-1.5 rounded-control px-2 py-1 text-sm font-semibold {RED}",
        ),
    )


def _stop(stop: rx.Var[StopCard], color: Any) -> rx.Component:
    return rx.fragment(
        rx.cond(MovingState.gaps.contains(stop.gap), rx.el.li(_gap(stop.gap))),
        _card(
            stop,
            number(stop.place, color),
            rx.el.span(stop.at, class_name="text-sm font-bold tabular-nums text-ink"),
        ),
    )


def _gap(gap: Any) -> rx.Component:
    place = MovingState.gaps[gap]
    return rx.el.button(
        rx.cond(place.is_best, rx.icon("star", size=14, aria_hidden=True)),
        place.label,
        rx.cond(place.is_best, rx.el.span("(the best on this truck)", class_name=SR)),
        type="button",
        on_click=MovingState.put(gap),
        custom_attrs={
            "data-gap": gap,
            "data-best": rx.cond(place.is_best, rx.cond(place.is_late, "late", "in time"), None),
        },
        class_name=rx.cond(place.is_late, _LATE_GAP, _GAP),
    )


def _card(stop: rx.Var[StopCard], *lead: rx.Component) -> rx.Component:
    """Render a stop; its name opens the details."""
    held, selected = MovingState.held == stop.id, BoardState.selected == stop.id
    return rx.el.li(
        rx.el.div(
            rx.el.div(
                *lead,
                rx.el.span(stop.window, class_name="text-sm tabular-nums text-muted"),
                class_name="flex min-h-9 flex-wrap items-center gap-x-1.5",
            ),
            rx.cond(
                stop.is_fixed,
                rx.fragment(),
                rx.el.button(
                    rx.cond(
                        held,
                        rx.icon("x", size=20, aria_hidden=True),
                        rx.icon("move", size=20, aria_hidden=True),
                    ),
                    rx.el.span(rx.cond(held, "Cancel", "Move"), " ", stop.customer, class_name=SR),
                    type="button",
                    on_click=rx.cond(held, MovingState.cancel(), MovingState.pick(stop.id)),
                    custom_attrs={"data-move": stop.id},
                    class_name=f"{SMALL} shrink-0 max-md:min-w-11",
                ),
            ),
            class_name="flex items-start justify-between gap-1",
        ),
        rx.el.button(
            rx.el.span(stop.customer, class_name="block font-semibold text-ink"),
            rx.el.span(
                stop.car,
                rx.cond(stop.car != "", " · ", ""),
                stop.fuel,
                class_name="block tabular-nums",
            ),
            rx.el.span(stop.street, class_name="block"),
            type="button",
            on_click=DetailsState.open(stop.id),
            class_name="min-h-9 w-full cursor-pointer rounded-control text-left text-sm text-muted "
            "hover:text-gulf-deep max-md:min-h-11",
        ),
        rx.cond(stop.reason != "", rx.el.p(stop.reason, class_name="mt-1 text-sm text-ink")),
        marks(stop),
        draggable=~stop.is_fixed,
        key=stop.id,
        custom_attrs={"data-stop": stop.id},
        class_name=rx.cond(
            held | selected,
            f"{_CARD} border-gulf ring-2 ring-gulf",
            rx.cond(
                stop.is_fixed, f"{_CARD} border-line bg-sand", f"{_CARD} border-line bg-surface"
            ),
        ),
    )


_CARD = "my-1 rounded-control border p-2"


def unassigned() -> rx.Component:
    """Render the bookings on no route with their reasons, and those on hold."""
    stops, on_hold = BoardState.unassigned, BoardState.on_hold
    return rx.el.section(
        _title("Unassigned", stops),
        rx.cond(
            (MovingState.held != "") & MovingState.is_on_route,
            rx.el.button(
                "Take off the route",
                type="button",
                on_click=MovingState.put(OFF_ROUTE),
                custom_attrs={"data-gap": OFF_ROUTE},
                class_name=_GAP,
            ),
        ),
        rx.cond(
            stops.length() > 0,
            rx.el.ul(rx.foreach(stops, _card), aria_label="Unassigned", class_name="mt-1"),
            rx.el.p("No unassigned bookings.", class_name="mt-1 text-sm text-muted"),
        ),
        rx.cond(
            on_hold.length() > 0,
            rx.fragment(
                rx.el.div(
                    _title("On hold", on_hold),
                    rx.el.button(
                        "Resume all", type="button", on_click=HoldState.resume(""), class_name=SMALL
                    ),
                    class_name="mt-4 flex items-center justify-between",
                ),
                rx.el.ul(rx.foreach(on_hold, _held), aria_label="On hold"),
            ),
        ),
        aria_label="Unassigned bookings",
        custom_attrs={"data-column": OFF_ROUTE},
        class_name=f"relative p-3 lg:max-h-[calc(100dvh-300px-3rem)] lg:overflow-y-auto {_BOX}",
    )


def _title(text: str, stops: Any) -> rx.Component:
    return rx.el.h2(text, badge(stops.length()), class_name=f"flex items-center gap-2 {H2}")


def _held(stop: rx.Var[StopCard]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(stop.customer, class_name="font-semibold text-ink"),
            rx.el.p(stop.window, " · ", stop.street, class_name="text-muted"),
            rx.el.p(stop.reason, class_name="text-muted"),
            class_name="min-w-0 text-sm",
        ),
        small_button("Resume", stop.customer, HoldState.resume(stop.id), "shrink-0"),
        key=stop.id,
        class_name="flex items-start justify-between gap-2 border-b border-line py-2 last:border-0",
    )
