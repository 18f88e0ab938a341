"""The quote modals of fleets and businesses, and the buttons that open them."""

from typing import Any

import reflex as rx

from fuel_app.areas.ui import location_field
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import (
    bound,
    checkbox_group,
    field,
    phone_field,
    select_field,
    textarea_field,
)
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.tabs import tabs
from fuel_app.quotes.rules import FILL_FREQUENCIES, FUEL_TYPES, INDUSTRIES, NOTES_MAX
from fuel_app.quotes.state import FIRST, FORM, LAST, BusinessQuoteState, FleetQuoteState

State = type[FleetQuoteState] | type[BusinessQuoteState]

PAIR = "grid gap-4 sm:grid-cols-2"
COLUMN = "flex flex-col gap-4"


def quote_modal(
    state: State, form: Any, actions: Any, *, title: str, invitation: str, kind: str
) -> rx.Component:
    """Return the modal, with a refusal beside the submit button."""
    sent = state.stage == "sent"
    return dialog(
        rx.cond(
            sent,
            _thanks(state),
            live_form(
                form,
                rx.el.div(alert(state.refusal), class_name="mt-6"),
                actions,
                on_edit=state.edit,
                on_leave=state.leave,
                on_submit=state.submit,
            ),
        ),
        title=rx.cond(sent, "Thank You!", title),
        description=rx.cond(
            sent,
            f"We've received your {kind} quote request and will contact you within one business "
            "day.",
            invitation,
        ),
        open=state.opened,
        on_open_change=state.show,
        width=rx.cond(sent, "sm:max-w-md", "sm:max-w-2xl"),
    )


def _thanks(state: State) -> rx.Component:
    return rx.el.div(
        rx.icon("circle-check", size=56, aria_hidden=True, class_name="text-ok"),
        button("Close", on_click=state.show(False), auto_focus=True, class_name="min-w-40"),
        class_name="flex items-center justify-between gap-6 pt-2",
    )


def _bound(state: State, name: str) -> dict[str, Any]:
    return bound(name, form=state._form_name, errors=state.field_errors, values=state.form)


def company_and_contact(state: State, phone: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            field(
                "Company name",
                **_bound(state, "company_name"),
                auto_complete="organization",
                auto_focus=True,
            ),
            field("Contact name", **_bound(state, "contact_name"), auto_complete="name"),
            class_name=PAIR,
        ),
        rx.el.div(
            field("Email", **_bound(state, "email"), type="email", auto_complete="email"),
            phone,
            class_name=PAIR,
        ),
        class_name=COLUMN,
    )


def location_and_notes(state: State) -> rx.Component:
    return rx.el.div(
        location_field("Service location", **_bound(state, "service_location")),
        textarea_field(
            "Notes",
            **_bound(state, "notes"),
            optional=True,
            hint=f"Up to {NOTES_MAX:,} characters",
            rows=3,
        ),
        class_name=COLUMN,
    )


TITLE = "Request Fleet Quote"


def fleet_quote_button(class_name: str = "") -> rx.Component:
    return button(TITLE, class_name=class_name, on_click=FleetQuoteState.show(True))


def fleet_quote_modal() -> rx.Component:
    phone = phone_field("Phone", **_bound(FleetQuoteState, "phone"))
    return quote_modal(
        FleetQuoteState,
        tabs(
            (
                ("company", "Company Information", company_and_contact(FleetQuoteState, phone)),
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


def _fleet() -> rx.Component:
    return rx.el.div(
        field(
            "Number of vehicles",
            **_bound(FleetQuoteState, "vehicle_count"),
            input_mode="numeric",
            auto_complete="off",
        ),
        checkbox_group(
            "Fuel types",
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
                "Fill frequency",
                **_bound(FleetQuoteState, "fill_frequency"),
                options=rx.fragment(
                    *[rx.el.option(_spoken(each), value=each) for each in FILL_FREQUENCIES]
                ),
                placeholder="Select how often",
            ),
            field(
                "Estimated fuel amount",
                **_bound(FleetQuoteState, "estimated_fuel_amount"),
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
    """Return the button that submits the current tab."""
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
        class_name="flex justify-end gap-3 max-sm:[&>button]:flex-1",
    )


def business_quote_button(class_name: str = "") -> rx.Component:
    return button("Get Started", class_name=class_name, on_click=BusinessQuoteState.show(True))


def business_quote_modal() -> rx.Component:
    phone = field("Phone", **_bound(BusinessQuoteState, "phone"), type="tel", auto_complete="tel")
    return quote_modal(
        BusinessQuoteState,
        rx.el.div(
            company_and_contact(BusinessQuoteState, phone),
            rx.el.div(
                field(
                    "Number of employees",
                    **_bound(BusinessQuoteState, "employee_count"),
                    input_mode="numeric",
                    auto_complete="off",
                ),
                select_field(
                    "Industry",
                    **_bound(BusinessQuoteState, "industry"),
                    options=INDUSTRIES,
                    placeholder="Select an industry",
                ),
                class_name=PAIR,
            ),
            location_and_notes(BusinessQuoteState),
            class_name=COLUMN,
        ),
        submit_button(
            "Submit Request",
            busy=BusinessQuoteState.busy,
            busy_text="Submitting...",
            class_name="w-full sm:ml-auto sm:flex sm:w-auto",
        ),
        title="Request Business Quote",
        invitation="Tell us about your team. We answer within one business day.",
        kind="business",
    )
