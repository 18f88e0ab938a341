"""Personal Information: to read, and to edit."""

from functools import partial
from typing import Any

import reflex as rx

from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import panel
from fuel_app.kit.ui.fields import bound, field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.phone_field import phone_field
from fuel_app.states.account import EDIT_BUTTON, FORM, AccountState

_bound = partial(bound, form=FORM, errors=AccountState.field_errors, values=AccountState.form)
_PAIR = "grid gap-4 sm:grid-cols-2"


def personal() -> rx.Component:
    return panel(
        "Personal Information",
        live_form(
            rx.el.fieldset(
                rx.el.legend("Personal Information", class_name="sr-only"),
                rx.el.div(
                    _field("First name", "first_name", auto_complete="given-name"),
                    _field("Last name", "last_name", auto_complete="family-name"),
                    class_name=_PAIR,
                ),
                rx.el.div(
                    _field("Email", "email", type="email", auto_complete="email"),
                    phone_field("Phone", **_bound("phone")),
                    class_name=_PAIR,
                ),
                _field("Address", "address", auto_complete="street-address"),
                rx.el.div(
                    rx.el.div(
                        _field("City", "city", auto_complete="address-level2"),
                        class_name="max-sm:col-span-2",
                    ),
                    _field("State", "state", auto_complete="address-level1"),
                    _field(
                        "ZIP code",
                        "zip_code",
                        input_mode="numeric",
                        auto_complete="postal-code",
                        max_length=5,
                    ),
                    class_name="grid grid-cols-2 gap-4 sm:grid-cols-[2fr_1fr_1fr]",
                ),
                disabled=~AccountState.editing,
                key=AccountState.edition,  # the fields start anew with what is stored
                class_name="mt-4 flex flex-col gap-4",
            ),
            rx.cond(
                AccountState.editing,
                rx.el.div(
                    button("Save Changes", type="submit", class_name="max-sm:w-full"),
                    class_name="mt-6 flex sm:justify-end",
                ),
            ),
            on_edit=AccountState.edit,
            on_leave=AccountState.leave,
            on_submit=AccountState.save,
        ),
        action=button(
            rx.cond(AccountState.editing, "Cancel", "Edit"),
            kind="secondary",
            id=EDIT_BUTTON,
            on_click=rx.cond(AccountState.editing, AccountState.cancel(), AccountState.begin()),
        ),
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    return field(label, **_bound(name), **props)
