"""The page that an invitation's link opens."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.invitation import GONE, KNOWN, NEW, NONE, OTHER, InvitationState
from fuel_app.accounts.state.sign_in import CookieState
from fuel_app.accounts.ui.entrance import entrance_page, heading, loading
from fuel_app.accounts.ui.sign_in import (
    cookie_fetcher,
    first_password_field,
    name_fields,
    sign_in_error,
)
from fuel_app.kit.ui.button import busy_button, button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, email_text
from fuel_app.kit.ui.forms import live_form

_TITLE = "Join the team"
_BUSY = InvitationState.busy | CookieState.fetching


def invitation() -> rx.Component:
    return entrance_page(
        cookie_fetcher(),
        rx.match(
            InvitationState.stage,
            (NEW, _new()),
            (KNOWN, _known()),
            (OTHER, _other()),
            (GONE, _gone()),
            (NONE, _none()),
            loading(_TITLE),
        ),
    )


def _about() -> rx.Component:
    return rx.fragment(
        heading(
            _TITLE,
            rx.fragment(
                InvitationState.by,
                " invites ",
                email_text(InvitationState.email, "font-semibold text-ink"),
                " to work here as: ",
                InvitationState.roles,
                ".",
            ),
        ),
        alert(sign_in_error(InvitationState.error)),
    )


def _new() -> rx.Component:
    return rx.fragment(
        _about(),
        live_form(
            rx.el.div(
                *name_fields(InvitationState),
                first_password_field(InvitationState),
                class_name="flex flex-col gap-4",
            ),
            submit_button(
                "Create account", busy=_BUSY, busy_text="Creating...", class_name="mt-6 w-full"
            ),
            on_edit=InvitationState.edit,
            on_submit=InvitationState.create,
        ),
    )


def _known() -> rx.Component:
    return rx.fragment(
        _about(),
        busy_button(
            "Accept",
            busy=_BUSY,
            busy_text="Accepting...",
            on_click=InvitationState.accept,
            class_name="w-full",
        ),
    )


def _other() -> rx.Component:
    return rx.fragment(
        _about(),
        rx.el.p(
            "This email has an account already. Sign in with it to accept.",
            class_name=f"mb-4 {TEXT}",
        ),
        button("Sign in to accept", on_click=InvitationState.sign_in, class_name="w-full"),
    )


def _gone() -> rx.Component:
    return rx.fragment(
        heading(
            "This invitation does not work any more",
            "It has been used or withdrawn, or it is older than 7 days. Ask whoever invited you "
            "for a new one.",
        ),
        link_button("Go to sign-in", href=routes.SIGN_IN, kind="secondary", class_name="w-full"),
    )


def _none() -> rx.Component:
    return rx.fragment(
        heading(
            "No invitation for this account",
            "You are signed in with another email than the one that was invited, or the invitation "
            "was used or withdrawn, or is older than 7 days.",
        ),
        link_button(
            "Go to your dashboard", href=routes.DASHBOARD, kind="secondary", class_name="w-full"
        ),
    )
