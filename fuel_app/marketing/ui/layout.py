"""The frame of the public pages: skip link, header, main, footer."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.sign_in import staff_login_link, staff_login_modal
from fuel_app.joining.ui.modal import join_button, waitlist_modal
from fuel_app.kit.ui.brand import HEADER_BUTTON, SECTION, TAGLINE, brand, skip_link
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.site_menu import (
    PAGES,
    PANEL_LINK,
    menu_button,
    menu_panel,
    menu_row,
    page_link,
)
from fuel_app.kit.ui.support import email_link
from fuel_app.marketing.state import OpeningState
from fuel_app.marketing.ui.opening import by_opening
from fuel_app.marketing.ui.sections import UP_TO


def public_page(*sections: Any, current: str, actions: rx.Component | None = None) -> rx.Component:
    """Return the public page at the address `current`, with the modals of its header and footer.

    The header's `actions` are joining, unless the page has others; once we have opened, they are
    the ways into accounts.
    """
    return rx.el.div(
        skip_link(),
        _header(current, by_opening(actions or join_button(class_name=HEADER_BUTTON), _ways_in())),
        rx.el.main(*sections, id="content"),
        _footer(current),
        waitlist_modal(UP_TO),
        staff_login_modal(),
        # The server marks the document; a page that is reached from another one marks itself.
        custom_attrs={"data-company": rx.cond(OpeningState.is_open, "open", "waitlist")},
        class_name="contents",
    )


def _ways_in() -> rx.Component:
    return rx.fragment(
        link_button("Sign In", href=routes.SIGN_IN, kind="quiet", class_name="max-md:hidden"),
        link_button("Get started", href=routes.ONBOARDING, class_name=HEADER_BUTTON),
    )


def _header(current: str, actions: rx.Component) -> rx.Component:
    return rx.el.header(
        rx.el.div(
            brand(),
            menu_row(current, "hidden md:flex"),
            rx.el.div(
                actions,
                menu_button("inline-flex md:hidden"),
                class_name="-mr-2 flex shrink-0 items-center gap-1 sm:gap-2 md:mr-0",
            ),
            class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
        ),
        menu_panel(
            current,
            by_opening(
                "",
                rx.fragment(
                    page_link("Sign In", routes.SIGN_IN, current, PANEL_LINK),
                    page_link("Get started", routes.ONBOARDING, current, PANEL_LINK),
                ),
            ),
        ),
        class_name="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur",
    )


def _footer(current: str) -> rx.Component:
    pages = (*PAGES, ("Privacy", routes.PRIVACY), ("Terms", routes.TERMS))
    return rx.el.footer(
        rx.el.div(
            rx.el.div(
                brand("text-white"), rx.el.p(TAGLINE, class_name="mt-1 text-base text-[#B7CBD1]")
            ),
            rx.el.nav(
                *[page_link(text, address, current, _FOOTER_LINK) for text, address in pages],
                email_link(_FOOTER_LINK),
                staff_login_link(_FOOTER_LINK),
                aria_label="Footer",
                class_name="flex flex-wrap items-center gap-x-6 gap-y-1 lg:justify-end",
            ),
            class_name="flex flex-col justify-between gap-6 py-10 lg:flex-row lg:items-center "
            + SECTION,
        ),
        class_name="bg-ink",
    )


_FOOTER_LINK = (
    "inline-flex min-h-11 min-w-11 cursor-pointer items-center text-base text-white "
    "underline-offset-4 hover:underline focus-visible:outline-sun"
)
