"""A switch: on or off at once, without a form."""

from typing import Any

import reflex as rx

from fuel_app.components.fields import field_id

# Both keep their colours where a system sets its own: these alone say whether it is on.
_TRACK = (
    "relative h-7 w-12 shrink-0 rounded-full transition-colors duration-150 ease-out "
    "forced-color-adjust-none"
)
_THUMB = (
    "absolute left-1 top-1 h-5 w-5 rounded-full bg-surface shadow transition-transform "
    "duration-150 ease-out forced-color-adjust-none"
)


def switch(
    label: str, description: str, *, form: str, name: str, on: rx.Var[bool], on_click: Any
) -> rx.Component:
    """A line with its switch; the whole line is the target, its label is the switch's name."""
    control_id = field_id(form, name)
    return rx.el.button(
        rx.el.span(
            rx.el.span(
                label, id=f"{control_id}-label", class_name="block text-base font-semibold text-ink"
            ),
            rx.el.span(description, id=f"{control_id}-hint", class_name="block text-sm text-muted"),
        ),
        rx.el.span(
            rx.el.span(class_name=rx.cond(on, f"{_THUMB} translate-x-5", _THUMB)),
            aria_hidden=True,
            class_name=rx.cond(on, f"{_TRACK} bg-gulf", f"{_TRACK} bg-[#6B828B]"),
        ),
        type="button",
        role="switch",
        id=control_id,
        aria_checked=on,
        aria_labelledby=f"{control_id}-label",
        aria_describedby=f"{control_id}-hint",
        on_click=on_click,
        class_name="flex min-h-14 w-full cursor-pointer items-center justify-between gap-4 "
        "rounded-control px-2 py-2 text-left hover:bg-seafoam",
    )
