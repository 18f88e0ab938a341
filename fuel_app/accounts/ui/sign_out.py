"""The button that ends a session."""

from typing import Any

import reflex as rx
from reflex_components_core.el.elements.base import BaseHTML

from fuel_app import routes


class _SignOutForm(BaseHTML):
    """The browser's own form, which works whatever the page is doing; `rx.el.form` never sends."""

    tag = "form"
    method: rx.Var[str]
    action: rx.Var[str]


def sign_out_form(text: str, *, entry: str, class_name: Any = "") -> rx.Component:
    """Return the form; `entry` is the look of its button."""
    return _SignOutForm.create(
        rx.el.button(
            rx.icon("log-out", size=20, aria_hidden=True, class_name="shrink-0"),
            text,
            type="submit",
            class_name=entry,
        ),
        method="post",
        action=routes.SIGN_OUT,
        class_name=class_name,
    )
