"""The frame of every page: brand, skip link, menu, support, toasts, lost connection, error page."""

import re
from typing import Any

import reflex as rx
from reflex_components_core.core.banner import has_connection_errors, has_too_many_connection_errors

from fuel_app import routes
from fuel_app.kit.ui.address import Moves
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.cards import TEXT, email_text
from fuel_app.kit.ui.script import TITLE, Script
from fuel_app.kit.ui.toast import toasts
from fuel_app.settings import settings

_MARK_PATH = (
    "M16 1C16.55 1 17.05 1.25 17.4 1.65C21 5.9 26.9 11.9 26.9 19.1"
    "C26.9 19.36 26.89 19.63 26.87 19.89Q23.86 20.9 21.45 20.9Q18.41 20.9 17.52 19.34"
    "Q16.8 18.11 17.42 16.87Q18.13 15.47 20.12 14.96Q20.8 14.78 21.03 14.12"
    "Q21.2 13.61 20.97 13.13Q20.73 12.64 20.22 12.47Q12.77 9.93 8.69 16.93"
    "Q8.52 17.2 8.21 17.74Q6.88 20.01 5.33 21.32C5.18 20.61 5.1 19.86 5.1 19.1"
    "C5.1 11.9 11 5.9 14.6 1.65C14.95 1.25 15.45 1 16 1ZM26.26 22.79"
    "C24.75 26.99 20.72 30 16 30C11.71 30 8.01 27.53 6.23 23.93Q8.58 22.27 10.46 19.05"
    "Q10.76 18.52 10.91 18.27Q12.9 14.87 15.92 14.49Q15.44 15.03 15.1 15.7"
    "Q13.84 18.19 15.28 20.66Q16.9 23.5 21.45 23.5Q23.67 23.5 26.26 22.79Z"
)


def mark(class_name: str) -> rx.Component:
    """Render the brand mark in the current text color, hidden from assistive technology."""
    return rx.el.svg(
        rx.el.svg.path(d=_MARK_PATH),
        view_box="0 0 32 32",
        class_name=class_name,
        aria_hidden="true",
        custom_attrs={"fill": "currentColor", "focusable": "false"},
    )


SECTION = "mx-auto w-full max-w-6xl px-4 sm:px-6"
HEADER_BUTTON = "max-sm:px-3 max-sm:text-sm"
TAGLINE = "Never visit a gas station again"


def skip_link() -> rx.Component:
    """Render the first link of the page; its main part has the id `content`."""
    return place_link(
        "Skip to content",
        "content",
        "sr-only focus:not-sr-only focus:fixed focus:left-4 focus:top-4 focus:z-50 "
        "focus:rounded-control focus:bg-gulf focus:px-4 focus:py-3 focus:text-white",
    )


def brand(
    class_name: str = "text-ink", href: str = routes.HOME, name_class: str = ""
) -> rx.Component:
    """Render the mark and the name, which may shrink away where there is no room."""
    return rx.el.a(
        mark("h-8 w-8 shrink-0 text-gulf"),
        rx.el.span(
            settings.brand_name,
            class_name=f"truncate text-[15px] font-bold tracking-tight sm:text-lg {name_class}",
        ),
        href=href,
        class_name=f"flex min-h-11 min-w-11 items-center gap-2 {class_name}",
    )


def phone_link(class_name: str = "link whitespace-nowrap") -> rx.Component:
    phone = settings.support_phone
    return rx.el.a(phone, href="tel:" + re.sub(r"[^0-9+]", "", phone), class_name=class_name)


def email_link(class_name: str = "link") -> rx.Component:
    email = settings.support_email
    return rx.el.a(email_text(email), href=f"mailto:{email}", class_name=class_name)


def call_us() -> rx.Component:
    """Return the last line of a page that needs no signing in."""
    return rx.el.p(
        "Questions? Call us: ",
        phone_link(),
        ", or write to ",
        email_link(),
        ".",
        class_name=f"mt-4 text-pretty {TEXT}",
    )


PAGES = (
    ("Families", routes.HOME),
    ("Plans", routes.PLANS),
    ("Fleet", routes.FLEET),
    ("Business", routes.BUSINESS),
)

# The panel is the browser's own popover: it opens without our script, closes on Escape and on a
# press outside, and tells readers whether it is open. Only choosing has to be taught to close it.
_PANEL_ID = "site-menu"
_CLOSE = rx.Var("(event) => event.currentTarget.hidePopover()").to(rx.EventChain)

_ROW_LINK = (
    "inline-flex min-h-11 items-center rounded-control px-3 text-base font-medium text-muted "
    "hover:bg-seafoam hover:text-gulf-deep aria-[current=page]:font-semibold "
    "aria-[current=page]:text-gulf-deep"
)
PANEL_LINK = (
    "flex min-h-12 items-center rounded-control px-3 text-lg font-semibold text-ink "
    "hover:bg-seafoam aria-[current=page]:bg-seafoam aria-[current=page]:text-gulf-deep"
)


def place_link(text: str, name: str, class_name: str) -> rx.Component:
    """Render the browser's own link to an id on the same page, which moves the focus, too."""
    return rx.el.A.create(text, href=f"#{name}", class_name=class_name)


def page_link(
    text: Any, address: str, current: str, class_name: str, icon: str = ""
) -> rx.Component:
    """Render a link to a page, marked as current on that page."""
    here = {"aria-current": "page"} if address == current else {}
    picture = [rx.icon(icon, size=20, aria_hidden=True, class_name="shrink-0")] if icon else []
    return rx.el.a(*picture, text, href=address, class_name=class_name, custom_attrs=here)


def menu_row(current: str, class_name: str) -> rx.Component:
    return rx.el.nav(
        *[page_link(text, address, current, _ROW_LINK) for text, address in PAGES],
        aria_label="Main",
        class_name=f"items-center {class_name}",
    )


def menu_button(class_name: str) -> rx.Component:
    return rx.el.button(
        rx.icon("menu", size=24, aria_hidden=True),
        type="button",
        aria_label="Menu",
        custom_attrs={"popoverTarget": _PANEL_ID},
        class_name="h-11 w-11 shrink-0 cursor-pointer items-center justify-center rounded-control "
        f"text-ink hover:bg-seafoam {class_name}",
    )


def menu_panel(current: str, *more: rx.Component) -> rx.Component:
    """Render the panel of the menu button, below the header; `more` follows the pages."""
    return rx.el.nav(
        rx.el.div(
            *[page_link(text, address, current, PANEL_LINK) for text, address in PAGES],
            *more,
            class_name="mx-auto flex max-w-6xl flex-col gap-1 p-3",
        ),
        aria_label="Main",
        on_click=_CLOSE,
        custom_attrs={"id": _PANEL_ID, "popover": "auto"},
        class_name="fixed inset-x-0 bottom-auto top-16 m-0 w-full border-b border-line bg-surface "
        "p-0 shadow-soft md:hidden",
    )


# A form that is submitted before React has loaded would put its values into the address. React
# would escape quotes and arrow functions.
_NO_GET = """addEventListener(`submit`, function (event) {
  if (event.target.method == `get`) event.preventDefault();
}, true)"""
HEAD = [
    rx.el.script(_NO_GET),
    rx.el.link(
        rel="preload",
        href="/fonts/figtree-latin.woff2",
        custom_attrs={"as": "font", "type": "font/woff2", "crossOrigin": "anonymous"},
    ),
    rx.el.link(rel="icon", href="/favicon.ico", sizes="32x32"),
    rx.el.link(rel="icon", href="/favicon.svg", type="image/svg+xml"),
    rx.el.link(rel="apple-touch-icon", href="/apple-touch-icon.png"),
    rx.el.link(rel="manifest", href="/site.webmanifest"),
    rx.el.meta(name="theme-color", content="#0E7C86"),
]
ERROR_TITLE = "Unexpected Application Error!"


class _TypedEarly(Script):
    tag = "TypedEarly"
    FILE = "typed_early.js"
    settled: rx.Var[bool]
    failing: rx.Var[bool]

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useLocation"}


def overlay() -> rx.Component:
    return rx.fragment(
        toasts(),
        Moves.create(),
        _TypedEarly.create(settled=rx.State.is_hydrated, failing=has_connection_errors),
        rx.el.div(
            rx.cond(
                has_too_many_connection_errors,
                rx.el.p(
                    rx.icon("wifi-off", size=20, aria_hidden=True),
                    "The connection is interrupted. What you typed is safe; we keep trying.",
                    class_name="flex items-center justify-center gap-2 bg-sun px-4 py-3 text-base "
                    "font-semibold text-ink",
                ),
            ),
            role="status",
            class_name="fixed inset-x-0 top-0 z-[70]",
        ),
    )


def error_page(what: rx.Var[str] | str) -> rx.Component:
    """Return the page for an unknown address and for a failed page."""
    return rx.el.main(
        mark("mb-6 h-12 w-12 text-gulf"),
        rx.el.h1(ERROR_TITLE, class_name=TITLE),
        rx.el.p(what, class_name="mt-3 max-w-[68ch] break-words text-lg text-muted"),
        # The browser's own link: the router's would stay inside the page that has just failed.
        rx.el.A.create(
            "Back to the start", href=routes.HOME, class_name=button_class("primary", "mt-8")
        ),
        class_name="mx-auto flex min-h-dvh w-full max-w-2xl flex-col items-start justify-center "
        "px-6 py-16",
    )


def not_found() -> rx.Component:
    return error_page("404 Not Found")
