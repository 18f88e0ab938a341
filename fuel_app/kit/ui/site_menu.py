"""The ways to the public pages: a row in the header, a panel on phones, a list in the footer."""

import reflex as rx

from fuel_app import routes

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
    """A link to a place on the same page; the browser's own, which takes the focus along."""
    return rx.el.A.create(text, href=f"#{name}", class_name=class_name)


def page_link(
    text: str, address: str, current: str, class_name: str, icon: str = ""
) -> rx.Component:
    """A link to a page; it says so where it is the page that one is on."""
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
    """The panel that the menu button opens, below the header; `more` follows the pages."""
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
