"""The frame of the settings: one screen for each entry, for admins."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.accounts.ui.undo import undo_bar
from fuel_app.kit.ui.frame import page_link
from fuel_app.kit.ui.script import TITLE

ENTRIES = (
    ("map", "Areas", routes.SETTINGS_AREAS),
    ("fuel", "Prices", routes.SETTINGS_PRICES),
    ("truck", "Trucks", routes.SETTINGS_TRUCKS),
    ("users", "People", routes.SETTINGS_PEOPLE),
    ("mail", "Messages", routes.SETTINGS_MESSAGES),
    ("wallet", "Money", routes.SETTINGS_MONEY),
    ("sliders-horizontal", "Business", routes.SETTINGS_BUSINESS),
)
_ENTRY = (
    "inline-flex min-h-11 items-center gap-2 whitespace-nowrap border-b-2 border-transparent px-3 "
    "text-base font-semibold text-muted hover:text-gulf-deep focus-visible:-outline-offset-2 "
    "aria-[current=page]:border-gulf aria-[current=page]:text-gulf-deep"
)


_FOR_OTHERS = SessionState.is_staff & ~SessionState.is_admin


def _tabs(current: str) -> rx.Component:
    return rx.el.nav(
        *[page_link(text, address, current, _ENTRY, icon) for icon, text, address in ENTRIES],
        aria_label="Settings",
        class_name="mb-6 mt-3 flex flex-wrap border-b border-line",
    )


def _only_admins() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            "Areas, prices, trucks, people, messages, money and business figures are for admins. "
            "Ask one of them for a change.",
            class_name="mt-3 max-w-[60ch] text-base text-ink",
        ),
        rx.el.p("You may go on with:", class_name="mt-3 text-base text-muted"),
        rx.el.ul(
            *[
                rx.el.li(rx.el.a(text, href=address, class_name=_LINK))
                for text, address in (
                    ("Customers", routes.CUSTOMER_DASHBOARD),
                    ("Dispatch", routes.DISPATCH),
                    ("The admin dashboard", routes.DASHBOARD),
                )
            ]
        ),
    )


_LINK = "link inline-flex min-h-11 items-center text-base"


def settings_screen(*children: Any, title: str, current: str, undo: bool = False) -> rx.Component:
    """Return the settings screen at the address `current`, with the bar of Undo if it has one."""
    screen = admin_layout(
        rx.el.h1("Settings", class_name=TITLE),
        rx.cond(_FOR_OTHERS, rx.fragment(), _tabs(current)),
        rx.el.section(
            rx.el.h2(title, class_name="sr-only"),
            rx.cond(_FOR_OTHERS, _only_admins(), rx.fragment(*children)),
            aria_label=title,
            class_name="flex max-w-5xl flex-col gap-6 [&>[role=alert]:empty]:-mb-6",
        ),
        current=routes.SETTINGS_AREAS,
    )
    return rx.fragment(screen, undo_bar()) if undo else screen
