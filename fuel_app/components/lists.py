"""Lists that marketing pages share: cards with icons, plain entries with icons, steps."""

from collections.abc import Sequence

import reflex as rx

from fuel_app.kit.ui.cards import card


def icon_cards(
    entries: Sequence[tuple[str, str, str]], class_name: str = "md:grid-cols-3"
) -> rx.Component:
    """Cards of (icon, title, text), two or more in a row where there is room."""
    return rx.el.ul(
        *[
            rx.el.li(
                card(
                    _icon(icon),
                    rx.el.h3(title, class_name="mt-4 text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="mt-1 text-pretty text-base text-muted"),
                    class_name="h-full",
                )
            )
            for icon, title, text in entries
        ],
        class_name=f"mt-8 grid gap-4 {class_name}",
    )


def icon_list(entries: Sequence[tuple[str, str, str]], class_name: str) -> rx.Component:
    """The same without boxes, for longer lists."""
    return rx.el.ul(
        *[
            rx.el.li(
                _icon(icon),
                rx.el.div(
                    rx.el.h3(title, class_name="text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="mt-0.5 text-pretty text-base text-muted"),
                ),
                class_name="flex gap-4",
            )
            for icon, title, text in entries
        ],
        class_name=f"mt-10 grid gap-x-8 gap-y-8 {class_name}",
    )


def _icon(name: str) -> rx.Component:
    return rx.el.span(
        rx.icon(name, size=24, aria_hidden=True),
        class_name="inline-flex h-12 w-12 shrink-0 items-center justify-center rounded-control "
        "bg-seafoam text-gulf-deep",
    )


def steps(entries: Sequence[tuple[str, str]], class_name: str = "flex flex-col") -> rx.Component:
    """Numbered steps of (title, text)."""
    return rx.el.ol(
        *[
            rx.el.li(
                rx.el.span(
                    str(number),
                    aria_hidden=True,
                    class_name="flex h-10 w-10 shrink-0 items-center justify-center "
                    "rounded-full bg-gulf text-lg font-bold text-white",
                ),
                rx.el.div(
                    rx.el.h3(title, class_name="text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="text-pretty text-base text-muted"),
                ),
                class_name="flex gap-4",
            )
            for number, (title, text) in enumerate(entries, start=1)
        ],
        class_name=f"mt-8 gap-6 {class_name}",
    )
