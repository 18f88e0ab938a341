"""The list of trucks, and the form of one."""

from typing import Any

import reflex as rx

from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.customers.ui.places import pin_map
from fuel_app.dispatch.rules.trucks import HOME_MAX, METER_MAX, NAME_MAX, PLATE_MAX
from fuel_app.dispatch.state.trucks import TruckFormState, TruckLine, TrucksState
from fuel_app.kit.ui.button import button, line_button, submit_button
from fuel_app.kit.ui.cards import alert, badge, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.forms import field_of, live_form
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
                    Column("Truck", _name),
                    Column("Carries", lambda line: line.tanks),
                    Column("Meter", lambda line: line.meter),
                    Column("Home", lambda line: line.home),
                    Column("Actions", _actions),
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
        _dialog(),
    )


def _name(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.fragment(
        rx.el.strong(line.name),
        rx.el.span(line.license_plate, class_name="block text-sm text-muted"),
        rx.cond(line.is_active, rx.fragment(), badge("Retired")),
    )


def _actions(line: rx.Var[TruckLine]) -> rx.Component:
    return rx.el.span(
        line_button("Edit", line.name, on_click=TruckFormState.begin(line.id)),
        rx.cond(
            line.is_active,
            line_button("Retire", line.name, on_click=TrucksState.set_active(line.id, False)),
            line_button("Bring back", line.name, on_click=TrucksState.set_active(line.id, True)),
        ),
        class_name="flex flex-wrap gap-1 max-sm:justify-end sm:-ml-3",
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    known = {"default_value": TruckFormState.typed[name], "auto_complete": "off"}
    return field_of(TruckFormState, label, name, **known, **props)


def _dialog() -> rx.Component:
    return dialog(
        live_form(
            alert(TruckFormState.error),
            rx.el.div(
                rx.el.div(
                    _field("Name", "name", max_length=NAME_MAX + 1),
                    _field("License plate", "license_plate", max_length=PLATE_MAX + 1),
                    class_name=_PAIR,
                ),
                _tanks(),
                rx.el.div(
                    _field("Meter number", "meter_number", max_length=METER_MAX + 1),
                    _field("Meter sealed on", "meter_sealed_on", type="date"),
                    class_name=_PAIR,
                ),
                _field(
                    "Home address",
                    "home",
                    hint="Street, city, state and ZIP, such as 100 Depot Rd, Sarasota, FL 34236",
                    max_length=HOME_MAX + 1,
                ),
                # The fields appear anew after a concurrent change of the truck.
                key=TruckFormState.truck.revision.to_string(),
                class_name="flex flex-col gap-4",
            ),
            rx.el.p(
                TruckFormState.pin_note,
                role="status",
                class_name="mt-4 text-base font-semibold text-ink empty:mt-0",
            ),
            rx.cond(
                TruckFormState.pin.length() > 0,
                rx.el.div(
                    pin_map(
                        TruckFormState, pin=TruckFormState.pin, on_move=TruckFormState.move_pin
                    ),
                    class_name="mt-4",
                ),
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=TruckFormState.close(False)),
                submit_button("Save truck", busy=TruckFormState.busy, busy_text="Saving..."),
                class_name="mt-6 flex flex-wrap justify-end gap-3",
            ),
            on_edit=TruckFormState.edit,
            on_submit=TruckFormState.submit,
        ),
        title=rx.cond(TruckFormState.truck.id == "", "Add truck", "Edit truck"),
        open=TruckFormState.opened,
        on_open_change=TruckFormState.close,
        closes_when_left=True,
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
                _field(label, grade, optional=True, input_mode="decimal", max_length=10)
                for grade, label in GRADE_LABELS.items()
            ],
            class_name="grid grid-cols-2 items-start gap-4 sm:grid-cols-4",
        ),
    )
