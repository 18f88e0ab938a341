"""The pages of a list."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.fields import CONTROL


def pager(state: Any) -> rx.Component:
    """First, previous, a page by its number, next, last."""
    page, pages, turn_to = state.question.page, state.pages, state.turn_to
    return rx.cond(
        pages > 1,
        rx.el.nav(
            _turn("chevrons-left", "First page", turn_to(1), page <= 1),
            _turn("chevron-left", "Previous page", turn_to(page - 1), page <= 1),
            rx.el.form(
                rx.el.label(
                    "Page", html_for="page-number", class_name="text-base text-muted max-sm:sr-only"
                ),
                rx.el.input(
                    id="page-number",
                    name="page",
                    key=page.to_string(),
                    default_value=page.to_string(),
                    input_mode="numeric",
                    max_length=8,
                    auto_complete="off",
                    class_name=CONTROL + " min-w-14 max-w-24 text-center tabular-nums",
                ),
                rx.el.span("of ", _grouped(pages)),
                on_submit=state.jump,
                class_name="flex items-center gap-2 whitespace-nowrap tabular-nums",
            ),
            _turn("chevron-right", "Next page", turn_to(page + 1), page >= pages),
            _turn("chevrons-right", "Last page", turn_to(pages), page >= pages),
            aria_label="Pages",
            class_name="mt-4 flex items-center justify-center gap-1 text-base text-ink",
        ),
    )


def _grouped(number: rx.Var[int]) -> rx.Var[str]:
    """A number with commas."""
    data = number._get_all_var_data()
    return rx.Var(f"({number!s}).toLocaleString('en-US')", _var_type=str, _var_data=data)


def _turn(icon: str, label: str, event: Any, disabled: Any) -> rx.Component:
    return rx.el.button(
        rx.icon(icon, size=20, aria_hidden=True),
        type="button",
        aria_label=label,
        title=label,
        on_click=event,
        disabled=disabled,
        class_name="inline-flex h-11 w-11 shrink-0 cursor-pointer items-center justify-center "
        "rounded-control text-ink hover:bg-seafoam disabled:cursor-not-allowed disabled:opacity-40",
    )
