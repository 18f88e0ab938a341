"""Fields of the vehicle and contact forms."""

from functools import partial

import reflex as rx

from fuel_app.customers.rules.forms import PASSWORD_MAX
from fuel_app.customers.rules.vehicles import CATALOGUE, COLOR_MAX, PLATE_MAX
from fuel_app.customers.state.sign_up import FORM, SignupState
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.customers.ui.photo import photo_field
from fuel_app.kit.ui.fields import bound, field, select_field


def vehicle_fields(state: type[VehicleFields], *, photo: bool = True) -> rx.Component:
    """Return the vehicle's fields, for a `live_form` with `on_edit=state.edit_vehicle`."""
    tied = partial(
        bound, form=state._vehicle_form, errors=state.vehicle_errors, values=state.vehicle
    )
    return rx.el.div(
        rx.el.div(
            select_field(
                "Make",
                options=list(CATALOGUE),
                placeholder="Select a make",
                **tied("make"),
            ),
            select_field(
                "Model",
                # With its name for a key, a model that is gone takes its being selected along.
                options=rx.foreach(
                    state.models, lambda model: rx.el.option(model, value=model, key=model)
                ),
                placeholder="Select a model",
                **tied("model"),
            ),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        rx.el.div(
            field(
                "Year",
                input_mode="numeric",
                auto_complete="off",
                max_length=4,
                **tied("year"),
            ),
            field("Color", auto_complete="off", max_length=COLOR_MAX, **tied("color")),
            field(
                "License Plate",
                auto_complete="off",
                auto_capitalize="characters",
                spell_check=False,
                max_length=2 * PLATE_MAX,  # with spaces that we take out
                **tied("license_plate"),
            ),
            class_name="grid gap-4 sm:grid-cols-3",
        ),
        photo_field(
            "Vehicle photo",
            form=state._vehicle_form,
            photo=state.photo,
            on_photo=state.keep_photo,
            on_remove=state.remove_photo,
        )
        if photo
        else rx.fragment(),
        class_name="flex flex-col gap-4",
    )


_contact_bound = partial(
    bound, form=FORM, errors=SignupState.contact_errors, values=SignupState.contact
)


def contact_fields() -> rx.Component:
    """Return name, e-mail and phone, for a `live_form` of `SignupState`."""
    return rx.fragment(
        rx.el.div(
            field("First Name", auto_complete="given-name", **_contact_bound("first_name")),
            field("Last Name", auto_complete="family-name", **_contact_bound("last_name")),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        field("Email", type="email", auto_complete="email", **_contact_bound("email")),
        field("Phone Number", type="tel", auto_complete="tel", **_contact_bound("phone")),
    )


def password_field() -> rx.Component:
    """Return the password field: the suggestion, or empty once a password was given."""
    return field(
        "Password",
        "password",
        form=FORM,
        error=SignupState.contact_errors["password"],
        hint=rx.cond(
            SignupState.password_given,
            "You have given one. Type here only to change it.",
            "At least 8 characters",
        ),
        default_value=rx.cond(SignupState.password_given, "", SignupState.suggested_password),
        type="password",
        auto_complete="new-password",
        max_length=PASSWORD_MAX,
    )
