"""What the two quote modals share: the frame, the thanks, and fields bound to a state."""

from typing import Any

import reflex as rx

from fuel_app.areas.ui import location_field
from fuel_app.domain.quotes.rules import LABELS, NOTES_MAX
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field, textarea_field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.states.business_quote import BusinessQuoteState
from fuel_app.states.fleet_quote import FleetQuoteState

State = type[FleetQuoteState] | type[BusinessQuoteState]

PAIR = "grid gap-4 sm:grid-cols-2"
COLUMN = "flex flex-col gap-4"


def quote_modal(
    state: State, form: Any, actions: Any, *, title: str, invitation: str, kind: str
) -> rx.Component:
    """The whole modal. What went wrong stands beside the button that was pressed."""
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


def bound(state: State, name: str) -> dict[str, Any]:
    """What ties a field to what the state knows of it."""
    return {
        "label": LABELS[name],
        "name": name,
        "form": state._form_name,
        "error": state.field_errors[name],
        "default_value": state.form[name],
    }


def company_and_contact(state: State, phone: rx.Component) -> rx.Component:
    return rx.el.div(
        rx.el.div(
            field(
                **bound(state, "company_name"),
                auto_complete="organization",
                auto_focus=True,
            ),
            field(**bound(state, "contact_name"), auto_complete="name"),
            class_name=PAIR,
        ),
        rx.el.div(
            field(**bound(state, "email"), type="email", auto_complete="email"),
            phone,
            class_name=PAIR,
        ),
        class_name=COLUMN,
    )


def location_and_notes(state: State) -> rx.Component:
    return rx.el.div(
        location_field(**bound(state, "service_location")),
        textarea_field(
            **bound(state, "notes"), optional=True, hint=f"Up to {NOTES_MAX:,} characters", rows=3
        ),
        class_name=COLUMN,
    )
