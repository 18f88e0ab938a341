"""The dialog in which staff record what was pumped, or correct it."""

from typing import Any

import reflex as rx

from fuel_app.bookings.rules.fills import TICKET_MAX
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.forms import field_of, live_form
from fuel_app.office.state.customer_fill import FillState


def fill_dialog() -> rx.Component:
    shown = FillState.card
    return dialog(
        live_form(
            alert(FillState.error),
            rx.el.div(
                _gallons("Gallons", "gallons", "To 0.001, or both readings of the meter"),
                rx.el.div(
                    _gallons("Meter at the start", "meter_start", None, optional=True),
                    _gallons("Meter at the end", "meter_end", None, optional=True),
                    class_name="grid gap-4 sm:grid-cols-2",
                ),
                _typed("Ticket number", "ticket", max_length=TICKET_MAX + 1),
                field_of(
                    FillState,
                    "Fueling started",
                    "started",
                    type="datetime-local",
                    optional=True,
                    hint="New York time. Empty: as it is recorded. The lower price then counts.",
                ),
                class_name="flex flex-col gap-4",
            ),
            rx.el.p(
                FillState.question,
                role="alert",
                class_name="mt-4 text-base font-semibold text-danger empty:hidden",
            ),
            rx.el.div(
                button("Close", kind="secondary", on_click=FillState.close(False)),
                submit_button(
                    rx.cond(FillState.question != "", "Yes, record it", shown.record),
                    busy=FillState.busy,
                    busy_text="Saving...",
                ),
                class_name="mt-6 flex flex-wrap justify-end gap-3",
            ),
            on_edit=FillState.edit,
            on_submit=FillState.submit,
        ),
        title=shown.record,
        description=f"{shown.car}, {shown.day}, {shown.window}",
        open=shown.id != "",
        on_open_change=FillState.close,
        closes_when_left=True,
    )


def _gallons(label: str, name: str, hint: str | None, **more: Any) -> rx.Component:
    return _typed(label, name, hint=hint, input_mode="decimal", **more)


def _typed(label: str, name: str, **more: Any) -> rx.Component:
    known = {"default_value": FillState.typed[name], "auto_complete": "off"}
    return field_of(FillState, label, name, **known | more)
