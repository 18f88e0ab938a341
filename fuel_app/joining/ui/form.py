"""The modal's first step: the waitlist form."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.joining.state.waitlist import FORM, WaitlistState
from fuel_app.kit.ui.button import submit_button
from fuel_app.kit.ui.cards import alert, badge
from fuel_app.kit.ui.fields import bound, field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.neighborhoods.ui.progress import tier_progress


def waitlist_form() -> rx.Component:
    return live_form(
        _invitation(),
        alert(WaitlistState.refusal),
        rx.el.div(
            rx.el.div(
                _field("First name", "first_name", auto_complete="given-name"),
                _field("Last name", "last_name", auto_complete="family-name"),
                class_name="grid grid-cols-2 gap-4",
            ),
            _field("Email", "email", type="email", auto_complete="email"),
            rx.el.div(
                _field("Phone", "phone_number", type="tel", auto_complete="tel-national"),
                _field(
                    "ZIP",
                    "zip_code",
                    hint=_neighborhoods_nearby(),
                    input_mode="numeric",
                    auto_complete="postal-code",
                    max_length=5,
                ),
                class_name="grid grid-cols-2 gap-4",
            ),
            class_name="flex flex-col gap-4",
        ),
        submit_button(
            "Join Waitlist",
            busy=WaitlistState.busy,
            busy_text="Submitting...",
            class_name="mt-6 w-full",
        ),
        rx.el.p(
            "We use this to tell you when we start near you, and never sell it. ",
            rx.el.a(
                "Privacy",
                href=routes.PRIVACY,
                class_name="link",
                on_click=WaitlistState.show(False),  # what was typed waits in the modal
            ),
            class_name="mt-3 text-center text-sm text-muted",
        ),
        on_edit=WaitlistState.edit,
        on_leave=WaitlistState.leave,
        on_submit=WaitlistState.submit,
    )


def _field(label: str, name: str, **props: Any) -> rx.Component:
    tied = bound(name, form=FORM, errors=WaitlistState.field_errors, values=WaitlistState.form)
    return field(label, **tied, **props)


def _neighborhoods_nearby() -> rx.Component:
    return rx.cond(
        WaitlistState.neighborhoods.length() > 0,
        rx.cond(
            WaitlistState.neighborhoods.length() == 1,
            "1 neighborhood group here",
            rx.cond(
                WaitlistState.many,
                "Many neighborhood groups here",
                f"{WaitlistState.neighborhoods.length()} neighborhood groups here",
            ),
        ),
        "",
    )


def _invitation() -> rx.Component:
    neighborhood = WaitlistState.invitation
    return rx.cond(
        WaitlistState.invitation_missing,
        rx.el.p(
            "Neighborhood not found",
            rx.el.span(
                " The link may be old. Join all the same: you can pick a group next.",
                class_name="font-normal",
            ),
            role="status",
            class_name="mb-4 rounded-control bg-[#FFF6E0] p-3 text-base font-semibold text-ink",
        ),
        rx.cond(
            neighborhood.id != "",
            rx.el.div(
                rx.el.div(
                    rx.el.p(
                        "You are invited to ",
                        rx.el.strong(neighborhood.name, class_name="break-words"),
                        class_name="min-w-0 text-base text-ink",
                    ),
                    badge(neighborhood.neighbors, neighborhood.color),
                    class_name="flex items-start justify-between gap-3",
                ),
                tier_progress(neighborhood),
                rx.el.p(neighborhood.next_step, class_name="text-sm text-muted"),
                class_name="mb-4 flex flex-col gap-2 rounded-card bg-seafoam p-4",
            ),
        ),
    )
