"""The frame of the customer's screens: top bar with the menu, and a heading."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.components.user_menu import user_menu
from fuel_app.kit.ui.brand import SECTION, brand, skip_link
from fuel_app.kit.ui.page_heading import TITLE, PageHeading, way_back
from fuel_app.settings import settings

_COLUMN = "mx-auto flex w-full flex-col gap-6"


def customer_page(
    *children: Any, current: str, actions: rx.Component | None = None, first: bool = True
) -> rx.Component:
    """A screen of a customer.

    Args:
        children: What stands in the page, from its heading down.
        current: The page's own address, which the menu marks.
        actions: What the top bar offers beside the menu.
        first: Whether nothing stands before it in the page; else the skip link does, elsewhere.
    """
    return rx.fragment(
        skip_link() if first else rx.fragment(),
        rx.el.header(
            rx.el.div(
                rx.el.div(
                    brand(
                        href=routes.DASHBOARD, name_class="max-[420px]:sr-only" if actions else ""
                    ),
                    preview_label("max-md:hidden"),
                    class_name="flex min-w-0 items-center gap-4",
                ),
                rx.el.div(
                    actions or rx.fragment(),
                    user_menu(current),
                    class_name="flex shrink-0 items-center gap-2 sm:gap-3",
                ),
                class_name=f"flex h-16 items-center justify-between gap-3 {SECTION}",
            ),
            rx.el.div(preview_label(), class_name=f"-mt-1 pb-2 md:hidden {SECTION}"),
            class_name="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur",
        ),
        rx.el.main(*children, id="content", class_name=f"py-6 sm:py-10 {SECTION}"),
    )


def settings_page(title: str, *cards: Any, current: str, wide: bool = False) -> rx.Component:
    """A screen behind the menu: one column of cards, and the way back."""
    return customer_page(
        rx.el.div(
            rx.el.div(
                way_back("Back to Dashboard", routes.DASHBOARD),
                PageHeading.create(title, class_name=TITLE),
            ),
            *cards,
            class_name=f"{_COLUMN} max-w-5xl" if wide else f"{_COLUMN} max-w-3xl",
        ),
        current=current,
    )


def preview_label(class_name: str = "") -> rx.Component:
    """Keeps the preview honest; a live site has nothing to say here."""
    if settings.phase != "prelaunch":
        return rx.fragment()
    return rx.el.p(
        "Preview with sample data",
        class_name="inline-flex shrink-0 rounded-full bg-[#FFF0CC] px-2.5 py-0.5 text-sm "
        f"font-semibold text-[#6B4700] {class_name}",
    )
