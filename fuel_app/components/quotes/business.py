"""The business quote modal: one form."""

import reflex as rx

from fuel_app.components.quotes.modal import (
    COLUMN,
    PAIR,
    bound,
    company_and_contact,
    location_and_notes,
    quote_modal,
)
from fuel_app.domain.quotes.rules import INDUSTRIES
from fuel_app.kit.ui.button import Kind, button, submit_button
from fuel_app.kit.ui.fields import field, select_field
from fuel_app.states.business_quote import BusinessQuoteState


def business_quote_button(
    text: str = "Get Started", kind: Kind = "primary", class_name: str = ""
) -> rx.Component:
    return button(text, kind=kind, class_name=class_name, on_click=BusinessQuoteState.show(True))


def business_quote_modal() -> rx.Component:
    phone = field(**bound(BusinessQuoteState, "phone"), type="tel", auto_complete="tel")
    return quote_modal(
        BusinessQuoteState,
        rx.el.div(
            company_and_contact(BusinessQuoteState, phone),
            rx.el.div(
                field(
                    **bound(BusinessQuoteState, "employee_count"),
                    input_mode="numeric",
                    auto_complete="off",
                ),
                select_field(
                    **bound(BusinessQuoteState, "industry"),
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
