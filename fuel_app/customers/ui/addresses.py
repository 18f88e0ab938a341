"""The saved addresses of Account Settings."""

import reflex as rx

from fuel_app.customers.state.own_places import (
    ADD_BUTTON,
    PIN_BUTTON,
    UNDO_BUTTON,
    PlaceCard,
    PlacesState,
)
from fuel_app.customers.ui.account import delete_button, nothing_yet, undo_line
from fuel_app.customers.ui.places import pin_map, place_fields
from fuel_app.kit.ui.button import busy_button, button, line_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.forms import live_form


def addresses() -> rx.Component:
    return panel(
        "Addresses",
        rx.cond(
            PlacesState.rows.length() > 0,
            rx.el.ul(
                rx.foreach(PlacesState.rows, _address), class_name="mt-2 divide-y divide-line"
            ),
            rx.cond(
                PlacesState.loaded,
                nothing_yet(
                    "map-pin",
                    "No addresses saved yet",
                    button("Add Your First Address", on_click=PlacesState.add),
                ),
                rx.el.div(class_name="skeleton mt-4 h-16 rounded-control", aria_hidden=True),
            ),
        ),
        undo_line(PlacesState, UNDO_BUTTON),
        dialog(
            rx.cond(PlacesState.pin.length() > 0, _map(), _form()),
            open=PlacesState.opened,
            on_open_change=PlacesState.show,
            title=rx.cond(
                PlacesState.pin.length() > 0,
                "Put the pin where the car stands",
                rx.cond(PlacesState.editing != "", "Edit Address", "Add Address"),
            ),
            description=rx.cond(PlacesState.pin.length() > 0, PlacesState.pin_of, ""),
            width="sm:max-w-xl",
        ),
        lead="Where your cars stand when we fill them",
        action=button(
            rx.icon("plus", size=20, aria_hidden=True),
            "Add Address",
            kind="secondary",
            class_name="shrink-0",
            on_click=PlacesState.add,
            id=ADD_BUTTON,
        ),
    )


def _address(place: rx.Var[PlaceCard]) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.h3(place.label, class_name="text-base font-bold text-ink"),
            rx.el.p(place.details, class_name=TEXT),
            place_marks(place, "mt-1"),
            rx.cond(
                place.is_approximate,
                rx.el.p(
                    "Approximate: put the pin where the car stands. Until then it cannot be "
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
                on_click=PlacesState.locate(place.id),
            ),
            line_button("Edit", place.label, on_click=PlacesState.change(place.id)),
            rx.cond(
                ~place.is_default,
                line_button(
                    "Make default", place.label, on_click=PlacesState.make_default(place.id)
                ),
            ),
            delete_button(place.label, PlacesState.remove(place.id)),
            class_name="-ml-3 flex flex-wrap gap-1 sm:ml-0",
        ),
        key=place.id,
        class_name="flex flex-wrap items-center gap-x-4 gap-y-2 py-4",
    )


def place_marks(place: rx.Var[PlaceCard], class_name: str = "") -> rx.Component:
    return rx.el.span(
        rx.cond(place.is_default, badge("Default", "green")),
        rx.cond(place.is_approximate, badge("Approximate", "yellow")),
        class_name=f"flex flex-wrap gap-2 empty:hidden {class_name}",
    )


def _form() -> rx.Component:
    return live_form(
        alert(PlacesState.refusal),
        place_fields(PlacesState),
        rx.cond(
            PlacesState.outside != "",
            rx.el.p(
                "We write to you when we open there. ",
                rx.el.button(
                    "Join the waitlist",
                    type="button",
                    on_click=PlacesState.join_waitlist,
                    class_name="link min-h-11 cursor-pointer",
                ),
                role="status",
                class_name="mt-4 rounded-control bg-seafoam px-4 py-1 text-base text-ink",
            ),
        ),
        _buttons(
            busy_button("Save Address", busy=PlacesState.busy, busy_text="Saving...", type="submit")
        ),
        on_edit=PlacesState.edit_place,
        on_submit=PlacesState.save,
    )


def _map() -> rx.Component:
    return rx.el.div(
        alert(PlacesState.refusal),
        pin_map(PlacesState, pin=PlacesState.pin, on_move=PlacesState.move_pin),
        _buttons(
            busy_button(
                "Save Pin",
                busy=PlacesState.busy,
                busy_text="Saving...",
                on_click=PlacesState.save_pin,
                id=PIN_BUTTON,
            )
        ),
    )


def _buttons(last: rx.Component) -> rx.Component:
    return rx.el.div(
        button("Cancel", kind="secondary", on_click=PlacesState.show(False)),
        last,
        class_name="mt-6 flex flex-wrap justify-end gap-3",
    )
