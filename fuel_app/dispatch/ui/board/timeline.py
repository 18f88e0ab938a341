"""The timeline: a row for each truck, its stops over their windows, and the time now."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.rules.timing import AFTER_SHIFT, AT_RISK, LATE
from fuel_app.dispatch.state.board.board import BoardState
from fuel_app.dispatch.state.board.rows import Column, StopCard
from fuel_app.dispatch.ui.board.parts import filled, swatch

_svg = rx.el.svg
_LABEL = "flex w-28 shrink-0 items-center gap-2 text-sm font-semibold text-ink"
_ROW = "flex items-center gap-2 py-1"


def timeline() -> rx.Component:
    """Render it in a box that scrolls sideways on phones; the columns say the same in words."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.span(class_name=_LABEL),
                _svg(
                    rx.foreach(BoardState.ticks, _tick),
                    aria_hidden=True,
                    class_name="block h-5 w-full",
                ),
                class_name=_ROW,
            ),
            rx.el.ul(rx.foreach(BoardState.columns, _row)),
            class_name="min-w-[720px]",
        ),
        aria_label="Timeline",
        tab_index=0,
        class_name="relative overflow-x-auto rounded-card border border-line bg-surface p-3 "
        "shadow-soft",
    )


def _tick(tick: Any) -> rx.Component:
    return _svg.text(
        tick.label, x=tick.x, y="75%", class_name="fill-muted text-xs tabular-nums", key=tick.x
    )


def _row(column: rx.Var[Column]) -> rx.Component:
    stops, now = column.stops, BoardState.now_x
    return rx.el.li(
        rx.el.span(
            swatch(column.color),
            rx.el.span(column.truck, class_name="min-w-0 truncate"),
            class_name=_LABEL,
        ),
        _svg(
            _svg.rect(
                x=column.shift_x,
                y="0",
                width=column.shift_width,
                height="100%",
                class_name="fill-sand",
            ),
            rx.foreach(stops, _window),
            rx.foreach(BoardState.ticks, lambda tick: _line(tick.x, "stroke-line")),
            rx.foreach(stops, lambda stop: _bar(stop, column.color)),
            rx.cond(now != "", _line(now, "stroke-ink stroke-2")),
            aria_hidden=True,
            class_name="block h-10 w-full rounded border border-line",
        ),
        key=column.id,
        class_name=_ROW,
    )


def _line(x: Any, class_name: str) -> rx.Component:
    return _svg.line(x1=x, x2=x, y1="0", y2="100%", class_name=class_name)


def _window(stop: rx.Var[StopCard]) -> rx.Component:
    return rx.cond(
        (stop.window_x != "") & (stop.gone == ""),
        _svg.rect(
            x=stop.window_x,
            y="10%",
            width=stop.window_width,
            height="80%",
            class_name="fill-[#DCE7EA]",
        ),
    )


def _bar(stop: rx.Var[StopCard], color: Any) -> rx.Component:
    mark = rx.match(
        stop.lateness,
        (LATE, "stroke-danger stroke-3"),
        (AFTER_SHIFT, "stroke-danger stroke-3"),
        (AT_RISK, "stroke-sun stroke-3"),
        "stroke-white",
    )
    return rx.cond(
        stop.bar_x != "",
        rx.fragment(
            _svg.rect(
                x=stop.bar_x,
                y="20%",
                width=stop.bar_width,
                height="60%",
                rx="3",
                custom_attrs=filled(color),
                class_name=mark,
            ),
            _svg.text(
                stop.place,
                x=stop.bar_x,
                y="50%",
                dx="2",
                dy="0.36em",
                class_name="fill-white text-[10px] font-semibold tracking-tighter tabular-nums",
            ),
        ),
    )
