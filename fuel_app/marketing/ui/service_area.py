"""The service area check, which leads to the sign-up or the waitlist."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.button import button, link_button
from fuel_app.kit.ui.fields import field
from fuel_app.marketing.state import ANSWER, ServiceAreaState
from fuel_app.marketing.ui.sections import UP_TO


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
    return rx.el.div(
        rx.cond(
            ServiceAreaState.is_served,
            _here(),
            rx.cond(ServiceAreaState.is_open, _elsewhere(), _before_opening()),
        ),
        class_name="rounded-card bg-seafoam p-4",
    )


def _here() -> rx.Component:
    return rx.fragment(
        *_words(
            f"Yes: we deliver in {ServiceAreaState.zip_code}.",
            "Choose a plan, or book a one-time fill.",
        ),
        rx.el.div(
            button("Get started", on_click=ServiceAreaState.start),
            link_button("Book a One-Time Fill", href=routes.ONE_TIME_FILL, kind="quiet"),
            class_name="mt-3 flex flex-wrap gap-3",
        ),
    )


def _elsewhere() -> rx.Component:
    return rx.fragment(
        *_words(
            f"Not yet: we do not deliver in {ServiceAreaState.zip_code}.",
            "Join the waitlist: we write to you as soon as we open there, and your first fill-up "
            f"is free, {UP_TO}.",
        ),
        _join(),
    )


def _before_opening() -> rx.Component:
    inside = ServiceAreaState.city != ""
    code = ServiceAreaState.zip_code
    return rx.fragment(
        *_words(
            rx.cond(
                inside,
                f"Yes: {code} ({ServiceAreaState.city}) is inside our service area.",
                f"Not yet: {code} is outside our service area, which is Sarasota and Bradenton.",
            ),
            rx.cond(
                inside,
                "Join the waitlist, and we write to you as soon as we start.",
                "Join the waitlist all the same: it shows us where to go next.",
            ),
        ),
        _join(),
    )


def _words(answer: Any, next_step: Any) -> tuple[rx.Component, rx.Component]:
    return (
        rx.el.p(
            answer,
            id=ANSWER,
            tab_index=-1,
            class_name="text-base font-semibold text-ink focus:outline-none",
        ),
        rx.el.p(next_step, class_name="mt-1 text-base text-muted"),
    )


def _join() -> rx.Component:
    return button("Join Waitlist", class_name="mt-3", on_click=ServiceAreaState.wait)
