"""The page of an invitation, to the staff or to a company."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import CookieState
from fuel_app.accounts.state.sign_in_pages import GONE, KNOWN, NEW, NONE, OTHER
from fuel_app.accounts.ui.sign_in import (
    cookie_fetcher,
    entrance_page,
    first_password_field,
    heading,
    loading,
    name_fields,
    sign_in_error,
)
from fuel_app.kit.ui.button import busy_button, button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.forms import live_form


def invitation_page(state: Any, title: str, says: rx.Component, *, days: int) -> rx.Component:
    """Render the page of an `InvitationPage`.

    Args:
        says: Who is invited to what.
        days: How long an invitation is good.
    """
    about = rx.fragment(heading(title, says), alert(sign_in_error(state.error)))
    return entrance_page(
        cookie_fetcher(),
        rx.match(
            state.stage,
            (NEW, _new(state, about)),
            (KNOWN, _known(state, about)),
            (OTHER, _other(state, about)),
            (GONE, _gone(days)),
            (NONE, _none(days)),
            loading(title),
        ),
    )


def _new(state: Any, about: rx.Component) -> rx.Component:
    return rx.fragment(
        about,
        live_form(
            rx.el.div(
                *name_fields(state),
                first_password_field(state),
                class_name="flex flex-col gap-4",
            ),
            submit_button(
                "Create account",
                busy=state.busy | CookieState.fetching,
                busy_text="Creating...",
                class_name="mt-6 w-full",
            ),
            on_edit=state.edit,
            on_submit=state.create,
        ),
    )


def _known(state: Any, about: rx.Component) -> rx.Component:
    return rx.fragment(
        about,
        busy_button(
            "Accept",
            busy=state.busy | CookieState.fetching,
            busy_text="Accepting...",
            on_click=state.accept,
            class_name="w-full",
        ),
    )


def _other(state: Any, about: rx.Component) -> rx.Component:
    return rx.fragment(
        about,
        rx.el.p(
            "This email has an account already. Sign in with it to accept.",
            class_name=f"mb-4 {TEXT}",
        ),
        button("Sign in to accept", on_click=state.sign_in, class_name="w-full"),
    )


def _gone(days: int) -> rx.Component:
    return rx.fragment(
        heading(
            "This invitation does not work any more",
            f"It has been used or withdrawn, or it is older than {days} days. Ask whoever invited "
            "you for a new one.",
        ),
        link_button("Go to sign-in", href=routes.SIGN_IN, kind="secondary", class_name="w-full"),
    )


def _none(days: int) -> rx.Component:
    return rx.fragment(
        heading(
            "No invitation for this account",
            "You are signed in with another email than the one that was invited, or the invitation "
            f"was used or withdrawn, or is older than {days} days.",
        ),
        link_button(
            "Go to your dashboard", href=routes.DASHBOARD, kind="secondary", class_name="w-full"
        ),
    )
