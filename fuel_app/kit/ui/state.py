"""Changes of screens' states."""

from typing import Any

import reflex as rx


def set_changed(state: rx.State, **shown: Any) -> None:
    """Set the variables whose values differ: only those are sent to the browser."""
    for name, value in shown.items():
        if getattr(state, name) != value:
            setattr(state, name, value)
