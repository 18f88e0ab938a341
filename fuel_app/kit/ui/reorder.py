"""A list that is reordered by pointer, arrow keys or buttons."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.script import Script


class _ReorderList(Script):
    """The list of `reorder_entry` entries; `order` holds their ids as they stand.

    `on_move` takes an id and its new place, counted from 1.
    """

    tag = "ReorderList"
    FILE = "reorder.js"
    order: rx.Var[list[str]]
    on_move: rx.EventHandler[rx.event.passthrough_event_spec(str, int)]


reorder_list = _ReorderList.create


def reorder_entry(
    *children: Any, id: Any, name: Any, first: Any, last: Any, class_name: str
) -> rx.Component:
    """Render an entry with its handle, a button up and one down."""
    return rx.el.li(
        rx.el.button(
            rx.icon("grip-vertical", size=20, aria_hidden=True),
            type="button",
            aria_label=f"Move {name}: drag, or press the arrow keys",
            custom_attrs={"data-handle": ""},
            class_name="inline-flex min-h-11 w-6 shrink-0 cursor-grab touch-none items-center "
            "justify-center self-stretch rounded-control text-muted hover:bg-seafoam",
        ),
        *children,
        rx.el.div(
            _step("chevron-up", f"Move up {name}", -1, disabled=first),
            _step("chevron-down", f"Move down {name}", 1, disabled=last),
            class_name="flex shrink-0 flex-col",
        ),
        key=id,
        custom_attrs={"data-entry": id},
        class_name=class_name,
    )


def _step(icon: str, label: Any, step: int, *, disabled: Any) -> rx.Component:
    return rx.el.button(
        rx.icon(icon, size=20, aria_hidden=True),
        type="button",
        aria_label=label,
        disabled=disabled,
        custom_attrs={"data-step": str(step)},
        class_name="inline-flex h-11 w-11 max-sm:w-9 cursor-pointer items-center justify-center "
        "rounded-control text-muted hover:bg-seafoam hover:text-gulf-deep "
        "disabled:cursor-default disabled:opacity-30",
    )
