"""What has to be seen at once, such as a refusal beside the button that was pressed."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.script import Script


class _InView(Script):
    tag = "InView"
    FILE = "in_view.js"
    text: rx.Var[str]


def alert_in_view(text: Any, *more: Any, class_name: str = "") -> rx.Component:
    """Return an alert with what can be done about it; it is read out, and scrolled into view."""
    return rx.cond(
        text != "",
        rx.el.div(
            alert(text),
            *more,
            _InView.create(text=text),
            class_name=f"scroll-my-24 {class_name}",
        ),
    )
