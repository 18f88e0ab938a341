"""The fields of a vehicle, for every form that asks for one."""

from typing import Any

import reflex as rx

from fuel_app.components.photo_field import photo_field
from fuel_app.domain.vehicles import CATALOGUE, COLOR_MAX, PLATE_MAX
from fuel_app.kit.ui.fields import bound, field, select_field
from fuel_app.states.vehicle_form import VehicleFields


def vehicle_fields(state: type[VehicleFields], *, photo: bool = True) -> rx.Component:
    """Make, model, year, color, plate and photo, bound to a state that has `VehicleFields`.

    They belong in a `live_form` with `on_edit=state.edit_vehicle` and
    `on_leave=state.leave_vehicle`.
    """
    return rx.el.div(
        rx.el.div(
            select_field(
                "Make",
                options=list(CATALOGUE),
                placeholder="Select a make",
                **_bound(state, "make"),
            ),
            select_field(
                "Model",
                options=rx.foreach(state.models, _model),
                placeholder="Select a model",
                **_bound(state, "model"),
            ),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        rx.el.div(
            field(
                "Year",
                input_mode="numeric",
                auto_complete="off",
                max_length=4,
                **_bound(state, "year"),
            ),
            field("Color", auto_complete="off", max_length=COLOR_MAX, **_bound(state, "color")),
            field(
                "License Plate",
                auto_complete="off",
                auto_capitalize="characters",
                spell_check=False,
                max_length=2 * PLATE_MAX,  # with spaces that we take out
                **_bound(state, "license_plate"),
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


def _bound(state: type[VehicleFields], name: str) -> dict[str, Any]:
    form, errors, values = state._vehicle_form, state.vehicle_errors, state.vehicle
    return bound(name, form=form, errors=errors, values=values)


def _model(model: rx.Var[str]) -> rx.Component:
    # With its name for a key, a model that is gone takes its being selected along.
    return rx.el.option(model, value=model, key=model)
