"""The board's dialogs: a stop's details, a broken truck, a weather hold."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.dispatch.state.board.breakdown import BreakdownState, MovedLine
from fuel_app.dispatch.state.board.details import DetailsState
from fuel_app.dispatch.state.board.hold import ENDS, STARTS, HoldState
from fuel_app.dispatch.state.board.moving import MovingState
from fuel_app.dispatch.state.board.rows import NOT_FILLED, ON_THE_WAY
from fuel_app.dispatch.ui.board.parts import marks
from fuel_app.dispatch.ui.photos import photo_links
from fuel_app.kit.ui.button import busy_button, button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.fields import select_field
from fuel_app.kit.ui.forms import field_of, live_form

_WIDE = "flex flex-wrap justify-end gap-3 max-sm:*:flex-auto"
_BUTTONS = f"mt-6 {_WIDE}"


def details_dialog() -> rx.Component:
    stop, shown = DetailsState.stop, DetailsState.details
    return dialog(
        marks(stop),
        rx.el.dl(
            _fact("Window", stop.window),
            _fact("Reason", rx.cond(stop.state == NOT_FILLED, stop.reason, "")),
            _fact("Technician's note", shown.note),
            _fact("Address", shown.address),
            _fact("Where the car stands", shown.spot),
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
        closes_when_left=True,
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
    return dialog(
        alert(BreakdownState.error),
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
        footer=rx.el.div(
            button("Cancel", kind="secondary", on_click=BreakdownState.close(False)),
            busy_button(
                rx.cond(
                    moved.length() > 0,
                    "Move the stops",
                    rx.cond(unserved.length() > 0, "Put the stops on hold", "Take out of service"),
                ),
                busy=BreakdownState.busy,
                busy_text="Saving...",
                disabled=BreakdownState.busy
                | BreakdownState.loading
                | (BreakdownState.error != ""),
                on_click=BreakdownState.confirm,
            ),
            class_name=_WIDE,
        ),
        title=f"{BreakdownState.truck} has broken down?",
        description="Its stops go to the other trucks in one step. "
        "It takes none until it is repaired.",
        open=BreakdownState.opened,
        on_open_change=BreakdownState.close,
        closes_when_left=True,
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


def hold_dialog() -> rx.Component:
    tied = partial(field_of, HoldState)
    areas = rx.foreach(HoldState.areas, lambda each: rx.el.option(each[1], value=each[0]))
    return dialog(
        live_form(
            alert(HoldState.error),
            rx.el.div(
                tied("Area", "area_id", make=select_field, options=areas, placeholder="All areas"),
                rx.el.div(
                    tied("From", "starts", type="time", default_value=STARTS),
                    tied("Until", "ends", type="time", default_value=ENDS),
                    class_name="grid grid-cols-2 gap-4",
                ),
                tied("Reason", "reason", hint="Customers read it.", auto_complete="off"),
                rx.el.p(HoldState.affected, role="status", class_name=TEXT),
                class_name="flex flex-col gap-4",
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=HoldState.close(False)),
                submit_button("Hold", busy=HoldState.busy, busy_text="Holding..."),
                class_name=_BUTTONS,
            ),
            on_edit=HoldState.edit,
            on_submit=HoldState.submit,
        ),
        title="Weather hold",
        description="Bookings whose windows overlap this time wait. "
        "Stops that a technician has begun go on.",
        open=HoldState.opened,
        on_open_change=HoldState.close,
        closes_when_left=True,
    )
