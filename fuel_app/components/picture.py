"""Pictures that keep their place while they load."""

import reflex as rx


def picture(
    source: str, width: int, height: int, *, alt: str, eager: bool = False, class_name: str = ""
) -> rx.Component:
    """A picture file; width and height are its own, in pixels, and give its shape."""
    return rx.el.img(
        src=source,
        alt=alt,
        loading="eager" if eager else "lazy",
        custom_attrs={
            "width": str(width),
            "height": str(height),
            "fetchPriority": "high" if eager else "auto",
            "decoding": "async",
        },
        class_name=f"h-auto {class_name}",
    )
