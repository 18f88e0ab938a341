"""A form that tells its state what is typed as well as what is sent."""

from typing import Any

import reflex as rx
from reflex_base.event import FORM_SUBMIT_MAPPING
from reflex_components_core.el.elements.forms import Form


# FORM_SUBMIT_MAPPING stands for whichever TypedDict the handler takes.
def _whole(event: rx.Var[Any]) -> tuple[rx.Var[FORM_SUBMIT_MAPPING]]:  # pyright: ignore[reportInvalidTypeVarUse]
    return (rx.Var(f"getFormData({event}.currentTarget)"),)


def _field_and_whole(
    event: rx.Var[Any],
) -> tuple[rx.Var[str], rx.Var[FORM_SUBMIT_MAPPING]]:  # pyright: ignore[reportInvalidTypeVarUse]
    return (rx.Var(f"({event}.target.name ?? '')"), *_whole(event))


class _LiveForm(Form):
    on_change: rx.EventHandler[_whole]
    on_blur: rx.EventHandler[_field_and_whole]


def live_form(*children: Any, on_edit: Any, on_leave: Any, on_submit: Any) -> rx.Component:
    """A form of uncontrolled fields; messages are ours, beside each field.

    One debounced event carries the whole form: the browser may fill several fields at once.

    Args:
        on_edit: Takes the form a moment after a change.
        on_leave: Takes the name of a field that lost the focus, and the form.
        on_submit: Takes the form.
    """
    return _LiveForm.create(
        *children,
        on_change=on_edit.debounce(250),
        on_blur=on_leave,
        on_submit=on_submit,
        no_validate=True,
    )
