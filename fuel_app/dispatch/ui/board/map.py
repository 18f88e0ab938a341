"""The board's map: each truck's route, home and position in its color."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.state.board.board import BoardState
from fuel_app.dispatch.state.board.rows import Column, StopCard
from fuel_app.dispatch.ui.board.parts import SR, number
from fuel_app.kit.ui.map import MapLine, MapPin, map_frame

_PIN = (
    "block cursor-pointer rounded-full border-2 border-white bg-white shadow-soft "
    "aria-pressed:ring-3 aria-pressed:ring-ink"
)
_SIGN = "flex h-7 w-7 items-center justify-center rounded border-2 bg-surface shadow-soft"


def board_map() -> rx.Component:
    return map_frame(
        rx.foreach(BoardState.columns, _route),
        rx.foreach(BoardState.unassigned, _unassigned),
        label="Map of the day's routes",
        places=BoardState.view,
        zoom=14,
        tile_url=BoardState.tile_url,
        still_right="Stops and routes are right.",
        class_name="h-[360px] lg:h-[300px]",
        waiting=BoardState.loading,
    )


def _route(column: rx.Var[Column]) -> rx.Component:
    return rx.fragment(
        MapLine.create(positions=column.line, color=column.color, weight=4, opacity=0.75),
        _sign("house", f"{column.truck}: home", column.color, column.home),
        rx.foreach(column.stops, lambda stop: _stop(stop, column)),
        rx.cond(
            column.truck_at.length() > 0,
            _sign("truck", f"{column.truck}, {column.truck_age}", column.color, column.truck_at),
        ),
        key=column.id,
    )


def _stop(stop: rx.Var[StopCard], column: rx.Var[Column]) -> rx.Component:
    return rx.cond(
        stop.is_booking & (stop.gone == ""),
        _pin(
            stop,
            number(stop.place, column.color),
            f"{column.truck}, stop {stop.place}: {stop.customer}",
        ),
    )


def _unassigned(stop: rx.Var[StopCard]) -> rx.Component:
    return _pin(stop, number("?", "#0B2530"), f"Unassigned: {stop.customer}")


def _pin(stop: rx.Var[StopCard], face: rx.Component, label: Any) -> rx.Component:
    is_selected = BoardState.selected == stop.id
    return MapPin.create(
        rx.el.button(
            face,
            type="button",
            aria_label=label,
            aria_pressed=is_selected,
            on_click=BoardState.select(stop.id),
            class_name=_PIN,
        ),
        lat=stop.lat,
        lng=stop.lng,
        size=28,
        front=is_selected,
        key=stop.id,
    )


def _sign(icon: str, label: Any, color: Any, at: Any) -> rx.Component:
    return MapPin.create(
        rx.el.span(
            rx.icon(icon, size=16, custom_attrs={"stroke": color}, aria_hidden=True),
            rx.el.span(label, class_name=SR),
            title=label,
            class_name=_SIGN,
        ),
        lat=at[0],
        lng=at[1],
        size=28,
    )
