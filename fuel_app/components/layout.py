"""The frame of the public pages: skip link, header, main, footer."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.components.art import mark
from fuel_app.components.staff_login import staff_login_link, staff_login_modal
from fuel_app.components.waitlist import join_button, waitlist_modal
from fuel_app.settings import settings

SECTION = "mx-auto w-full max-w-6xl px-4 sm:px-6"
TAGLINE = "Never visit a gas station again"

_MENU = (
    ("Benefits", f"{routes.HOME}#benefits"),
    ("Neighborhoods", f"{routes.HOME}#neighborhoods"),
    ("How it works", f"{routes.HOME}#how-it-works"),
)


def public_page(*sections: Any) -> rx.Component:
    """A page for visitors, with the modals that its header and footer open."""
    return rx.fragment(
        rx.el.a(
            "Skip to content",
            href="#content",
            class_name="sr-only focus:not-sr-only focus:fixed focus:left-4 focus:top-4 focus:z-50 "
            "focus:rounded-control focus:bg-gulf focus:px-4 focus:py-3 focus:text-white",
        ),
        _header(),
        rx.el.main(*sections, id="content"),
        _footer(),
        waitlist_modal(),
        staff_login_modal(),
    )


def brand(class_name: str = "text-ink") -> rx.Component:
    return rx.el.a(
        mark("h-8 w-8 text-gulf"),
        rx.el.span(settings.brand_name, class_name="text-lg font-bold tracking-tight"),
        href=routes.HOME,
        class_name=f"flex min-h-11 items-center gap-2 {class_name}",
    )


def _header() -> rx.Component:
    return rx.el.header(
        rx.el.div(
            brand(),
            rx.el.nav(
                *[
                    rx.el.a(
                        text,
                        href=address,
                        class_name="rounded-control px-3 py-2 text-base font-medium text-muted "
                        "hover:bg-seafoam hover:text-gulf-deep",
                    )
                    for text, address in _MENU
                ],
                aria_label="Main",
                class_name="hidden items-center gap-1 md:flex",
            ),
            join_button(class_name="px-4"),
            class_name=f"flex h-16 items-center justify-between gap-4 {SECTION}",
        ),
        class_name="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur",
    )


def _footer() -> rx.Component:
    return rx.el.footer(
        rx.el.div(
            rx.el.div(
                brand("text-white"),
                rx.el.p(TAGLINE, class_name="mt-1 text-base text-[#B7CBD1]"),
            ),
            rx.el.nav(
                rx.el.a("Privacy", href=routes.PRIVACY, class_name=_FOOTER_LINK),
                rx.el.a(
                    settings.support_email,
                    href=f"mailto:{settings.support_email}",
                    class_name=_FOOTER_LINK,
                ),
                staff_login_link(_FOOTER_LINK),
                aria_label="Footer",
                class_name="flex flex-wrap items-center gap-x-6 gap-y-1",
            ),
            class_name="flex flex-col justify-between gap-6 py-10 md:flex-row md:items-center "
            + SECTION,
        ),
        class_name="bg-ink",
    )


_FOOTER_LINK = (
    "inline-flex min-h-11 cursor-pointer items-center text-base text-white underline-offset-4 "
    "hover:underline focus-visible:outline-sun"
)
