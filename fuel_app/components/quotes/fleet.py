"""The fleet quote modal: Company Information, Fleet Details, Service Requirements."""

import reflex as rx

from fuel_app.components.quotes.modal import (
    COLUMN,
    PAIR,
    bound,
    company_and_contact,
    location_and_notes,
    quote_modal,
)
from fuel_app.domain.quotes.rules import FILL_FREQUENCIES, FUEL_TYPES, LABELS
from fuel_app.kit.ui.button import Kind, button, submit_button
from fuel_app.kit.ui.fields import checkbox_group, field, select_field
from fuel_app.kit.ui.phone_field import phone_field
from fuel_app.kit.ui.tabs import tabs
from fuel_app.states.fleet_quote import FIRST, FORM, LAST, FleetQuoteState

TITLE = "Request Fleet Quote"


def fleet_quote_button(
    text: str = TITLE, kind: Kind = "primary", class_name: str = ""
) -> rx.Component:
    return button(text, kind=kind, class_name=class_name, on_click=FleetQuoteState.show(True))


def fleet_quote_modal() -> rx.Component:
    return quote_modal(
        FleetQuoteState,
        tabs(
            (
                ("company", "Company Information", _company()),
                ("fleet", "Fleet Details", _fleet()),
                ("service", "Service Requirements", _service()),
            ),
            value=FleetQuoteState.tab,
            on_change=FleetQuoteState.choose_tab,
            label="Parts of the request",
        ),
        _steps(),
        title=TITLE,
        invitation="Three short steps. We answer within one business day.",
        kind="fleet",
    )


def _company() -> rx.Component:
    return company_and_contact(FleetQuoteState, phone_field(**bound(FleetQuoteState, "phone")))


def _fleet() -> rx.Component:
    return rx.el.div(
        field(**bound(FleetQuoteState, "vehicle_count"), input_mode="numeric", auto_complete="off"),
        checkbox_group(
            LABELS["fuel_types"],
            "fuel_types",
            [(fuel, fuel.capitalize()) for fuel in FUEL_TYPES],
            form=FORM,
            ticked=FleetQuoteState.fuel_types,
            error=FleetQuoteState.field_errors["fuel_types"],
        ),
        class_name=COLUMN,
    )


def _service() -> rx.Component:
    return rx.el.div(
        rx.el.div(
            select_field(
                **bound(FleetQuoteState, "fill_frequency"),
                options=rx.fragment(
                    *[rx.el.option(_spoken(each), value=each) for each in FILL_FREQUENCIES]
                ),
                placeholder="Select how often",
            ),
            field(
                **bound(FleetQuoteState, "estimated_fuel_amount"),
                hint="Gallons per fill, for the whole fleet",
                input_mode="decimal",
                auto_complete="off",
            ),
            class_name=PAIR,
        ),
        location_and_notes(FleetQuoteState),
        class_name=COLUMN,
    )


def _spoken(frequency: str) -> str:
    return frequency.replace("as-needed", "as needed").capitalize()


def _steps() -> rx.Component:
    """The button in this place sends the form; what that means is the tab's matter."""
    return rx.el.div(
        rx.cond(
            FleetQuoteState.tab == FIRST,
            rx.fragment(),
            button("Back", kind="secondary", on_click=FleetQuoteState.back),
        ),
        rx.cond(
            FleetQuoteState.tab == LAST,
            submit_button(
                "Submit Request", busy=FleetQuoteState.busy, busy_text="Submitting...", key="send"
            ),
            button("Next", type="submit", key="next"),
        ),
        class_name="flex justify-end gap-3",
    )
