"""The modal's first step: the waitlist form."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.joining.state.waitlist import FORM, WaitlistState
from fuel_app.kit.ui.button import submit_button
from fuel_app.kit.ui.cards import alert, badge, progress_bar
from fuel_app.kit.ui.fields import bound, field
from fuel_app.kit.ui.live_form import live_form


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
                    hint=_groups_nearby(),
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


def _groups_nearby() -> rx.Component:
    return rx.cond(
        WaitlistState.groups.length() > 0,
        rx.cond(
            WaitlistState.groups.length() == 1,
            "1 neighborhood group here",
            rx.cond(
                WaitlistState.many,
                "Many neighborhood groups here",
                f"{WaitlistState.groups.length()} neighborhood groups here",
            ),
        ),
        "",
    )


def _invitation() -> rx.Component:
    group = WaitlistState.invitation
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
            group.id != "",
            rx.el.div(
                rx.el.div(
                    rx.el.p(
                        "You are invited to ",
                        rx.el.strong(group.name, class_name="break-words"),
                        class_name="min-w-0 text-base text-ink",
                    ),
                    badge(group.neighbors, group.color),
                    class_name="flex items-start justify-between gap-3",
                ),
                progress_bar(
                    group.members, group.goal, "Members on the way to the next tier", group.color
                ),
                rx.el.p(group.next_step, class_name="text-sm text-muted"),
                class_name="mb-4 flex flex-col gap-2 rounded-card bg-seafoam p-4",
            ),
        ),
    )
