"""Fields of the address form, and the pin on the map."""

from collections.abc import Callable
from functools import partial
from typing import Any

import reflex as rx

from fuel_app.customers.rules.forms import NOTES_MAX
from fuel_app.customers.rules.places import ALL_SPOTS, GATE_CODE_MAX, UNIT_MAX
from fuel_app.customers.state.places import PlaceFields
from fuel_app.kit.contact import ZIP_DIGITS
from fuel_app.kit.ui.fields import bound, field, select_field, textarea_field
from fuel_app.kit.ui.map import MovablePin, map_frame


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
        city_state_zip(tied, "zip_code"),
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


def pin_map(state: Any, *, pin: Any, on_move: Any) -> rx.Component:
    """Return a map whose pin, of latitude and longitude, a customer puts where the car stands."""
    return rx.el.div(
        map_frame(
            MovablePin.create(
                rx.icon("map-pin", size=40, aria_hidden=True, class_name="fill-sun text-ink"),
                lat=pin[0],
                lng=pin[1],
                size=40,
                label="The pin: move it with the arrow keys",
                on_move=on_move.debounce(200),
            ),
            label="Map with the pin",
            places=[pin],
            zoom=17,
            tile_url=state.tile_url,
            still_right="The pin still counts.",
            class_name="h-64 sm:h-80",
        ),
        rx.el.p(
            "Drag the pin, press on the map, or use the arrow keys.",
            class_name="mt-2 text-sm text-muted",
        ),
    )
