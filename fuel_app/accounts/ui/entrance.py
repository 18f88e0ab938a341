"""The frame of the pages before an account: one card under the site's name."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.cards import TEXT, card
from fuel_app.kit.ui.frame import SECTION, brand, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading


def entrance_page(*children: Any, below: Any = None) -> rx.Component:
    """Return a page with one card; `below` stands under it."""
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(brand(), class_name=f"flex h-16 items-center {SECTION}"),
            class_name="border-b border-line bg-surface",
        ),
        rx.el.main(
            card(*children),
            rx.fragment()
            if below is None
            else rx.el.div(below, class_name=f"mt-6 text-center {TEXT}"),
            id="content",
            class_name="mx-auto w-full max-w-md px-4 py-8 sm:py-14",
        ),
    )


def heading(title: str, lead: Any = None) -> rx.Component:
    """Return a card's heading; `lead` is a line below it."""
    return rx.el.div(
        PageHeading.create(title, class_name=TITLE),
        rx.fragment()
        if lead is None
        else rx.el.p(lead, class_name=f"mt-2 break-words text-pretty {TEXT}"),
        class_name="mb-5",
    )


def loading(title: str) -> rx.Component:
    """Return what a card shows until it is known what it is for."""
    return rx.el.div(
        heading(title),
        rx.el.p("Loading...", class_name="sr-only"),
        rx.el.div(class_name="skeleton h-11 rounded-control"),
        role="status",
    )
