"""The step between a chosen file and its import: which column fills which field."""

from collections.abc import Callable, Sequence
from typing import Any

import reflex as rx

from fuel_app.kit.table_file import FileField
from fuel_app.kit.ui.fields import CONTROL

NOT_THERE = "Not in the file"


def column_selects(
    fields: Sequence[FileField], columns: Any, places: Any, *, on_choose: Callable[[str, Any], Any]
) -> rx.Component:
    """Render a select of the file's columns for each field.

    Args:
        columns: The names of the columns, each another one.
        places: The position of each field's column, as a text; empty where it has none.
        on_choose: Takes a field's name and the position that is chosen.
    """
    return rx.el.div(
        *[_select(field, columns, places[field.name], on_choose) for field in fields],
        class_name="grid gap-x-4 gap-y-3 sm:grid-cols-2",
    )


def _select(
    field: FileField, columns: Any, place: Any, on_choose: Callable[[str, Any], Any]
) -> rx.Component:
    return rx.el.label(
        rx.el.span(
            field.label,
            rx.el.span(
                "" if field.required else " (optional)", class_name="font-normal text-muted"
            ),
            class_name="mb-1 block text-sm font-semibold text-ink",
        ),
        rx.el.select(
            rx.el.option(NOT_THERE, value=""),
            rx.foreach(columns, lambda name, at: rx.el.option(name, value=at.to_string())),
            value=place,
            on_change=lambda value: on_choose(field.name, value),
            aria_invalid=rx.cond(place == "", "true", "false") if field.required else "false",
            class_name=f"{CONTROL} cursor-pointer pl-2",
        ),
        class_name="block min-w-0",
    )
