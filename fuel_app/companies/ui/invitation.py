"""The page of an invitation to a company."""

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
from fuel_app.companies.state.invitation import CompanyInvitationState
from fuel_app.kit.ui.button import busy_button, button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, email_text
from fuel_app.kit.ui.forms import live_form

_TITLE = "Your invitation"
_BUSY = CompanyInvitationState.busy | CookieState.fetching


def company_invitation() -> rx.Component:
    return entrance_page(
        cookie_fetcher(),
        rx.match(
            CompanyInvitationState.stage,
            (NEW, _new()),
            (KNOWN, _known()),
            (OTHER, _other()),
            (GONE, _gone()),
            (NONE, _none()),
            loading(_TITLE),
        ),
    )


def _about() -> rx.Component:
    shown = CompanyInvitationState.shown
    return rx.fragment(
        heading(
            _TITLE,
            rx.fragment(
                email_text(shown.email, "font-semibold text-ink"),
                " is invited to ",
                rx.el.span(shown.company, class_name="font-semibold text-ink wrap-anywhere"),
                " as: ",
                shown.role,
                ". Good until ",
                shown.until,
                ".",
            ),
        ),
        alert(sign_in_error(CompanyInvitationState.error)),
    )


def _new() -> rx.Component:
    return rx.fragment(
        _about(),
        live_form(
            rx.el.div(
                *name_fields(CompanyInvitationState),
                first_password_field(CompanyInvitationState),
                class_name="flex flex-col gap-4",
            ),
            submit_button(
                "Create account", busy=_BUSY, busy_text="Creating...", class_name="mt-6 w-full"
            ),
            on_edit=CompanyInvitationState.edit,
            on_submit=CompanyInvitationState.create,
        ),
    )


def _known() -> rx.Component:
    return rx.fragment(
        _about(),
        busy_button(
            "Accept",
            busy=_BUSY,
            busy_text="Accepting...",
            on_click=CompanyInvitationState.accept,
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
        button("Sign in to accept", on_click=CompanyInvitationState.sign_in, class_name="w-full"),
    )


def _gone() -> rx.Component:
    return rx.fragment(
        heading(
            "This invitation does not work any more",
            "It has been used or withdrawn, or it is older than 14 days. Ask the company for a "
            "new one.",
        ),
        link_button("Go to sign-in", href=routes.SIGN_IN, kind="secondary", class_name="w-full"),
    )


def _none() -> rx.Component:
    return rx.fragment(
        heading(
            "No invitation for this account",
            "You are signed in with another email than the one that was invited, or the invitation "
            "was used or withdrawn, or is older than 14 days.",
        ),
        link_button(
            "Go to your account", href=routes.DASHBOARD, kind="secondary", class_name="w-full"
        ),
    )
