"""Parts that several views of the board share: a truck's color, a stop's marks."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.rules.timing import AFTER_SHIFT, AT_RISK, LATE
from fuel_app.dispatch.state.board.board import BoardState
from fuel_app.dispatch.state.board.rows import NOT_FILLED, StopCard
from fuel_app.kit.ui.cards import badge

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


def filled(color: Any) -> dict[str, Any]:
    """Return the attribute of a color; the framework's own prop would be an inline style."""
    return {"fill": color}


def swatch(color: Any) -> rx.Component:
    """A dot in a truck's color."""
    return rx.el.svg(
        rx.el.svg.circle(cx="50%", cy="50%", r="50%", custom_attrs=filled(color)),
        aria_hidden=True,
        class_name="inline-block h-3 w-3 shrink-0",
    )


def number(text: Any, color: Any, size: str = "h-6 w-6 text-xs") -> rx.Component:
    """A stop's place on its route, in the truck's color."""
    return rx.el.svg(
        rx.el.svg.circle(cx="50%", cy="50%", r="50%", custom_attrs=filled(color)),
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
