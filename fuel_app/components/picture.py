"""Pictures that keep their place while they load."""

import reflex as rx

from fuel_app.settings import ROOT


def picture(
    source: str, width: int, height: int, *, alt: str, class_name: str = ""
) -> rx.Component:
    """A picture file below the fold; width and height are its own, and give its shape."""
    return rx.el.img(
        src=source,
        alt=alt,
        loading="lazy",
        custom_attrs={"width": str(width), "height": str(height), "decoding": "async"},
        class_name=f"h-auto {class_name}",
    )


def drawing(source: str, *, alt: str, class_name: str = "") -> rx.Component:
    """A small SVG file inside the page, there with the first paint instead of a request later."""
    return rx.html(
        (ROOT / "assets" / source.lstrip("/")).read_text(),
        role="img",
        aria_label=alt,
        class_name=f"[&>svg]:block [&>svg]:h-auto [&>svg]:w-full {class_name}",
    )
