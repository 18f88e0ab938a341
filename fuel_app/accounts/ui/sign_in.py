"""Signing in and out on a page: the cookie's fetcher, the staff's modal, the button."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.accounts.state.sign_in import CookieState, StaffLoginState
from fuel_app.kit.ui.button import button, submit_button
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import new_password_field, password_field
from fuel_app.kit.ui.forms import field_of, plain_form
from fuel_app.kit.ui.script import Script


class _CookieFetcher(Script):
    tag = "CookieFetcher"
    FILE = "sign_in.js"
    ticket: rx.Var[str]
    address: rx.Var[str]
    leave_for: rx.Var[str]
    on_outcome: rx.EventHandler[rx.event.passthrough_event_spec(bool)]


def cookie_fetcher() -> rx.Component:
    """Render the fetcher, once on each page that signs in."""
    return _CookieFetcher.create(
        ticket=CookieState.ticket,
        address=routes.SESSION,
        leave_for=CookieState.leave_for,
        on_outcome=CookieState.fetched,
    )


def sign_in_error(error: Any) -> rx.Var[str]:
    """Return a form's own error, else that of the cookie."""
    return rx.cond(error != "", error, CookieState.error)


def name_fields(state: Any) -> tuple[rx.Component, rx.Component]:
    """Return the fields of a new account's name."""
    return (
        field_of(state, "First name", "first_name", auto_complete="given-name"),
        field_of(state, "Last name", "last_name", auto_complete="family-name"),
    )


def first_password_field(state: Any) -> rx.Component:
    """Return the field of a new account's password."""
    return field_of(state, "Password", "password", make=new_password_field, hint=PASSWORD_RULE)


def staff_login_link(class_name: str) -> rx.Component:
    return rx.el.button(
        "Staff Login", type="button", class_name=class_name, on_click=StaffLoginState.show(True)
    )


def staff_login_modal(opened: Any = StaffLoginState.opened) -> rx.Component:
    modal = dialog(
        rx.el.form(
            password_field(
                "Password", "password", form="staff", error=sign_in_error(StaffLoginState.error)
            ),
            rx.cond(
                StaffLoginState.retired,
                rx.el.p(
                    rx.el.button(
                        "Sign in with your own account",
                        type="button",
                        on_click=StaffLoginState.to_sign_in_page,
                        class_name="link",
                    ),
                    class_name="mt-3 text-base",
                ),
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=StaffLoginState.show(False)),
                submit_button(
                    "Login",
                    busy=StaffLoginState.busy | CookieState.fetching,
                    busy_text="Checking...",
                ),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_submit=StaffLoginState.login,
            no_validate=True,
        ),
        title="Staff Login",
        description=rx.cond(
            StaffLoginState.over_page, "Your session has ended. Sign in to go on here.", ""
        ),
        open=opened,
        on_open_change=StaffLoginState.show,
        width="sm:max-w-sm",
    )
    return rx.fragment(cookie_fetcher(), modal)


def sign_out_form(text: str, *, entry: str, class_name: str = "") -> rx.Component:
    """Return the form; `entry` is the look of its button."""
    return plain_form(
        rx.el.button(
            rx.icon("log-out", size=20, aria_hidden=True, class_name="shrink-0"),
            text,
            type="submit",
            class_name=entry,
        ),
        action=routes.SIGN_OUT,
        class_name=class_name,
    )
