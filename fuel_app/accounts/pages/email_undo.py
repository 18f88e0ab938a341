"""The page of the link that restores a former e-mail."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.email_undo import EmailUndoState
from fuel_app.accounts.ui.entrance import entrance_page, heading
from fuel_app.kit.ui.button import busy_button, link_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.frame import email_link, phone_link

_BELOW = "mt-6 w-full"


def undo_email() -> rx.Component:
    return entrance_page(
        rx.match(EmailUndoState.link, ("used", _done()), ("gone", _gone()), _ask())
    )


def _ask() -> rx.Component:
    return rx.fragment(
        heading(
            "Undo the change",
            "Your account gets its former e-mail back, is signed out everywhere, and needs a new "
            "password.",
        ),
        alert(EmailUndoState.error),
        busy_button(
            "Restore my e-mail",
            busy=EmailUndoState.busy,
            busy_text="Restoring...",
            on_click=EmailUndoState.undo,
            disabled=EmailUndoState.busy | (EmailUndoState.link == ""),
            class_name=_BELOW,
        ),
    )


def _done() -> rx.Component:
    return _told(
        "Your e-mail is restored",
        "All devices are signed out, and the old password does not work any more. Choose a new one "
        "to sign in.",
        link_button("Choose a new password", href=routes.FORGOT_PASSWORD, class_name=_BELOW),
    )


def _gone() -> rx.Component:
    return _told(
        "This link no longer works",
        rx.fragment(
            "It has been used, or is older than 7 days. If your e-mail was changed without you, "
            "please call us, ",
            phone_link(),
            ", or write to ",
            email_link(),
            ".",
        ),
        link_button("Sign In", href=routes.SIGN_IN, class_name=_BELOW),
    )


def _told(title: str, text: Any, way: rx.Component) -> rx.Component:
    return rx.fragment(heading(title), rx.el.p(text, role="status", class_name=TEXT), way)
