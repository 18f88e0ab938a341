"""A legal text: its date, its contents, its parts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import reflex as rx

from fuel_app.kit.ui.brand import SECTION
from fuel_app.kit.ui.site_menu import place_link
from fuel_app.marketing.ui.layout import public_page


class Part(NamedTuple):
    """One part; `name` is its fragment in the address."""

    name: str
    title: str
    content: Sequence[Any]


def legal_page(title: str, *parts: Part, dated: str, lead: str, current: str) -> rx.Component:
    return public_page(
        rx.el.div(
            rx.el.header(
                rx.el.h1(
                    title,
                    class_name="text-3xl font-extrabold leading-[1.1] tracking-tight text-ink "
                    "sm:text-5xl",
                ),
                rx.el.p(dated, class_name="mt-3 text-base text-muted"),
                rx.el.p(lead, class_name="mt-4 max-w-[68ch] text-pretty text-lg text-muted"),
            ),
            rx.el.div(
                _contents(parts),
                rx.el.div(
                    *[_part(part) for part in parts], class_name="flex max-w-[68ch] flex-col gap-10"
                ),
                class_name="mt-10 grid gap-10 lg:grid-cols-[240px_1fr] lg:gap-16",
            ),
            class_name=f"py-10 sm:py-16 {SECTION}",
        ),
        current=current,
    )


def text(*words: Any) -> rx.Component:
    return rx.el.p(*words, class_name="mt-3 text-pretty text-lg leading-relaxed text-ink")


def points(*listed: tuple[str, Any]) -> rx.Component:
    """Return a list of (term, explanation)."""
    return rx.el.ul(
        *[
            rx.el.li(rx.el.strong(f"{what}. ", class_name="font-semibold"), explanation)
            for what, explanation in listed
        ],
        class_name="mt-3 flex list-disc flex-col gap-2 pl-5 text-lg leading-relaxed text-ink "
        "marker:text-gulf",
    )


def _contents(parts: Sequence[Part]) -> rx.Component:
    return rx.el.nav(
        rx.el.p("On this page", class_name="text-sm font-bold text-ink"),
        rx.el.ol(
            *[
                rx.el.li(
                    place_link(
                        part.title,
                        part.name,
                        "flex min-h-11 items-center text-base text-muted lg:min-h-9 "
                        "underline-offset-4 hover:text-gulf-deep hover:underline",
                    )
                )
                for part in parts
            ],
            class_name="mt-2 flex flex-col",
        ),
        aria_label="On this page",
        class_name="self-start rounded-card border border-line bg-surface p-5 lg:sticky lg:top-24",
    )


def _part(part: Part) -> rx.Component:
    return rx.el.section(
        rx.el.h2(part.title, class_name="text-2xl font-bold tracking-tight text-ink"),
        *part.content,
        custom_attrs={"id": part.name},
    )
