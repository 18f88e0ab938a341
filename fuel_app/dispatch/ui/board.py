"""The dispatch board: a column for each truck, the bookings on no route, shared marks."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.rules.arrivals import AFTER_SHIFT, AT_RISK, LATE
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.cards import NOT_FILLED, ON_THE_WAY, Column, StopCard
from fuel_app.dispatch.state.dialogs import (
    OFF_ROUTE,
    BreakdownState,
    DetailsState,
    MovingState,
    WeatherHoldState,
)
from fuel_app.dispatch.state.trucks import ShiftsState
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, TEXT, badge, card
from fuel_app.kit.ui.script import Script

SR = "sr-only"
SMALL = (  # a button inside a card
    "inline-flex min-h-9 max-md:min-h-11 cursor-pointer items-center justify-center gap-1 "
    "rounded-control px-2 text-sm font-semibold text-gulf-deep hover:bg-seafoam "
)
RED = "bg-[#FEF1EF] text-danger"
_LATE = "inline-flex items-center gap-1 rounded-full py-0.5 text-sm font-semibold"


def is_over() -> rx.Var[bool]:
    """Return whether nothing of the day can be changed any more."""
    return (BoardState.status == "Closed") | (BoardState.day < BoardState.today)


def small_button(text: str, of: Any, event: Any, class_name: str = "") -> rx.Component:
    """A button inside a card; a reader hears `of`, the card's name."""
    return rx.el.button(
        text,
        rx.el.span(of, class_name=SR),
        type="button",
        on_click=event,
        class_name=f"{SMALL} {class_name}",
    )


def fill_color(color: Any) -> dict[str, Any]:
    """Return the attribute of a color; the framework's own prop would be an inline style."""
    return {"fill": color}


def swatch(color: Any) -> rx.Component:
    """A dot in a truck's color."""
    return rx.el.svg(
        rx.el.svg.circle(cx="50%", cy="50%", r="50%", custom_attrs=fill_color(color)),
        aria_hidden=True,
        class_name="inline-block h-3 w-3 shrink-0",
    )


def stop_number(text: Any, color: Any, size: str = "h-6 w-6 text-xs") -> rx.Component:
    """A stop's place on its route, in the truck's color."""
    return rx.el.svg(
        rx.el.svg.circle(cx="50%", cy="50%", r="50%", custom_attrs=fill_color(color)),
        rx.el.svg.text(
            text,
            x="50%",
            y="50%",
            dy="0.36em",
            custom_attrs={"textAnchor": "middle"},
            class_name="fill-white font-bold tabular-nums",
        ),
        aria_hidden=True,
        class_name=f"block shrink-0 {size}",
    )


def lateness(stop: Any, late: Any, at_risk: Any, after: Any, class_name: str) -> rx.Component:
    """Say that a stop is late, after the shift, or at risk: they alone are red and amber."""
    look = f"{_LATE} {class_name}"
    return rx.match(
        stop.lateness,
        (LATE, _warning("clock-alert", late, f"{look} {RED}")),
        (AFTER_SHIFT, _warning("clock-alert", after, f"{look} {RED}")),
        (AT_RISK, _warning("clock", at_risk, f"{look} bg-[#FFF0CC] text-[#6B4700]")),
        rx.fragment(),
    )


def _warning(icon: str, text: Any, class_name: str) -> rx.Component:
    return rx.el.span(rx.icon(icon, size=14, aria_hidden=True), text, class_name=class_name)


def marks(stop: rx.Var[StopCard]) -> rx.Component:
    """Say what a dispatcher must know of a stop."""
    return rx.el.div(
        lateness(stop, stop.late, stop.late, stop.late, "px-2"),
        rx.cond(stop.gone != "", badge(stop.gone)),
        rx.cond(
            (stop.state != "") & (stop.gone == ""),
            badge(stop.state, rx.cond(stop.state == NOT_FILLED, "grey", "green")),
        ),
        rx.cond(stop.is_pinned, badge("Pinned")),
        rx.cond(stop.is_unpaid, badge("Unpaid")),
        rx.cond(stop.is_unsent, badge("Message not sent")),
        rx.cond(stop.is_approximate, badge("Approximate place")),
        rx.cond(stop.has_moved_pin, badge("Pin moved since the plan")),
        class_name="mt-1 flex flex-wrap gap-1 empty:hidden",
    )


_NOTICE_IN_COLUMN = "my-1 flex gap-1.5 rounded-control px-2 py-1 text-sm font-semibold"


def _red_notice(icon: str, size: int, text: Any, class_name: str) -> rx.Component:
    """Say in red what a dispatcher must mend, if there is anything."""
    return rx.cond(
        text != "",
        rx.el.p(
            rx.icon(icon, size=size, aria_hidden=True, class_name="mt-0.5 shrink-0"),
            rx.el.span(text, class_name="min-w-0"),
            class_name=f"{class_name} {RED}",
        ),
    )


def no_shifts() -> rx.Component:
    """Say that no truck is on shift."""
    return card(
        rx.el.h2("No truck is on shift this day", class_name="text-lg font-bold text-ink"),
        rx.el.p(
            "A shift is a truck with its technician and their hours. Routes are planned for them.",
            class_name=f"mb-4 mt-1 {TEXT}",
        ),
        button("Add a shift", on_click=ShiftsState.open(BoardState.day)),
    )


_BOX = "rounded-card border border-line bg-surface shadow-soft"
# From medium screens on they lie over the rows, so that nothing moves under the pointer.
_PLACE = (
    "flex cursor-pointer items-center justify-center gap-1 rounded-control border border-dashed "
    "text-sm font-semibold hover:text-white data-[over]:text-white max-md:my-1 max-md:min-h-11 "
    "max-md:w-full md:absolute md:right-0 md:-top-3 md:z-10 md:h-6 md:min-w-36 "
    "md:max-w-[calc(100%-1.75rem)] md:whitespace-nowrap md:px-2 md:shadow-soft"
)
_GAP = f"{_PLACE} border-gulf bg-seafoam text-gulf-deep hover:bg-gulf data-[over]:bg-gulf"
_LATE_GAP = f"{_PLACE} border-danger bg-[#FEF1EF] text-danger hover:bg-danger data-[over]:bg-danger"
_OFF = (
    "my-1 flex min-h-11 w-full cursor-pointer items-center justify-center rounded-control border "
    "border-dashed border-gulf bg-seafoam text-sm font-semibold text-gulf-deep hover:bg-gulf "
    "hover:text-white data-[over]:bg-gulf data-[over]:text-white"
)


class DispatchBoard(Script):
    """The frame in which stops are dragged, and moved by keys."""

    tag = "DispatchBoard"
    FILE = "board.js"
    held: rx.Var[str]
    selected: rx.Var[str]
    sought: rx.Var[str]
    on_pick: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_put: rx.EventHandler[rx.event.passthrough_event_spec(str)]
    on_cancel: rx.EventHandler[rx.event.no_args_event_spec]


class Separator(Script):
    """What lies between two parts, and moves by the pointer and by keys."""

    tag = "Separator"
    FILE = "separator.js"
    controls: rx.Var[str]  # the id of the first part
    min: rx.Var[int]  # its share of both, in per cent
    max: rx.Var[int]


def board_frame(*children: Any, class_name: str) -> rx.Component:
    return DispatchBoard.create(
        *children,
        held=MovingState.held,
        selected=BoardState.selected,
        sought=f"{BoardState.sought} {BoardState.only}",
        on_pick=MovingState.pick,
        on_put=MovingState.put,
        on_cancel=MovingState.cancel,
        class_name=class_name,
    )


def columns() -> rx.Component:
    """Render the trucks beside each other; the strip scrolls sideways, each truck by itself."""
    return rx.el.ul(
        rx.foreach(BoardState.columns, _column),
        aria_label="Trucks",
        class_name="relative flex items-start gap-3 overflow-x-auto p-1 pb-3 lg:h-full",
    )


def _column(column: rx.Var[Column]) -> rx.Component:
    return rx.el.li(
        _column_head(column),
        rx.el.div(
            rx.cond(column.done != "", _done(column)),
            rx.el.ol(
                rx.foreach(column.stops, lambda stop: _open_stop(stop, column.color)),
                rx.cond(
                    MovingState.gaps.contains(column.last_gap),
                    rx.el.li(_gap(column.last_gap), class_name="relative"),
                ),
                aria_label=f"Stops of {column.truck}",
                class_name="flex flex-col md:py-3",
            ),
            rx.cond(
                column.stops.length() == 0,
                rx.el.p("No stop yet", class_name="py-3 text-center text-sm text-muted"),
            ),
            class_name="-mx-1 px-1 lg:min-h-0 lg:flex-1 lg:overflow-y-auto",
        ),
        key=column.id,
        custom_attrs={"data-column": column.id},
        class_name="flex max-h-full w-64 max-w-[82vw] shrink-0 flex-col p-2 max-lg:max-h-none "
        f"{_BOX}",
    )


def _column_head(column: rx.Var[Column]) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h2(
                swatch(column.color),
                rx.el.span(column.truck, class_name="min-w-0 wrap-anywhere"),
                class_name="flex min-w-0 items-center gap-2 text-base font-bold text-ink",
            ),
            rx.cond(column.is_broken, badge("Broken down")),
            rx.cond(
                column.late != "",
                rx.el.span(
                    column.late,
                    class_name=f"ml-auto rounded-full px-2 py-0.5 text-xs font-semibold {RED}",
                ),
            ),
            class_name="flex items-center gap-2",
        ),
        rx.el.p(column.technician, " · ", column.hours, class_name="text-xs text-muted"),
        rx.el.p(column.work, class_name="text-xs font-semibold tabular-nums text-ink"),
        _red_notice("user-x", 16, column.left, _NOTICE_IN_COLUMN),
        rx.el.details(
            rx.el.summary(
                "More",
                rx.el.span(" of ", column.truck, class_name=SR),
                class_name=f"{SMALL} -mx-1 px-1",
            ),
            rx.el.p(column.driving, class_name="text-sm text-muted"),
            rx.foreach(
                column.loads,
                lambda load: rx.el.p(load, class_name="text-sm tabular-nums text-muted"),
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
                            small_button(
                                "Broken down", column.truck, BreakdownState.ask(column.id)
                            ),
                        ),
                    ),
                    class_name="-mx-2 flex flex-wrap",
                ),
            ),
        ),
        class_name="shrink-0 border-b border-line pb-1",
    )


def _done(column: rx.Var[Column]) -> rx.Component:
    """Render what has ended folded to a line; a search opens it."""
    return rx.el.details(
        rx.el.summary(
            column.done, rx.el.span(" of ", column.truck, class_name=SR), class_name=f"{SMALL} px-1"
        ),
        rx.el.ol(
            rx.foreach(
                column.stops,
                lambda stop: rx.cond(stop.is_done, _numbered(stop, column.color)),
            ),
            aria_label=f"Stops of {column.truck} that have ended",
        ),
        open=BoardState.found_count >= 0,
    )


def _open_stop(stop: rx.Var[StopCard], color: Any) -> rx.Component:
    return rx.cond(
        stop.is_done,
        rx.fragment(),
        rx.fragment(
            rx.cond(
                stop.rest != "",
                rx.el.li(
                    rx.icon("coffee", size=14, aria_hidden=True),
                    stop.rest,
                    class_name="my-1 flex items-center gap-1.5 px-2 text-sm text-muted",
                ),
            ),
            rx.cond(
                MovingState.gaps.contains(stop.gap),
                rx.el.li(_gap(stop.gap), class_name="relative"),
            ),
            _numbered(stop, color),
        ),
    )


def _numbered(stop: rx.Var[StopCard], color: Any) -> rx.Component:
    return _row(stop, stop_number(stop.place, color, "h-5 w-5 text-[11px]"))


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


_ROW = (
    "group relative flex h-10 max-md:h-12 items-center gap-1.5 border-b border-line px-1 "
    "scroll-my-12"
)


def _row(stop: rx.Var[StopCard], *lead: rx.Component) -> rx.Component:
    """Render a stop in one line; its name opens the rest."""
    held, selected = MovingState.held == stop.id, BoardState.selected == stop.id
    return rx.el.li(
        *lead,
        rx.el.button(
            rx.el.span(
                rx.cond(stop.at != "", stop.at, stop.window),
                class_name="shrink-0 text-xs font-bold tabular-nums text-ink",
            ),
            rx.el.span(
                stop.customer,
                class_name=rx.cond(
                    stop.gone != "", f"{_NAME} text-muted line-through", f"{_NAME} text-ink"
                ),
            ),
            _signs(stop),
            rx.cond(
                stop.over != "",
                lateness(stop, stop.over, stop.over, stop.over, "shrink-0 px-1.5 text-xs"),
                rx.el.span(stop.gallons, class_name="shrink-0 text-xs tabular-nums text-muted"),
            ),
            type="button",
            title=rx.cond(
                stop.late != "", stop.late, rx.cond(stop.gone != "", stop.gone, stop.reason)
            ),
            on_click=DetailsState.open(stop.id),
            class_name="flex h-full min-w-0 flex-1 cursor-pointer items-center gap-1.5 text-left",
        ),
        rx.cond(stop.is_fixed, rx.fragment(), _move(stop, held)),
        draggable=~stop.is_fixed,
        hidden=(BoardState.found_count >= 0) & ~BoardState.found.contains(stop.id),
        key=stop.id,
        custom_attrs={"data-stop": stop.id},
        class_name=rx.cond(
            held | selected,
            f"{_ROW} bg-seafoam ring-2 ring-inset ring-gulf",
            rx.cond(stop.is_fixed, f"{_ROW} bg-sand", f"{_ROW} bg-surface hover:bg-seafoam"),
        ),
    )


_NAME = "min-w-0 flex-1 truncate text-sm font-semibold"


def _signs(stop: rx.Var[StopCard]) -> rx.Component:
    """Render what must be known of a stop as small pictures; a reader hears the words."""
    return rx.fragment(
        rx.cond(stop.gone != "", rx.el.span(stop.gone, class_name=SR)),
        rx.match(
            stop.state,
            ("", rx.fragment()),
            (ON_THE_WAY, _sign("truck", ON_THE_WAY, "text-success")),
            (NOT_FILLED, _sign("circle-x", NOT_FILLED, "text-muted")),
            ("Done", _sign("check", "Done", "text-success")),
            rx.el.span(stop.state, class_name="shrink-0 text-xs font-semibold text-success"),
        ),
        rx.cond(stop.is_pinned, _sign("pin", "Pinned", "text-muted")),
        rx.cond(stop.is_unpaid, _sign("credit-card", "Unpaid", "text-[#6B4700]")),
        rx.cond(stop.is_unsent, _sign("mail-warning", "Message not sent", "text-danger")),
        rx.cond(stop.is_approximate, _sign("map-pin-off", "Approximate place", "text-[#6B4700]")),
        rx.cond(stop.has_moved_pin, _sign("map-pin", "Pin moved since the plan", "text-[#6B4700]")),
    )


def _sign(icon: str, text: str, look: str) -> rx.Component:
    return rx.el.span(
        rx.icon(icon, size=14, aria_hidden=True),
        rx.el.span(text, class_name=SR),
        title=text,
        class_name=f"relative shrink-0 {look}",
    )


def _move(stop: rx.Var[StopCard], held: Any) -> rx.Component:
    """Render the button that picks a stop up; by mouse it appears over the row."""
    return rx.el.button(
        rx.cond(
            held,
            rx.icon("x", size=18, aria_hidden=True),
            rx.icon("move", size=18, aria_hidden=True),
        ),
        rx.el.span(rx.cond(held, "Cancel", "Move"), " ", stop.customer, class_name=SR),
        type="button",
        on_click=rx.cond(held, MovingState.cancel(), MovingState.pick(stop.id)),
        custom_attrs={"data-move": stop.id},
        class_name=f"{SMALL} shrink-0 bg-seafoam max-md:min-w-11 md:absolute md:right-0 md:top-0.5 "
        "md:opacity-0 md:focus-visible:opacity-100 md:group-hover:opacity-100",
    )


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
                class_name=_OFF,
            ),
        ),
        rx.cond(
            stops.length() > 0,
            rx.el.ul(rx.foreach(stops, _waiting), aria_label="Unassigned", class_name="mt-1"),
            rx.el.p("No unassigned bookings.", class_name="mt-1 text-sm text-muted"),
        ),
        rx.cond(
            on_hold.length() > 0,
            rx.fragment(
                rx.el.div(
                    _title("On hold", on_hold),
                    rx.el.button(
                        rx.cond(
                            BoardState.told_by_resuming > 0,
                            f"Resume all, tell {BoardState.told_by_resuming}",
                            "Resume all",
                        ),
                        type="button",
                        on_click=WeatherHoldState.resume(""),
                        class_name=SMALL,
                    ),
                    class_name="mt-4 flex items-center justify-between",
                ),
                rx.el.ul(rx.foreach(on_hold, _held), aria_label="On hold"),
            ),
        ),
        aria_label="Unassigned bookings",
        custom_attrs={"data-column": OFF_ROUTE},
        class_name=f"relative max-h-full p-2 lg:overflow-y-auto {_BOX}",
    )


def _waiting(stop: rx.Var[StopCard]) -> rx.Component:
    return rx.fragment(
        _row(stop),
        rx.cond(
            (stop.reason != "")
            & ((BoardState.found_count < 0) | BoardState.found.contains(stop.id)),
            rx.el.li(stop.reason, class_name="px-1 pb-1 text-xs text-muted"),
        ),
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
        small_button("Resume", stop.customer, WeatherHoldState.resume(stop.id), "shrink-0"),
        key=stop.id,
        class_name="flex items-start justify-between gap-2 border-b border-line py-2 last:border-0",
    )
