"""Render the buttons and dialogs with which staff change what a caller says."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.billing.rules.corrections import REASON_MAX
from fuel_app.customers.state.customer import VehicleCard
from fuel_app.customers.state.locations import LocationCard
from fuel_app.customers.ui.fields import vehicle_fields
from fuel_app.customers.ui.locations import location_fields
from fuel_app.kit.ui.button import button, line_button
from fuel_app.kit.ui.cards import H2
from fuel_app.kit.ui.fields import bound, field
from fuel_app.kit.ui.forms import edition_of, field_of, form_dialog
from fuel_app.kit.ui.map import pin_map
from fuel_app.office.state.desk import (
    PLACE,
    VEHICLE,
    DeskEmailState,
    DeskPhoneState,
    DeskPlaceState,
    DeskRemovalState,
    DeskVehicleState,
)

_REASON_HINT = "Such as 'said on the phone'. It stays in the audit log"
_reason = partial(
    field,
    "Reason",
    hint=_REASON_HINT,
    max_length=REASON_MAX + 1,
    auto_complete="off",
)


def heading_with(title: str, text: str, on_click: Any, class_name: str = "") -> rx.Component:
    """Return a heading of the tab with the button that adds to what is below."""
    return rx.el.div(
        rx.el.h3(title, class_name=H2),
        button(
            rx.icon("plus", size=20, aria_hidden=True), text, kind="secondary", on_click=on_click
        ),
        class_name=f"flex flex-wrap items-center justify-between gap-3 {class_name}",
    )


def vehicle_actions(line: rx.Var[VehicleCard]) -> rx.Component:
    return rx.fragment(
        line_button("Edit", line.title, on_click=DeskVehicleState.begin(line.id)),
        line_button("Remove", line.title, on_click=DeskRemovalState.begin(VEHICLE, line.id)),
    )


def place_actions(line: rx.Var[LocationCard]) -> rx.Component:
    return rx.fragment(
        line_button("Edit", line.label, on_click=DeskPlaceState.begin(line.id)),
        line_button(
            rx.cond(line.is_approximate, "Set pin", "Move pin"),
            line.label,
            on_click=DeskPlaceState.locate(line.id),
        ),
        line_button("Remove", line.label, on_click=DeskRemovalState.begin(PLACE, line.id)),
    )


def change_phone() -> rx.Component:
    """Return the button beside a customer's phone, with its dialog."""
    return rx.fragment(
        rx.el.button(
            "Change phone",
            type="button",
            on_click=DeskPhoneState.begin,
            class_name="link min-h-11 cursor-pointer text-base",
        ),
        form_dialog(
            DeskPhoneState,
            rx.el.div(
                field_of(DeskPhoneState, "New phone", "phone", type="tel", auto_complete="off"),
                _reason("reason", form=DeskPhoneState.FORM, error=DeskPhoneState.errors["reason"]),
                class_name="flex flex-col gap-4",
            ),
            leave="Cancel",
            send="Save phone",
            busy_text="Saving...",
            title="Change the phone",
            description="The new number is not verified: it gets no text messages and no codes "
            "until the customer has confirmed it.",
            open=DeskPhoneState.opened,
        ),
    )


def change_email() -> rx.Component:
    """Return the button beside a customer's e-mail, with its dialog of two steps."""
    state = DeskEmailState
    is_sent = state.sent_to != ""
    return rx.fragment(
        rx.el.button(
            "Change e-mail",
            type="button",
            on_click=state.begin,
            class_name="link min-h-11 cursor-pointer text-base",
        ),
        form_dialog(
            state,
            rx.cond(
                is_sent,
                rx.el.div(
                    rx.el.p(
                        "A code is on its way to ",
                        rx.el.strong(state.sent_to, class_name="wrap-anywhere"),
                        ". Ask the caller to read it to you. It works for 10 minutes.",
                        role="status",
                        class_name="text-base text-ink",
                    ),
                    field_of(
                        state,
                        "Code",
                        "code",
                        input_mode="numeric",
                        auto_complete="off",
                        max_length=20,
                        auto_focus=True,
                    ),
                    button("Another address", kind="quiet", on_click=state.other_email),
                    class_name="flex flex-col items-start gap-4",
                ),
                rx.el.div(
                    field_of(state, "New e-mail", "email", type="email", auto_complete="off"),
                    _reason("reason", form=state.FORM, error=state.errors["reason"]),
                    class_name="flex flex-col gap-4",
                ),
            ),
            leave="Cancel",
            send=rx.cond(is_sent, "Change e-mail", "Send code"),
            busy_text=rx.cond(is_sent, "Changing...", "Sending..."),
            title="Change the e-mail",
            description="The customer signs in with the new one; password and second factor stay. "
            "The former address is told, and can undo it for 7 days.",
            open=state.opened,
        ),
    )


def desk_dialogs() -> rx.Component:
    """Return the dialogs of vehicles and addresses."""
    return rx.fragment(_place_dialog(), _vehicle_dialog(), _removal_dialog())


def _place_dialog() -> rx.Component:
    state = DeskPlaceState
    at_map = state.pin.length() > 0
    tied = partial(bound, form=state.FORM, errors=state.errors, values=state.place)
    return form_dialog(
        state,
        edition_of(state),
        rx.cond(
            at_map,
            pin_map(state, pin=state.pin, on_move=state.move_pin),
            rx.fragment(
                location_fields(tied), rx.el.div(_reason(**tied("reason")), class_name="mt-4")
            ),
        ),
        leave="Cancel",
        send=rx.cond(at_map, "Save pin", "Save address"),
        title=rx.cond(
            at_map,
            "Put the pin where the car is parked",
            rx.cond(state.editing != "", "Edit address", "Add address"),
        ),
        description=rx.cond(at_map, state.pin_of, ""),
        width="sm:max-w-xl",
    )


def _vehicle_dialog() -> rx.Component:
    state = DeskVehicleState
    tied = partial(bound, form=state.FORM, errors=state.errors, values=state.vehicle)
    return form_dialog(
        state,
        vehicle_fields(state, tied),
        rx.el.div(_reason(**tied("reason")), class_name="mt-4"),
        leave="Cancel",
        send="Save vehicle",
        title=rx.cond(state.editing != "", "Edit vehicle", "Add vehicle"),
        width="sm:max-w-xl",
    )


def _removal_dialog() -> rx.Component:
    state = DeskRemovalState
    return form_dialog(
        state,
        _reason("reason", form=state.FORM, error=state.errors["reason"]),
        leave="Cancel",
        send="Remove",
        busy_text="Removing...",
        title=rx.cond(state.kind == VEHICLE, "Remove this vehicle?", "Remove this address?"),
        description=f"{state.what}. Booked fill-ups keep it.",
        open=state.opened,
    )
