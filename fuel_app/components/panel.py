"""A card with a heading, which the screens behind the customer's menu are made of."""

from typing import Any

import reflex as rx

from fuel_app.components.cards import card

H2 = "text-lg font-bold text-ink"
TEXT = "text-base text-muted"


def panel(
    title: str, *children: Any, lead: Any = None, action: rx.Component | None = None
) -> rx.Component:
    """A section of a screen.

    Args:
        title: Its heading.
        children: What stands below.
        lead: A line below the heading.
        action: What stands beside the heading, such as a button.
    """
    return rx.el.section(
        card(
            rx.el.div(
                rx.el.div(
                    rx.el.h2(title, class_name=H2),
                    rx.el.p(lead, class_name=f"mt-0.5 {TEXT}") if lead else rx.fragment(),
                    class_name="min-w-0",
                ),
                action or rx.fragment(),
                class_name="flex items-start justify-between gap-3",
            ),
            *children,
        ),
    )
