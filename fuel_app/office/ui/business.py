"""The form of the business figures, and their last changes."""

import reflex as rx

from fuel_app.kit.figures import FIGURES, Figure
from fuel_app.kit.ui.button import submit_button
from fuel_app.kit.ui.cards import alert, panel
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.office.state.business import FORM, BusinessState


def business_figures() -> rx.Component:
    return rx.fragment(
        panel(
            "Business figures",
            alert(rx.cond(BusinessState.failed, "The figures cannot be read just now.", "")),
            rx.cond(
                BusinessState.loading,
                rx.el.div(class_name="skeleton mt-4 h-40 rounded", aria_hidden=True),
                _form(),
            ),
            lead="A change takes effect for what is made after it.",
        ),
        panel(
            "Last changes",
            stacked_table(
                BusinessState.changes,
                (
                    Column("When", lambda line: line.when),
                    Column("Figure", lambda line: line.label),
                    Column("Change", lambda line: line.what),
                    Column("By", lambda line: line.who),
                ),
                caption="Last changes",
                loading=BusinessState.loading,
                empty_text="No figure has been changed yet.",
            ),
        ),
    )


def _form() -> rx.Component:
    return live_form(
        alert(BusinessState.error),
        rx.el.div(
            *[_field(figure) for figure in FIGURES.values()],
            class_name="mt-4 grid gap-4 sm:grid-cols-2",
        ),
        rx.el.div(
            submit_button("Save figures", busy=BusinessState.busy, busy_text="Saving..."),
            class_name="mt-6",
        ),
        on_edit=BusinessState.edit,
        on_submit=BusinessState.submit,
    )


def _field(figure: Figure) -> rx.Component:
    unit = "in dollars" if figure.is_money else f"in {figure.unit}"
    shown = BusinessState.shown[figure.name]
    return rx.el.div(
        field(
            f"{figure.label} ({unit})",
            figure.name,
            form=FORM,
            error=BusinessState.errors.get(figure.name, ""),
            default_value=shown,
            hint=figure.hint,
            input_mode="decimal" if figure.is_money else "numeric",
            auto_complete="off",
        ),
        key=shown,  # the field appears anew when its stored value changes
    )
