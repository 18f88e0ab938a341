"""Sections and pictures of the public pages."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app.kit.ui.brand import SECTION
from fuel_app.kit.ui.cards import card
from fuel_app.kit.ui.page_heading import TITLE
from fuel_app.kit.ui.site_menu import place_link
from fuel_app.marketing.state import OpeningState
from fuel_app.marketing.ui.opening import by_opening
from fuel_app.settings import ROOT


def picture(
    source: str, width: int, height: int, *, alt: str, class_name: str = ""
) -> rx.Component:
    """Return a picture below the fold; width and height reserve its space."""
    return rx.el.img(
        src=source,
        alt=alt,
        loading="lazy",
        custom_attrs={"width": str(width), "height": str(height), "decoding": "async"},
        class_name=f"h-auto {class_name}",
    )


def drawing(source: str, *, alt: str, class_name: str = "") -> rx.Component:
    """Return a small SVG file inline, which saves a request."""
    return rx.html(
        (ROOT / "assets" / source.lstrip("/")).read_text(),
        role="img",
        aria_label=alt,
        class_name=f"[&>svg]:block [&>svg]:h-auto [&>svg]:w-full {class_name}",
    )


H2 = TITLE  # a section of these pages is as much as a page elsewhere
LEAD = "mt-3 max-w-[68ch] text-pretty text-lg text-muted"
# Beside every promise of a free first fill.
UP_TO = f"up to {OpeningState.free_fill_cap} of fuel"
TEXT_LINK = (
    "inline-flex min-h-11 items-center justify-center font-semibold text-gulf-deep "
    "underline-offset-4 hover:underline"
)


def hero(
    title: Any, text: Any, *, eyebrow: str, actions: Sequence[rx.Component], art: str, alt: str
) -> rx.Component:
    """Return the top of a page; `art` is the drawing's address, and `alt` names what it shows."""
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.p(eyebrow, class_name="text-base font-semibold text-gulf-deep"),
                rx.el.h1(
                    title,
                    class_name="mt-2 text-balance text-3xl font-extrabold leading-[1.1] "
                    "tracking-tight text-ink sm:text-5xl",
                ),
                rx.el.p(text, class_name="mt-4 max-w-[52ch] text-pretty text-lg text-muted"),
                *actions,
                class_name="lg:py-10",
            ),
            drawing(art, alt=alt, class_name="mx-auto w-full max-w-xl"),
            class_name=f"grid items-center gap-8 py-8 lg:grid-cols-2 lg:py-14 {SECTION}",
        ),
        class_name="bg-gradient-to-b from-seafoam to-sand",
    )


def quote_actions(quote_button: rx.Component) -> list[rx.Component]:
    """Return the actions of a page that offers a quote."""
    return [
        actions_row(quote_button, place_link("How it works", "how-it-works", TEXT_LINK)),
        rx.el.p(
            by_opening(
                "We are not delivering yet. Ask for your quote now: it is free and binds you to "
                "nothing.",
                "Ask for your quote: it is free and binds you to nothing.",
            ),
            class_name="mt-4 max-w-[52ch] text-balance text-sm text-muted",
        ),
    ]


def actions_row(*children: Any) -> rx.Component:
    """Return buttons below each other on a phone, side by side elsewhere."""
    return rx.el.div(
        *children,
        class_name="mt-6 flex flex-col items-stretch gap-x-4 gap-y-3 sm:flex-row sm:flex-wrap "
        "sm:items-center",
    )


def section(
    *children: Any, title: str = "", lead: str = "", name: str = "", white: bool = False
) -> rx.Component:
    """Return a section of a page; `name` is its fragment."""
    ground = "border-y border-line bg-surface" if white else ""
    heading = [rx.el.h2(title, class_name=H2)] if title else []
    heading += [rx.el.p(lead, class_name=LEAD)] if lead else []
    return rx.el.section(
        rx.el.div(*heading, *children, class_name=f"py-14 sm:py-20 {SECTION}"),
        class_name=f"-scroll-mt-8 {ground}".strip(),
        custom_attrs={"id": name} if name else {},
    )


def closing(title: str, text: str, *actions: Any) -> rx.Component:
    """Return the closing call to action of a page."""
    return rx.el.section(
        rx.el.div(
            rx.el.h2(title, class_name=H2),
            rx.el.p(text, class_name="mx-auto mt-3 max-w-[60ch] text-balance text-lg text-muted"),
            rx.el.div(*actions, class_name="mt-6 flex flex-wrap justify-center gap-3"),
            class_name=f"py-14 text-center sm:py-20 {SECTION}",
        ),
        class_name="bg-seafoam",
    )


def icon_cards(
    entries: Sequence[tuple[str, str, str]], class_name: str = "md:grid-cols-3"
) -> rx.Component:
    """Return cards of (icon, title, text)."""
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
    """Return (icon, title, text) without boxes, for longer lists."""
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
    """Return numbered steps of (title, text)."""
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
