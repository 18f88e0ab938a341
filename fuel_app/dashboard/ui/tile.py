"""One figure of the dashboard."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import arriving, card


def tile(label: str, value: Any, *notes: Any, icon: str = "") -> rx.Component:
    mark = "shrink-0 text-gulf max-sm:hidden"
    return card(
        rx.el.dt(
            rx.icon(icon, size=20, aria_hidden=True, class_name=mark) if icon else "",
            label,
            class_name="mb-1 flex items-center gap-2 text-sm font-semibold text-muted",
        ),
        rx.el.dd(
            rx.el.span(
                arriving(value, "w-12"),
                class_name="block text-3xl font-extrabold tracking-tight tabular-nums text-ink",
            ),
            *[rx.el.span(note, class_name="mt-1 block text-sm text-muted") for note in notes],
        ),
        class_name="max-sm:p-4",
    )
