"""The board's map, its timeline, and its dialogs."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.dispatch.rules.arrivals import AFTER_SHIFT, AT_RISK, LATE
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.cards import NOT_FILLED, ON_THE_WAY, Column, StopCard
from fuel_app.dispatch.state.dialogs import (
    HOLD_ENDS,
    HOLD_STARTS,
    BreakdownState,
    DetailsState,
    LoadState,
    MovedLine,
    MovingState,
    PublishState,
    WeatherHoldState,
)
from fuel_app.dispatch.ui.board import SR, fill_color, marks, stop_number, swatch
from fuel_app.dispatch.ui.questions import photo_links
from fuel_app.kit.ui.button import button, link_button
from fuel_app.kit.ui.cards import TEXT
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.fields import select_field
from fuel_app.kit.ui.forms import field_of, form_dialog, send_button
from fuel_app.kit.ui.map import MapLine, MapPin, map_frame

_PIN = (
    "block cursor-pointer rounded-full border-2 border-white bg-white shadow-soft "
    "aria-pressed:ring-3 aria-pressed:ring-ink"
)
_SIGN = "flex h-7 w-7 items-center justify-center rounded border-2 bg-surface shadow-soft"


def board_map() -> rx.Component:
    return map_frame(
        rx.foreach(BoardState.columns, _route),
        rx.foreach(
            BoardState.unassigned,
            lambda stop: _pin(stop, stop_number("?", "#0B2530"), f"Unassigned: {stop.customer}"),
        ),
        label="Map of the day's routes",
        places=BoardState.view,
        zoom=14,
        tile_url=BoardState.tile_url,
        still_right="Stops and routes are right.",
        class_name="h-[360px] lg:h-full",
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
        stop.is_booking
        & (stop.gone == "")
        & ((BoardState.found_count < 0) | BoardState.found.contains(stop.id)),
        _pin(
            stop,
            stop_number(stop.place, column.color),
            f"{column.truck}, stop {stop.place}: {stop.customer}",
        ),
    )


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
        grouped=True,
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


_svg = rx.el.svg
_LABEL = (
    "flex w-28 shrink-0 cursor-pointer items-center gap-2 text-left text-sm font-semibold text-ink "
    "hover:text-gulf-deep"
)
_ROW = "flex items-center gap-2 py-px"


def timeline() -> rx.Component:
    """Render it in a box that scrolls sideways on phones; the columns say the same in words."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.span(class_name=_LABEL),
                _svg(
                    rx.foreach(BoardState.ticks, _tick),
                    aria_hidden=True,
                    class_name="block h-4 w-full",
                ),
                class_name=_ROW,
            ),
            rx.el.ul(rx.foreach(BoardState.columns, _row)),
            class_name="min-w-[600px]",
        ),
        aria_label="Timeline",
        tab_index=0,
        class_name="relative overflow-auto rounded-card border border-line bg-surface p-2 "
        "shadow-soft lg:max-h-64",
    )


def _tick(tick: Any) -> rx.Component:
    return _svg.text(
        tick.label, x=tick.x, y="75%", class_name="fill-muted text-xs tabular-nums", key=tick.x
    )


def _row(column: rx.Var[Column]) -> rx.Component:
    stops, now = column.stops, BoardState.now_x
    return rx.el.li(
        rx.el.button(
            swatch(column.color),
            rx.el.span("Show ", class_name=SR),
            rx.el.span(column.truck, class_name="min-w-0 truncate"),
            type="button",
            custom_attrs={"data-jump": column.id},
            class_name=f"{_LABEL} min-h-6 max-md:min-h-11",
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
            class_name="block h-6 w-full rounded border border-line",
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
                custom_attrs=fill_color(color),
                class_name=mark,
            ),
            _svg.text(
                stop.place,
                x=stop.bar_x,
                y="50%",
                dx="2",
                dy="0.36em",
                class_name="fill-white text-[10px] font-semibold tracking-tighter tabular-nums "
                "max-2xl:hidden",
            ),
            rx.cond(
                stop.rest != "",
                _svg.rect(
                    _svg.title(stop.rest),
                    x=stop.rest_x,
                    y="40%",
                    width=stop.rest_width,
                    height="20%",
                    rx="2",
                    class_name="fill-muted",
                ),
            ),
        ),
    )


_WIDE = "flex flex-wrap justify-end gap-3 max-sm:*:flex-auto"
_BUTTONS = f"mt-6 {_WIDE}"


def details_dialog() -> rx.Component:
    stop, shown = DetailsState.stop, DetailsState.details
    not_said = rx.cond(stop.loaded == "", "Not said yet", stop.loaded)
    return dialog(
        marks(stop),
        rx.el.dl(
            _fact("Window", stop.window),
            _fact("Loaded", rx.cond(stop.is_booking, "", not_said)),
            _fact("Reason", rx.cond(stop.state == NOT_FILLED, stop.reason, "")),
            _fact("Technician's note", shown.note),
            _fact("Address", shown.address),
            _fact("Where the car is parked", shown.spot),
            _fact("Gate code", shown.gate_code),
            _fact("Notes", shown.notes),
            _fact("Car", shown.plate),
            _fact("Fuel door", shown.fuel_door),
            _fact("Fuel", stop.fuel),
            _fact("Phone", shown.phone, _call(shown.phone)),
            class_name="mt-2 flex flex-col gap-2 text-base text-ink",
        ),
        photo_links(shown.photos, stop.customer),
        rx.el.div(
            rx.cond(
                shown.customer_link != "",
                link_button("Open the customer", href=shown.customer_link, kind="secondary"),
            ),
            rx.cond(
                ~stop.is_booking & (BoardState.day <= BoardState.today),
                _act("Record gallons", LoadState.begin(stop.id)),
            ),
            rx.cond(
                stop.gap != "",
                rx.fragment(
                    _act(
                        rx.cond(stop.is_pinned, "Unpin", "Pin to its truck"),
                        MovingState.pin(stop.id, ~stop.is_pinned),
                    ),
                    _act("Take off the route", MovingState.take_off(stop.id)),
                ),
            ),
            class_name=f"{_BUTTONS} max-sm:flex-col max-sm:[&_button]:w-full",
        ),
        title=stop.customer,
        description=rx.cond(
            stop.at == "",
            stop.reason,
            rx.cond(
                (stop.state == "") | (stop.state == ON_THE_WAY),
                f"Expected at {stop.at}",
                f"Began at {stop.at}",
            ),
        ),
        open=DetailsState.opened,
        on_open_change=DetailsState.close,
    )


def load_dialog() -> rx.Component:
    """Render the dialog of what a refill has loaded."""
    return form_dialog(
        LoadState,
        rx.el.div(
            *[
                rx.cond(
                    LoadState.grades.contains(grade),
                    field_of(
                        LoadState,
                        label,
                        grade,
                        default_value=LoadState.typed[grade],
                        input_mode="decimal",
                        max_length=9,
                        auto_complete="off",
                    ),
                )
                for grade, label in GRADE_LABELS.items()
            ],
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        leave="Cancel",
        send="Record gallons",
        title=f"{LoadState.truck}: gallons loaded",
        description="As the rack's receipt says. 0 for a tank that was not filled.",
    )


def _act(text: Any, event: Any) -> rx.Component:
    return dismissing(button(text, kind="secondary", on_click=event))


def _call(phone: Any) -> rx.Component:
    return rx.el.a(phone, href=f"tel:{phone}", class_name="link inline-block py-2.5")


def _fact(name: str, value: Any, shown: rx.Component | None = None) -> rx.Component:
    return rx.cond(
        value != "",
        rx.el.div(
            rx.el.dt(name, class_name="text-sm font-semibold text-muted"),
            rx.el.dd(
                value if shown is None else shown, class_name="whitespace-pre-line break-words"
            ),
        ),
    )


def breakdown_dialog() -> rx.Component:
    moved, unserved = BreakdownState.moved, BreakdownState.unserved
    does = rx.cond(
        moved.length() > 0,
        "Move the stops",
        rx.cond(unserved.length() > 0, "Put the stops on hold", "Take out of service"),
    )
    return form_dialog(
        BreakdownState,
        rx.cond(
            BreakdownState.loading,
            rx.el.p("Looking for places on the other trucks...", role="status", class_name=TEXT),
            rx.fragment(
                _lines("These stops move", moved),
                _lines("These fit nowhere: they are on hold, and the customers are told", unserved),
                rx.cond(
                    (moved.length() == 0) & (unserved.length() == 0),
                    rx.el.p("It has no stop left to move.", class_name=TEXT),
                ),
            ),
        ),
        leave="Cancel",
        buttons=send_button(
            BreakdownState,
            f"{does}{tells(BreakdownState.told)}",
            disabled=BreakdownState.busy | BreakdownState.loading | (BreakdownState.error != ""),
        ),
        title=f"{BreakdownState.truck} has broken down?",
        description="Its stops go to the other trucks in one step. "
        "It takes none until it is repaired.",
    )


def tells(customers: rx.Var[str]) -> rx.Var[str]:
    """Return the end of a button's text: ', tell 2 customers', if it tells any."""
    return rx.cond(customers != "", ", tell " + customers, "")  # type: ignore[return-value]


def publish_dialog() -> rx.Component:
    """Ask before what is wrong is published, or a day is taken back."""
    told = BoardState.notified_by_publishing
    return dialog(
        rx.cond(
            PublishState.wrong.length() > 0,
            rx.el.ul(
                rx.foreach(PublishState.wrong, rx.el.li),
                aria_label="What is wrong",
                class_name="flex list-disc flex-col gap-1 pl-5 text-base text-danger",
            ),
        ),
        rx.el.p(
            rx.cond(
                PublishState.unpublishes,
                "No message goes out. What customers were told before stays with them; once the "
                "day is published again, those hear of it whose arrival has changed.",
                rx.cond(
                    told > 0,
                    "Customers are told whom we reach after their window, or who know another "
                    "time from before. The others hear of us when the technician sets out.",
                    "No customer is told anything now.",
                ),
            ),
            class_name=f"mt-3 {TEXT}",
        ),
        footer=rx.el.div(
            button("Cancel", kind="secondary", on_click=PublishState.close(False)),
            button(
                rx.cond(
                    PublishState.unpublishes,
                    "Unpublish the day",
                    rx.cond(told > 0, f"Publish, tell {told}", "Publish anyway"),
                ),
                on_click=PublishState.confirm,
            ),
            class_name=_WIDE,
        ),
        title=rx.cond(PublishState.unpublishes, "Unpublish this day?", "Publish this day?"),
        description=rx.cond(
            PublishState.unpublishes,
            f"{PublishState.stops} stops leave the technicians' phones.",
            f"{PublishState.stops} stops go to the technicians. This is wrong with them:",
        ),
        open=PublishState.opened,
        on_open_change=PublishState.close,
    )


def _lines(title: str, lines: rx.Var[list[MovedLine]]) -> rx.Component:
    return rx.cond(
        lines.length() > 0,
        rx.el.section(
            rx.el.h3(title, class_name="mt-2 text-base font-bold text-ink"),
            rx.el.ul(
                rx.foreach(
                    lines,
                    lambda line: rx.el.li(
                        rx.el.span(line.customer, class_name="font-semibold text-ink"),
                        rx.el.span(line.text, class_name="text-muted"),
                        key=line.id,
                        class_name="flex flex-wrap justify-between gap-x-3 py-1 text-base",
                    ),
                ),
                class_name="divide-y divide-line",
            ),
        ),
    )


def weather_hold_dialog() -> rx.Component:
    tied = partial(field_of, WeatherHoldState)
    areas = rx.foreach(WeatherHoldState.areas, lambda each: rx.el.option(each[1], value=each[0]))
    return form_dialog(
        WeatherHoldState,
        rx.el.div(
            tied("Area", "area_id", make=select_field, options=areas, placeholder="All areas"),
            rx.el.div(
                tied("From", "starts", type="time", default_value=HOLD_STARTS),
                tied("Until", "ends", type="time", default_value=HOLD_ENDS),
                class_name="grid grid-cols-2 gap-4",
            ),
            tied("Reason", "reason", hint="Customers read it.", auto_complete="off"),
            rx.el.p(WeatherHoldState.affected, role="status", class_name=TEXT),
            class_name="flex flex-col gap-4",
        ),
        leave="Cancel",
        send=f"Hold{tells(WeatherHoldState.told)}",
        busy_text="Holding...",
        title="Weather hold",
        description="Bookings whose windows overlap this time wait. "
        "Stops that a technician has begun go on.",
    )
