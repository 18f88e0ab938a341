"""Links to a technician's photos of a fill."""

from typing import Any

import reflex as rx


def photo_links(addresses: Any, of: Any) -> rx.Component:
    """Render a link for each photo; a reader hears of which fill it is."""
    return rx.foreach(
        addresses,
        lambda address, place: rx.el.A.create(
            f"Photo {place + 1}",
            rx.el.span(f" of {of} (opens in a new tab)", class_name="sr-only"),
            href=address,
            target="_blank",
            rel="noopener noreferrer",
            class_name="link mr-3 inline-flex min-h-11 items-center text-sm",
        ),
    )
