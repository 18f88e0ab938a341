"""Fields of the vehicle and contact forms, with the photo that the tab's state keeps."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.customers.rules.makes import CATALOGUE, OWN_CATALOGUE
from fuel_app.customers.rules.sign_up import PASSWORD_MAX
from fuel_app.customers.rules.vehicles import (
    COLOR_MAX,
    FUEL_DOORS,
    MODEL_MAX,
    OTHER,
    PHOTO_KINDS,
    PHOTO_SENT_MAX,
    PLATE_MAX,
    PhotoTooLarge,
)
from fuel_app.customers.state.sign_up import CONTACT_FORM, SignupState
from fuel_app.customers.state.vehicles import OwnVehicleFields, VehicleFields
from fuel_app.kit.contact import ZIP_DIGITS
from fuel_app.kit.ui.fields import bound, field, field_id, new_password_field, select_field
from fuel_app.kit.ui.upload import upload

TANK_EXAMPLE = "15"
TANKS = "As in its manual: often 13 in a small car, 16 in a sedan or SUV, 24 in a pickup"


def own_vehicle_fields(
    state: type[OwnVehicleFields], *, photo: bool = True, own: bool = False
) -> rx.Component:
    """Return a vehicle's fields, for a `live_form` with `on_edit=state.edit_vehicle`.

    `own` is as in `vehicle_fields`.
    """
    tied = partial(
        bound, form=state._vehicle_form, errors=state.vehicle_errors, values=state.vehicle
    )
    return rx.el.div(
        vehicle_fields(state, tied, own=own),
        _photo_field(state) if photo else rx.fragment(),
        class_name="flex flex-col gap-4",
    )


def vehicle_fields(
    state: type[VehicleFields], tied: Callable[[str], dict[str, Any]], *, own: bool = True
) -> rx.Component:
    """Return a vehicle's fields; `tied` is `bound` to their form.

    `own` has all that a fill needs: grade, plate's state, fuel door, and other makes.
    """
    is_other_make = state.vehicle["make"] == OTHER
    is_other = is_other_make | (state.vehicle["model"] == OTHER)
    model = select_field(
        "Model",
        # With its name for a key, a model that is gone takes its being selected along.
        options=rx.foreach(state.models, lambda name: rx.el.option(name, value=name, key=name)),
        placeholder="Select a model",
        **tied("model"),
    )
    return rx.el.div(
        rx.el.div(
            select_field(
                "Make",
                options=[*OWN_CATALOGUE, OTHER] if own else [*CATALOGUE],
                placeholder="Select a make",
                **tied("make"),
            ),
            rx.cond(is_other_make, rx.fragment(), model) if own else model,
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        rx.cond(
            is_other,
            rx.el.div(
                rx.cond(
                    is_other_make, field("Other make", max_length=MODEL_MAX, **tied("other_make"))
                ),
                field("Other model", max_length=MODEL_MAX, **tied("other_model")),
                field(
                    "Tank size (gallons)",
                    input_mode="decimal",
                    auto_complete="off",
                    max_length=8,
                    placeholder=TANK_EXAMPLE,
                    hint=TANKS,
                    **tied("tank_tenths"),
                ),
                class_name="grid gap-4 sm:auto-cols-fr sm:grid-flow-col",
            ),
        )
        if own
        else rx.fragment(),
        rx.el.div(
            field("Year", input_mode="numeric", auto_complete="off", max_length=4, **tied("year")),
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
        rx.el.div(
            field("Plate state", auto_complete="off", **tied("plate_state")),
            select_field(
                "Fuel grade",
                options=rx.fragment(
                    *[rx.el.option(text, value=grade) for grade, text in GRADE_LABELS.items()]
                ),
                placeholder="Select a grade",
                **tied("grade"),
            ),
            select_field(
                "Fuel door",
                options=FUEL_DOORS,
                placeholder="How does it open?",
                **tied("fuel_door"),
            ),
            class_name="grid gap-4 sm:grid-cols-3",
        )
        if own
        else rx.fragment(),
        class_name="flex flex-col gap-4",
    )


_contact_bound = partial(
    bound, form=CONTACT_FORM, errors=SignupState.contact_errors, values=SignupState.contact
)


def contact_fields(tied: Callable[[str], dict[str, Any]] = _contact_bound) -> rx.Component:
    """Return name, e-mail and phone, for a `live_form`; `tied` is `bound` to its state."""
    return rx.fragment(
        rx.el.div(
            field("First Name", auto_complete="given-name", **tied("first_name")),
            field("Last Name", auto_complete="family-name", **tied("last_name")),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        field("Email", type="email", auto_complete="email", **tied("email")),
        field("Phone Number", type="tel", auto_complete="tel", **tied("phone")),
    )


def zip_field() -> rx.Component:
    """Return the ZIP field of a sign-up that opens an account."""
    return rx.cond(
        SignupState.opens_account,
        field(
            "ZIP Code",
            hint="Where your car is parked when we fill it",
            input_mode="numeric",
            auto_complete="postal-code",
            max_length=ZIP_DIGITS,
            **_contact_bound("zip_code"),
        ),
    )


def password_field() -> rx.Component:
    """Return the password field: the suggestion, or empty once a password was given."""
    return new_password_field(
        "Password",
        "password",
        form=CONTACT_FORM,
        error=SignupState.contact_errors["password"],
        hint=rx.cond(
            SignupState.password_given,
            "You have given one. Type here only to change it.",
            rx.cond(SignupState.opens_account, PASSWORD_RULE, "At least 8 characters"),
        ),
        default_value=rx.cond(SignupState.password_given, "", SignupState.suggested_password),
        max_length=PASSWORD_MAX,
    )


def _photo_field(state: type[OwnVehicleFields]) -> rx.Component:
    """Return the field: the photo, or its empty frame, beside the buttons."""
    upload_id, has_photo = field_id(state._vehicle_form, "photo"), state.photo != ""
    return rx.el.fieldset(
        rx.el.legend(
            "Vehicle photo",
            rx.el.span(" (optional)", class_name="font-normal text-muted"),
            class_name="mb-1 text-sm font-semibold text-ink",
        ),
        rx.el.div(
            vehicle_photo(state.photo, class_name="h-24 w-32"),
            rx.el.div(
                upload(
                    rx.cond(has_photo, "Replace photo", "Add a photo"),
                    id=upload_id,
                    kind="secondary",
                    address=routes.PHOTOS,
                    accept=",".join(PHOTO_KINDS),
                    most=PHOTO_SENT_MAX,
                    too_large=str(PhotoTooLarge()),
                    failed="The photo could not be sent. Please try again.",
                    hint="JPEG, PNG or WebP, up to 10 MB",
                    on_done=state.keep_photo,
                ),
                rx.cond(
                    has_photo,
                    rx.el.button(
                        "Remove photo",
                        type="button",
                        on_click=[state.remove_photo, rx.set_focus(upload_id)],
                        class_name="link mt-1 min-h-11 cursor-pointer",
                    ),
                ),
                class_name="min-w-0 flex-1",
            ),
            class_name="flex items-start gap-4",
        ),
    )


def vehicle_photo(photo: Any, *, class_name: str, alt: Any = "The vehicle") -> rx.Component:
    """Return a vehicle's photo, or a drawing of a car."""
    frame = f"shrink-0 rounded-control border border-line {class_name}"
    return rx.cond(
        photo != "",
        rx.el.img(src=photo, alt=alt, class_name=f"object-cover {frame}"),
        rx.el.div(
            rx.icon("car", size=36, aria_hidden=True),
            class_name=f"flex items-center justify-center bg-seafoam text-gulf-deep {frame}",
        ),
    )
