"""Locations: the form's fields, the pin on the map, and the saved ones of Account Settings."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from fuel_app.customers.rules.locations import ALL_SPOTS, GATE_CODE_MAX, UNIT_MAX
from fuel_app.customers.rules.sign_up import NOTES_MAX
from fuel_app.customers.state.locations import (
    ADD_BUTTON,
    PIN_BUTTON,
    UNDO_BUTTON,
    LocationCard,
    LocationsState,
    OwnLocationFields,
)
from fuel_app.customers.ui.account import delete_button, nothing_yet, undo_line
from fuel_app.kit.contact import ZIP_DIGITS
from fuel_app.kit.ui.button import busy_button, button, line_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import bound, field, select_field, textarea_field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.map import pin_map


def own_location_fields(state: type[OwnLocationFields]) -> rx.Component:
    """Return the address's fields, for a `live_form` with `on_edit=state.edit_location`."""
    tied = partial(
        bound, form=state._location_form, errors=state.location_errors, values=state.place
    )
    return location_fields(tied)


def location_fields(tied: Callable[[str], dict[str, Any]]) -> rx.Component:
    """Return the address's fields; `tied` is `bound` to their form."""
    return rx.el.div(
        rx.el.div(
            field("Street", auto_complete="address-line1", **tied("street")),
            field(
                "Unit",
                auto_complete="address-line2",
                optional=True,
                max_length=UNIT_MAX,
                **tied("unit"),
            ),
            class_name="grid gap-4 sm:grid-cols-[3fr_1fr]",
        ),
        city_state_zip(tied, "zip_code"),
        rx.el.div(
            select_field(
                "Where the car is parked",
                options=ALL_SPOTS,
                placeholder="Select a spot",
                **tied("spot"),
            ),
            field(
                "Gate code",
                auto_complete="off",
                optional=True,
                max_length=GATE_CODE_MAX,
                **tied("gate_code"),
            ),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        textarea_field(
            "Location notes",
            optional=True,
            hint="A landmark, how to find the car.",
            rows=3,
            max_length=NOTES_MAX,
            **tied("notes"),
        ),
        class_name="flex flex-col gap-4",
    )


def city_state_zip(tied: Callable[[str], dict[str, Any]], zip_name: str) -> rx.Component:
    """Return the line of an address below the street; `tied` is `bound` to its state."""
    return rx.el.div(
        field("City", auto_complete="address-level2", **tied("city")),
        field("State", auto_complete="address-level1", **tied("state")),
        field(
            "ZIP",
            auto_complete="postal-code",
            input_mode="numeric",
            max_length=ZIP_DIGITS,
            **tied(zip_name),
        ),
        class_name="grid gap-4 sm:grid-cols-[2fr_1fr_1fr]",
    )


def addresses() -> rx.Component:
    return panel(
        "Addresses",
        rx.cond(
            LocationsState.rows.length() > 0,
            rx.el.ul(
                rx.foreach(LocationsState.rows, _address), class_name="mt-2 divide-y divide-line"
            ),
            rx.cond(
                LocationsState.loaded,
                nothing_yet(
                    "map-pin",
                    "No addresses saved yet",
                    button("Add Your First Address", on_click=LocationsState.add),
                ),
                rx.el.div(class_name="skeleton mt-4 h-16 rounded-control", aria_hidden=True),
            ),
        ),
        undo_line(LocationsState, UNDO_BUTTON),
        dialog(
            rx.cond(LocationsState.pin.length() > 0, _map(), _form()),
            open=LocationsState.opened,
            on_open_change=LocationsState.show,
            title=rx.cond(
                LocationsState.pin.length() > 0,
                "Put the pin where the car is parked",
                rx.cond(LocationsState.editing != "", "Edit Address", "Add Address"),
            ),
            description=rx.cond(LocationsState.pin.length() > 0, LocationsState.pin_of, ""),
            width="sm:max-w-xl",
        ),
        lead="Where your cars are parked when we fill them",
        action=button(
            rx.icon("plus", size=20, aria_hidden=True),
            "Add Address",
            kind="secondary",
            class_name="shrink-0",
            on_click=LocationsState.add,
            id=ADD_BUTTON,
        ),
    )


def _address(place: rx.Var[LocationCard]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.h3(place.label, class_name="text-base font-bold text-ink"),
            rx.el.p(place.details, class_name=TEXT),
            place_marks(place, "mt-1"),
            rx.cond(
                place.is_approximate,
                rx.el.p(
                    "Approximate: put the pin where the car is parked. Until then it cannot be "
                    "booked.",
                    class_name="mt-1 text-sm text-muted",
                ),
            ),
            class_name="min-w-0 flex-1 basis-64 wrap-anywhere",
        ),
        rx.el.div(
            line_button(
                rx.cond(place.is_approximate, "Set pin", "Move pin"),
                place.label,
                on_click=LocationsState.locate(place.id),
            ),
            line_button("Edit", place.label, on_click=LocationsState.change(place.id)),
            rx.cond(
                ~place.is_default,
                line_button(
                    "Make default", place.label, on_click=LocationsState.make_default(place.id)
                ),
            ),
            delete_button(place.label, LocationsState.remove(place.id)),
            class_name="-ml-3 flex flex-wrap gap-1 sm:ml-0",
        ),
        key=place.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-4",
    )


def place_marks(place: rx.Var[LocationCard], class_name: str = "") -> rx.Component:
    return rx.el.span(
        rx.cond(place.is_default, badge("Default", "green")),
        rx.cond(place.is_approximate, badge("Approximate", "yellow")),
        class_name=f"flex flex-wrap gap-2 empty:hidden {class_name}",
    )


def _form() -> rx.Component:
    return live_form(
        alert(LocationsState.refusal),
        own_location_fields(LocationsState),
        rx.cond(
            LocationsState.outside != "",
            rx.el.p(
                "We write to you when we open there. ",
                rx.el.button(
                    "Join the waitlist",
                    type="button",
                    on_click=LocationsState.join_waitlist,
                    class_name="link min-h-11 cursor-pointer",
                ),
                role="status",
                class_name="mt-4 rounded-control bg-seafoam px-4 py-1 text-base text-ink",
            ),
        ),
        _buttons(
            busy_button(
                "Save Address", busy=LocationsState.busy, busy_text="Saving...", type="submit"
            )
        ),
        on_edit=LocationsState.edit_location,
        on_submit=LocationsState.save,
    )


def _map() -> rx.Component:
    return rx.el.div(
        alert(LocationsState.refusal),
        pin_map(LocationsState, pin=LocationsState.pin, on_move=LocationsState.move_pin),
        _buttons(
            busy_button(
                "Save Pin",
                busy=LocationsState.busy,
                busy_text="Saving...",
                on_click=LocationsState.save_pin,
                id=PIN_BUTTON,
            )
        ),
    )


def _buttons(last: rx.Component) -> rx.Component:
    return rx.el.div(
        button("Cancel", kind="secondary", on_click=LocationsState.show(False)),
        last,
        class_name="mt-6 flex flex-wrap justify-end gap-3",
    )
