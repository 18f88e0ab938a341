"""A page's heading, which takes the focus when the page before it has gone."""

from typing import Any

import reflex as rx

from fuel_app.kit.ui.script import Script

TITLE = "text-balance text-2xl font-bold tracking-tight text-ink sm:text-3xl"


class PageHeading(Script):
    tag = "PageHeading"
    FILE = "page_heading.js"

    def add_imports(self) -> rx.ImportDict:
        return {"react-router": "useNavigationType"}


def way_back(text: str, href: Any) -> rx.Component:
    """Above a heading: where one has come from."""
    return rx.el.a(
        rx.icon("arrow-left", size=20, aria_hidden=True),
        text,
        href=href,
        class_name="-ml-1 inline-flex min-h-11 items-center gap-2 rounded-control px-1 text-base "
        "font-semibold text-gulf-deep hover:underline",
    )
