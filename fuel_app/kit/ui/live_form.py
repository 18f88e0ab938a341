"""A form that tells its state what is typed as well as what is sent."""

from typing import Any

import reflex as rx
from reflex_base.event import FORM_SUBMIT_MAPPING
from reflex_components_core.el.elements.forms import Form

from fuel_app.kit.ui.script import Script


# FORM_SUBMIT_MAPPING stands for the mapping that the handler takes.
def _whole(event: rx.Var[Any]) -> tuple[rx.Var[FORM_SUBMIT_MAPPING]]:  # pyright: ignore[reportInvalidTypeVarUse]
    return (rx.Var(f"getFormData({event}.currentTarget)"),)


def _field_and_whole(
    event: rx.Var[Any],
) -> tuple[rx.Var[str], rx.Var[FORM_SUBMIT_MAPPING]]:  # pyright: ignore[reportInvalidTypeVarUse]
    return (rx.Var(f"({event}.target.name ?? '')"), *_whole(event))


class _LiveForm(Form):
    on_change: rx.EventHandler[_whole]
    on_blur: rx.EventHandler[_field_and_whole]


class _PendingEdit(Script):
    tag = "PendingEdit"
    FILE = "live_form.js"
    on_remove: rx.EventHandler[_whole]

    def add_imports(self) -> rx.ImportDict:
        return {"$/utils/state": "getFormData"}


def live_form(*children: Any, on_edit: Any, on_submit: Any, on_leave: Any = None) -> rx.Component:
    """A form of uncontrolled fields; messages are ours, beside each field.

    One debounced event carries the whole form: the browser may fill several fields at once.

    Args:
        on_edit: Takes the form a moment after a change, or at once if the form is removed before.
        on_leave: Takes the name of a field that lost the focus, and the form; by default
            `on_edit` takes the form at once.
    """
    return _LiveForm.create(
        *children,
        _PendingEdit.create(on_remove=on_edit),
        on_change=on_edit.debounce(250),
        on_blur=on_leave or (lambda _field, form: on_edit(form)),
        on_submit=on_submit,
        no_validate=True,
    )
