"""Fields of the address form."""

from functools import partial

import reflex as rx

from fuel_app.customers.rules.forms import NOTES_MAX
from fuel_app.customers.rules.places import ALL_SPOTS, GATE_CODE_MAX, UNIT_MAX
from fuel_app.customers.state.places import PlaceFields
from fuel_app.kit.contact import ZIP_DIGITS
from fuel_app.kit.ui.fields import bound, field, select_field, textarea_field


def place_fields(state: type[PlaceFields]) -> rx.Component:
    """Return the address's fields, for a `live_form` with `on_edit=state.edit_place`."""
    tied = partial(bound, form=state._place_form, errors=state.place_errors, values=state.place)
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
        rx.el.div(
            field("City", auto_complete="address-level2", **tied("city")),
            field("State", auto_complete="address-level1", **tied("state")),
            field(
                "ZIP",
                auto_complete="postal-code",
                input_mode="numeric",
                max_length=ZIP_DIGITS,
                **tied("zip_code"),
            ),
            class_name="grid gap-4 sm:grid-cols-[2fr_1fr_1fr]",
        ),
        rx.el.div(
            select_field(
                "Where the car stands",
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
            hint="A floor, a landmark, how to find the car.",
            rows=3,
            max_length=NOTES_MAX,
            **tied("notes"),
        ),
        class_name="flex flex-col gap-4",
    )
