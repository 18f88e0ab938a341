"""Parts of every frame: the mark and name, the skip link, the widths."""

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.art import mark
from fuel_app.kit.ui.site_menu import place_link
from fuel_app.settings import settings

SECTION = "mx-auto w-full max-w-6xl px-4 sm:px-6"
HEADER_BUTTON = "max-sm:px-3 max-sm:text-sm"
TAGLINE = "Never visit a gas station again"


def skip_link() -> rx.Component:
    """The first thing the keyboard comes to; the page's main part is called `content`."""
    return place_link(
        "Skip to content",
        "content",
        "sr-only focus:not-sr-only focus:fixed focus:left-4 focus:top-4 focus:z-50 "
        "focus:rounded-control focus:bg-gulf focus:px-4 focus:py-3 focus:text-white",
    )


def brand(
    class_name: str = "text-ink", href: str = routes.HOME, name_class: str = ""
) -> rx.Component:
    """The mark and the name; the name can give way to the mark where there is no room."""
    return rx.el.a(
        mark("h-8 w-8 shrink-0 text-gulf"),
        rx.el.span(
            settings.brand_name,
            class_name=f"truncate text-[15px] font-bold tracking-tight sm:text-lg {name_class}",
        ),
        href=href,
        class_name=f"flex min-h-11 min-w-11 items-center gap-2 {class_name}",
    )
