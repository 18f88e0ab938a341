"""The button that ends a session."""

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.plain_form import plain_form


def sign_out_form(text: str, *, entry: str, class_name: str = "") -> rx.Component:
    """Return the form; `entry` is the look of its button."""
    return plain_form(
        rx.el.button(
            rx.icon("log-out", size=20, aria_hidden=True, class_name="shrink-0"),
            text,
            type="submit",
            class_name=entry,
        ),
        action=routes.SIGN_OUT,
        class_name=class_name,
    )
