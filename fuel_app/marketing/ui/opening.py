"""Parts of a public page that follow the opening.

Both are in the document, and the mark of the page (`styles.css`) shows one. So the right one is
there at the first paint, before any script runs.
"""

from typing import Any

import reflex as rx

from fuel_app.joining.ui.modal import join_button
from fuel_app.kit.ui.button import Kind


def by_opening(until: Any, once: Any, tag: Any = rx.el.span) -> rx.Component:
    """Return both parts: `until` the company is open, and `once` it is."""
    return rx.fragment(tag(until, class_name="until-open"), tag(once, class_name="once-open"))


def start_button(kind: Kind = "primary", class_name: str = "") -> rx.Component:
    """Return the button that opens the waitlist, and once open asks for the ZIP first."""
    return by_opening(
        join_button(kind=kind, class_name=class_name),
        join_button("Check my ZIP", kind=kind, class_name=class_name),
    )
