"""The dialog in which dispatchers change the shifts of a day; the board renders it."""

from typing import Any

import reflex as rx

from fuel_app.dispatch.rules.shifts import STEP_MINUTES
from fuel_app.dispatch.state.shifts import EDIT, LIST, REMOVE, ShiftLine, ShiftsState
from fuel_app.kit.ui.button import busy_button, button, line_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import select_field
from fuel_app.kit.ui.forms import field_of, live_form

_BUTTONS = "mt-6 flex flex-wrap justify-end gap-3"
_state = ShiftsState


def shifts_dialog() -> rx.Component:
    """Render the dialog, which `ShiftsState.open(day)` opens."""
    return dialog(
        alert(_state.error),
        rx.el.p(
            _state.said, role="status", class_name="mb-3 text-base font-medium text-ink empty:mb-0"
        ),
        rx.match(_state.shows, (EDIT, _form()), (REMOVE, _question()), _list()),
        title=rx.match(
            _state.shows,
            (LIST, "Shifts"),
            (REMOVE, "Remove this shift?"),
            rx.cond(_state.line.id == "", "Add shift", "Edit shift"),
        ),
        description=_state.day_text,
        open=_state.opened,
        on_open_change=_state.close,
        closes_when_left=True,
        width="sm:max-w-xl",
    )


def _list() -> rx.Component:
    return rx.fragment(
        rx.cond(
            _state.rows.length() > 0,
            rx.el.ul(rx.foreach(_state.rows, _line), class_name="divide-y divide-line"),
            rx.el.p("No shifts on this day yet.", class_name=TEXT),
        ),
        rx.el.div(
            busy_button(
                "Copy from last week",
                busy=_state.busy,
                busy_text="Copying...",
                kind="secondary",
                on_click=_state.copy_last_week,
            ),
            button(
                rx.icon("plus", size=18, aria_hidden=True), "Add shift", on_click=_state.begin("")
            ),
            class_name=_BUTTONS,
        ),
    )


def _line(line: rx.Var[ShiftLine]) -> rx.Component:
    name = rx.fragment(line.truck, " with ", line.technician)
    return rx.el.li(
        rx.el.div(
            rx.el.strong(line.truck, class_name="text-base text-ink"),
            rx.el.p(line.technician, ", ", line.hours, class_name=TEXT),
            class_name="min-w-0 flex-1 basis-56 wrap-anywhere",
        ),
        rx.el.div(
            line_button("Edit", name, on_click=_state.begin(line.id)),
            line_button("Remove", name, on_click=_state.ask(line.id)),
            class_name="-ml-3 flex gap-1 sm:ml-0",
        ),
        key=line.id,
        class_name="flex flex-wrap items-center gap-x-4 py-3",
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    return field_of(_state, label, name, default_value=_state.typed[name], **props)


def _choice(label: str, name: str, choices: Any, none: str) -> rx.Component:
    return _field(
        label,
        name,
        make=select_field,
        options=rx.foreach(choices, lambda each: rx.el.option(each[1], value=each[0])),
        placeholder=f"Select a {name}",
        hint=rx.cond(choices.length() > 0, "", none),
    )


def _form() -> rx.Component:
    hours = {"type": "time", "step": STEP_MINUTES * 60}
    return live_form(
        rx.el.div(
            _choice("Truck", "truck", _state.trucks, "An admin adds trucks under Settings."),
            _choice(
                "Technician",
                "technician",
                _state.technicians,
                "An admin invites technicians under Settings, People.",
            ),
            rx.el.div(
                _field("Starts", "starts", **hours),
                _field("Ends", "ends", **hours),
                class_name="grid grid-cols-2 items-start gap-4",
            ),
            # The fields appear anew after a concurrent change of the shift.
            key=_state.typed.to_string(),
            class_name="flex flex-col gap-4",
        ),
        rx.el.div(
            button("Back", kind="secondary", on_click=_state.back),
            submit_button("Save shift", busy=_state.busy, busy_text="Saving..."),
            class_name=_BUTTONS,
        ),
        on_edit=_state.edit,
        on_submit=_state.submit,
    )


def _question() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            rx.el.strong(_state.line.truck),
            " with ",
            _state.line.technician,
            ", ",
            _state.line.hours,
            ". ",
            rx.match(
                _state.line.stops,
                (0, "It has no stops."),
                (1, "Its stop becomes unassigned."),
                f"Its {_state.line.stops} stops become unassigned.",
            ),
            class_name="text-base text-ink",
        ),
        rx.el.div(
            button("Back", kind="secondary", on_click=_state.back),
            busy_button(
                "Remove shift",
                busy=_state.busy,
                busy_text="Removing...",
                kind="danger",
                on_click=_state.remove,
            ),
            class_name=_BUTTONS,
        ),
    )
