"""The list of trucks with the form of one, and the dialog of a day's shifts."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.dispatch.rules.trucks import HOME_MAX, METER_MAX, NAME_MAX, PLATE_MAX, STEP_MINUTES
from fuel_app.dispatch.state.trucks import (
    EDIT,
    LIST,
    REMOVE,
    ShiftLine,
    ShiftsState,
    TruckFormState,
    TruckLine,
    TrucksState,
)
from fuel_app.kit.ui.button import busy_button, button, line_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import select_field
from fuel_app.kit.ui.forms import field_of, form_dialog, live_form
from fuel_app.kit.ui.map import pin_map
from fuel_app.kit.ui.stacked_table import Column, stacked_table

_PAIR = "grid items-start gap-4 sm:grid-cols-2"


def truck_list() -> rx.Component:
    """Render the trucks."""
    return rx.fragment(
        panel(
            "Trucks",
            alert(rx.cond(TrucksState.failed, "The trucks cannot be read just now.", "")),
            stacked_table(
                TrucksState.trucks,
                (
                    Column("Truck", _truck_name),
                    Column("Carries", lambda line: line.tanks),
                    Column("Meter", lambda line: line.meter),
                    Column("Home", lambda line: line.home),
                    Column("Actions", _truck_actions),
                ),
                caption="Trucks",
                loading=TrucksState.loading,
                empty_text=rx.cond(
                    TrucksState.failed, "", "No truck yet. Add the first one to plan its days."
                ),
            ),
            lead="What a truck carries decides which bookings it can serve. Shifts begin and end "
            "at its home, and there it refills.",
            action=button(
                rx.icon("plus", size=18, aria_hidden=True),
                "Add truck",
                on_click=TruckFormState.begin(""),
            ),
        ),
        _truck_dialog(),
    )


def _truck_name(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.fragment(
        rx.el.strong(line.name),
        rx.el.span(line.license_plate, class_name="block text-sm text-muted"),
        rx.cond(line.is_active, rx.fragment(), badge("Retired")),
    )


def _truck_actions(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.el.span(
        line_button("Edit", line.name, on_click=TruckFormState.begin(line.id)),
        rx.cond(
            line.is_active,
            line_button("Retire", line.name, on_click=TrucksState.set_active(line.id, False)),
            line_button("Bring back", line.name, on_click=TrucksState.set_active(line.id, True)),
        ),
        class_name="flex flex-wrap gap-1 max-sm:justify-end sm:-ml-3",
    )


def _truck_field(label: str, name: str, **props: Any) -> rx.Component:
    known = {"default_value": TruckFormState.typed[name], "auto_complete": "off"}
    return field_of(TruckFormState, label, name, **known, **props)


def _truck_dialog() -> rx.Component:
    state = TruckFormState
    return form_dialog(
        state,
        rx.el.div(
            rx.el.div(
                _truck_field("Name", "name", max_length=NAME_MAX + 1),
                _truck_field("License plate", "license_plate", max_length=PLATE_MAX + 1),
                class_name=_PAIR,
            ),
            _tanks(),
            rx.el.div(
                _truck_field("Meter number", "meter_number", max_length=METER_MAX + 1),
                _truck_field("Meter sealed on", "meter_sealed_on", type="date"),
                class_name=_PAIR,
            ),
            _truck_field(
                "Home address",
                "home",
                hint="Street, city, state and ZIP, such as 100 Depot Rd, Sarasota, FL 34236",
                max_length=HOME_MAX + 1,
            ),
            # The fields appear anew after a concurrent change of the truck.
            key=state.truck.revision.to_string(),
            class_name="flex flex-col gap-4",
        ),
        rx.el.p(
            state.pin_note,
            role="status",
            class_name="mt-4 text-base font-semibold text-ink empty:mt-0",
        ),
        rx.cond(
            state.pin.length() > 0,
            rx.el.div(pin_map(state, pin=state.pin, on_move=state.move_pin), class_name="mt-4"),
        ),
        leave="Cancel",
        send="Save truck",
        title=rx.cond(state.truck.id == "", "Add truck", "Edit truck"),
        width="sm:max-w-xl",
    )


def _tanks() -> rx.Component:
    return rx.el.fieldset(
        rx.el.legend("Gallons on board", class_name="mb-1 text-sm font-semibold text-ink"),
        rx.el.p(
            "Leave a grade empty that this truck does not carry.",
            class_name="mb-2 text-sm text-muted",
        ),
        rx.el.div(
            *[
                _truck_field(label, grade, optional=True, input_mode="decimal", max_length=10)
                for grade, label in GRADE_LABELS.items()
            ],
            class_name="grid grid-cols-2 items-start gap-4 sm:grid-cols-4",
        ),
    )


_BUTTONS = "mt-6 flex flex-wrap justify-end gap-3"
_shifts = ShiftsState


def shifts_dialog() -> rx.Component:
    """Render the dialog, which `ShiftsState.open(day)` opens."""
    return dialog(
        alert(_shifts.error),
        rx.el.p(
            _shifts.said, role="status", class_name="mb-3 text-base font-medium text-ink empty:mb-0"
        ),
        rx.match(_shifts.shows, (EDIT, _shift_form()), (REMOVE, _shift_question()), _shift_list()),
        title=rx.match(
            _shifts.shows,
            (LIST, "Shifts"),
            (REMOVE, "Remove this shift?"),
            rx.cond(_shifts.line.id == "", "Add shift", "Edit shift"),
        ),
        description=_shifts.day_text,
        open=_shifts.opened,
        on_open_change=_shifts.close,
        width="sm:max-w-xl",
    )


def _shift_list() -> rx.Component:
    return rx.fragment(
        rx.cond(
            _shifts.rows.length() > 0,
            rx.el.ul(rx.foreach(_shifts.rows, _shift_line), class_name="divide-y divide-line"),
            rx.el.p("No shifts on this day yet.", class_name=TEXT),
        ),
        rx.el.div(
            busy_button(
                "Copy from last week",
                busy=_shifts.busy,
                busy_text="Copying...",
                kind="secondary",
                on_click=_shifts.copy_last_week,
            ),
            button(
                rx.icon("plus", size=18, aria_hidden=True), "Add shift", on_click=_shifts.begin("")
            ),
            class_name=_BUTTONS,
        ),
    )


def _shift_line(line: rx.Var[ShiftLine]) -> rx.Component:
    name = rx.fragment(line.truck, " with ", line.technician)
    return rx.el.li(
        rx.el.div(
            rx.el.strong(line.truck, class_name="text-base text-ink"),
            rx.el.p(line.technician, ", ", line.hours, class_name=TEXT),
            class_name="min-w-0 flex-1 basis-56 wrap-anywhere",
        ),
        rx.el.div(
            line_button("Edit", name, on_click=_shifts.begin(line.id)),
            line_button("Remove", name, on_click=_shifts.ask(line.id)),
            class_name="-ml-3 flex gap-1 sm:ml-0",
        ),
        key=line.id,
        class_name="flex flex-wrap items-center gap-x-4 py-3",
    )


def _shift_field(label: str, name: str, **props: Any) -> rx.Component:
    return field_of(_shifts, label, name, default_value=_shifts.typed[name], **props)


def _choice(label: str, name: str, choices: Any, none: str) -> rx.Component:
    return _shift_field(
        label,
        name,
        make=select_field,
        options=rx.foreach(choices, lambda each: rx.el.option(each[1], value=each[0])),
        placeholder=f"Select a {name}",
        hint=rx.cond(choices.length() > 0, "", none),
    )


def _shift_form() -> rx.Component:
    hours = {"type": "time", "step": STEP_MINUTES * 60}
    return live_form(
        rx.el.div(
            _choice("Truck", "truck", _shifts.trucks, "An admin adds trucks under Settings."),
            _choice(
                "Technician",
                "technician",
                _shifts.technicians,
                "An admin invites technicians under Settings, People.",
            ),
            rx.el.div(
                _shift_field("Starts", "starts", **hours),
                _shift_field("Ends", "ends", **hours),
                class_name="grid grid-cols-2 items-start gap-4",
            ),
            # The fields appear anew after a concurrent change of the shift.
            key=_shifts.typed.to_string(),
            class_name="flex flex-col gap-4",
        ),
        rx.el.div(
            button("Back", kind="secondary", on_click=_shifts.back),
            submit_button("Save shift", busy=_shifts.busy, busy_text="Saving..."),
            class_name=_BUTTONS,
        ),
        on_edit=_shifts.edit,
        on_submit=_shifts.submit,
    )


def _shift_question() -> rx.Component:
    return rx.fragment(
        rx.el.p(
            rx.el.strong(_shifts.line.truck),
            " with ",
            _shifts.line.technician,
            ", ",
            _shifts.line.hours,
            ". ",
            rx.match(
                _shifts.line.stops,
                (0, "It has no stops."),
                (1, "Its stop becomes unassigned."),
                f"Its {_shifts.line.stops} stops become unassigned.",
            ),
            class_name="text-base text-ink",
        ),
        rx.el.div(
            button("Back", kind="secondary", on_click=_shifts.back),
            busy_button(
                "Remove shift",
                busy=_shifts.busy,
                busy_text="Removing...",
                kind="danger",
                on_click=_shifts.remove,
            ),
            class_name=_BUTTONS,
        ),
    )
