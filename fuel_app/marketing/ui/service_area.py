"""The service area check, which leads to the waitlist."""

import reflex as rx

from fuel_app.joining.ui.modal import join_button
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.fields import field
from fuel_app.marketing.state import ServiceAreaState


def service_area_check() -> rx.Component:
    return rx.el.div(
        rx.el.form(
            rx.el.div(
                field(
                    "ZIP code",
                    "zip_code",
                    form="service-area",
                    error=ServiceAreaState.error,
                    default_value=ServiceAreaState.zip_code,
                    input_mode="numeric",
                    auto_complete="postal-code",
                    max_length=5,
                ),
                class_name="min-w-0 flex-1",
            ),
            button("Check my ZIP", type="submit", kind="secondary", class_name="mt-6 shrink-0"),
            on_submit=ServiceAreaState.check,
            no_validate=True,
            class_name="flex items-start gap-3",
        ),
        rx.el.div(
            rx.cond(ServiceAreaState.zip_code != "", _answer()), role="status", class_name="mt-3"
        ),
    )


def _answer() -> rx.Component:
    inside = ServiceAreaState.city != ""
    code = ServiceAreaState.zip_code
    return rx.el.div(
        rx.el.p(
            rx.cond(
                inside,
                f"Yes: {code} ({ServiceAreaState.city}) is inside our service area.",
                f"Not yet: {code} is outside our service area, which is Sarasota and Bradenton.",
            ),
            class_name="text-base font-semibold text-ink",
        ),
        rx.el.p(
            rx.cond(
                inside,
                "Join the waitlist, and we write to you as soon as we start.",
                "Join the waitlist all the same: it shows us where to go next.",
            ),
            class_name="mt-1 text-base text-muted",
        ),
        join_button(class_name="mt-3"),
        class_name="rounded-card bg-seafoam p-4",
    )
