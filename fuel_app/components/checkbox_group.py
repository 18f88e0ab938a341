"""Several boxes to tick under one question."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app.components.fields import error_text, field_id


def checkbox_group(
    label: str,
    name: str,
    options: Sequence[tuple[str, str]],
    *,
    form: str,
    ticked: rx.Var[list[str]],
    error: Any = "",
) -> rx.Component:
    """A group for `options` of (value, text). The first box has the field's own id, for focus."""
    group_id = field_id(form, name)
    return rx.el.fieldset(
        rx.el.legend(label, class_name="mb-1 text-sm font-semibold text-ink"),
        rx.el.div(
            *[
                rx.el.label(
                    rx.el.input(
                        id=group_id if number == 0 else f"{group_id}-{value}",
                        name=name,
                        type="checkbox",
                        value=value,
                        default_checked=ticked.contains(value),
                        aria_describedby=f"{group_id}-error",
                        aria_invalid=rx.cond(error != "", "true", "false"),
                        class_name="h-5 w-5 shrink-0 accent-gulf",
                    ),
                    rx.el.span(text),
                    class_name="flex min-h-11 flex-1 cursor-pointer items-center gap-3 "
                    "rounded-control border border-[#8FA3AB] px-3 text-base text-ink "
                    "hover:border-muted has-[:checked]:border-gulf has-[:checked]:bg-seafoam",
                )
                for number, (value, text) in enumerate(options)
            ],
            class_name="grid gap-3 sm:grid-cols-2",
        ),
        error_text(f"{group_id}-error", error),
    )
