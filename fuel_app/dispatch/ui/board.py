"""The dispatch board: its head, a column for each truck, the bookings on no route, shared marks."""

from typing import Any

import reflex as rx

from fuel_app.accounts.state.screens import UndoState
from fuel_app.dispatch.rules.arrivals import AFTER_SHIFT, AT_RISK, LATE
from fuel_app.dispatch.state.board import NOT_FILLED, BoardState, Column, StopCard
from fuel_app.dispatch.state.dialogs import (
    OFF_ROUTE,
    BreakdownState,
    DetailsState,
    MovingState,
    WeatherHoldState,
)
from fuel_app.dispatch.state.trucks import ShiftsState
from fuel_app.dispatch.ui.questions import questions_link
from fuel_app.kit.ui.button import busy_button, button, icon_button
from fuel_app.kit.ui.cards import H2, TEXT, alert, badge, card
from fuel_app.kit.ui.fields import CONTROL
from fuel_app.kit.ui.script import TITLE, Script

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
        rx.cond(stop.is_approximate, badge("Approximate place")),
        class_name="mt-1 flex flex-wrap gap-1 empty:hidden",
    )


_HEAD_ROW = "flex flex-wrap items-center gap-2"


def board_head() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            rx.el.h1("Dispatch", class_name=TITLE),
            rx.cond(
                BoardState.status != "",
                badge(
                    BoardState.status, rx.cond(BoardState.status == "Published", "green", "grey")
                ),
            ),
            rx.el.p(BoardState.title, class_name=TEXT),
            questions_link(),
            class_name="flex flex-wrap items-center gap-x-3 gap-y-1",
        ),
        rx.el.div(
            _days(),
            rx.el.div(
                busy_button(
                    "Plan the day",
                    busy=BoardState.busy == "plan",
                    busy_text=BoardState.progress,
                    on_click=BoardState.plan,
                    disabled=(BoardState.busy != "") | is_over(),
                    class_name="tabular-nums",
                ),
                rx.cond(
                    BoardState.busy == "plan",
                    _secondary("Cancel", BoardState.stop_plan, disabled=BoardState.is_stopping),
                ),
                busy_button(
                    rx.cond(
                        (BoardState.status == "Open") & (BoardState.told_by_publishing > 0),
                        f"Publish, tell {BoardState.told_by_publishing}",
                        "Publish",
                    ),
                    busy=BoardState.busy == "publish",
                    busy_text="Publishing...",
                    kind="secondary",
                    on_click=BoardState.publish,
                    disabled=(BoardState.busy != "") | is_over() | (BoardState.status != "Open"),
                ),
                _secondary("Shifts", ShiftsState.open(BoardState.day)),
                _secondary("Weather hold", WeatherHoldState.open, disabled=is_over()),
                class_name="grid grid-cols-2 gap-2 max-sm:w-full sm:flex",
            ),
            class_name=f"{_HEAD_ROW} justify-between gap-y-3",
        ),
        _last_change(),
        alert(rx.cond(BoardState.failed, "The board cannot be read just now.", "")),
        rx.el.div(
            _red_notice("user-x", 18, BoardState.left, _NOTICE),
            _red_notice("clock-alert", 18, BoardState.late, _NOTICE),
            rx.foreach(
                BoardState.warnings,
                lambda text: rx.el.p(
                    rx.icon("info", size=18, aria_hidden=True, class_name="mt-0.5 shrink-0"),
                    rx.el.span(text),
                    class_name=f"{_NOTICE} bg-seafoam text-ink",
                ),
            ),
            role="status",
            class_name="flex flex-col gap-2 empty:hidden",
        ),
        class_name="mb-4 flex flex-col gap-3",
    )


_NOTICE = "flex gap-2 rounded-control px-3 py-2 text-base"
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


def _last_change() -> rx.Component:
    """Keep Undo in sight until the next change."""
    return rx.cond(
        (UndoState.action_id != "")
        & (UndoState.board_day == BoardState.day)
        & ~UndoState.is_offered
        & ~is_over(),
        rx.el.p(
            UndoState.text,
            small_button("Undo", UndoState.text, UndoState.undo(UndoState.action_id)),
            class_name=f"flex flex-wrap items-center gap-x-2 {TEXT}",
        ),
    )


def _days() -> rx.Component:
    return rx.el.div(
        icon_button(
            "chevron-left", "Previous day", on_click=BoardState.show_day(BoardState.before)
        ),
        rx.el.label("Day", html_for="board-day", class_name=SR),
        rx.el.input(
            id="board-day",
            type="date",
            default_value=BoardState.day,
            key=BoardState.day,
            on_change=BoardState.show_day,
            class_name=f"{CONTROL} max-w-40 shrink",
        ),
        icon_button("chevron-right", "Next day", on_click=BoardState.show_day(BoardState.after)),
        rx.cond(
            BoardState.day != BoardState.today,
            _secondary("Today", BoardState.show_day(BoardState.today)),
        ),
        class_name="flex min-w-0 items-center gap-1",
    )


def _secondary(text: str, event: Any, **props: Any) -> rx.Component:
    return button(text, kind="secondary", on_click=event, class_name="max-sm:px-3", **props)


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
        _red_notice("user-x", 16, column.left, _NOTICE_IN_COLUMN),
        _red_notice("clock-alert", 16, column.late, _NOTICE_IN_COLUMN),
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


def _stop(stop: rx.Var[StopCard], color: Any) -> rx.Component:
    return rx.fragment(
        rx.cond(MovingState.gaps.contains(stop.gap), rx.el.li(_gap(stop.gap))),
        _card(
            stop,
            stop_number(stop.place, color),
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
        small_button("Resume", stop.customer, WeatherHoldState.resume(stop.id), "shrink-0"),
        key=stop.id,
        class_name="flex items-start justify-between gap-2 border-b border-line py-2 last:border-0",
    )
