"""Photo field: add, replace and remove. The server scales it down; the tab's state keeps it."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.rules.photos import KINDS, SENT_MAX, PhotoTooLarge
from fuel_app.kit.ui.fields import field_id
from fuel_app.kit.ui.upload import upload

FAILED = "The photo could not be sent. Please try again."


def photo_field(
    label: str, *, form: str, photo: rx.Var[str], on_photo: Any, on_remove: Any
) -> rx.Component:
    """Return the field: the photo, or its empty frame, beside the buttons."""
    return rx.el.fieldset(
        rx.el.legend(
            label,
            rx.el.span(" (optional)", class_name="font-normal text-muted"),
            class_name="mb-1 text-sm font-semibold text-ink",
        ),
        rx.el.div(
            vehicle_photo(photo, class_name="h-24 w-32"),
            rx.el.div(
                upload(
                    rx.cond(photo != "", "Replace photo", "Add a photo"),
                    id=field_id(form, "photo"),
                    kind="secondary",
                    address=routes.PHOTOS,
                    accept=",".join(KINDS),
                    most=SENT_MAX,
                    too_large=str(PhotoTooLarge()),
                    failed=FAILED,
                    hint="JPEG, PNG or WebP, up to 10 MB",
                    on_done=on_photo,
                ),
                rx.cond(
                    photo != "",
                    rx.el.button(
                        "Remove photo",
                        type="button",
                        on_click=[on_remove, rx.set_focus(field_id(form, "photo"))],
                        class_name="link mt-1 min-h-11 cursor-pointer",
                    ),
                ),
                class_name="min-w-0 flex-1",
            ),
            class_name="flex items-start gap-4",
        ),
    )


def vehicle_photo(photo: Any, *, class_name: str, alt: Any = "The vehicle") -> rx.Component:
    """Return a vehicle's photo, or a drawing of a car."""
    frame = f"shrink-0 rounded-control border border-line {class_name}"
    return rx.cond(
        photo != "",
        rx.el.img(src=photo, alt=alt, class_name=f"object-cover {frame}"),
        rx.el.div(
            rx.icon("car", size=36, aria_hidden=True),
            class_name=f"flex items-center justify-center bg-seafoam text-gulf-deep {frame}",
        ),
    )
