"""Signing in and out on a page: the frame before an account, the cookie's fetcher, passkeys."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.accounts.state.session import CookieState, StaffLoginState
from fuel_app.kit.contact import NAME_MAX
from fuel_app.kit.ui.button import button, button_class, submit_button
from fuel_app.kit.ui.cards import TEXT, card
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import field, new_password_field, password_field
from fuel_app.kit.ui.forms import field_of, plain_form
from fuel_app.kit.ui.frame import SECTION, brand, skip_link
from fuel_app.kit.ui.script import TITLE, PageHeading, Script


def entrance_page(*children: Any, below: Any = None) -> rx.Component:
    """Return a page with one card; `below` stands under it."""
    return rx.fragment(
        skip_link(),
        rx.el.header(
            rx.el.div(brand(), class_name=f"flex h-16 items-center {SECTION}"),
            class_name="border-b border-line bg-surface",
        ),
        rx.el.main(
            card(*children),
            rx.fragment()
            if below is None
            else rx.el.div(below, class_name=f"mt-6 text-center {TEXT}"),
            id="content",
            class_name="mx-auto w-full max-w-md px-4 py-8 sm:py-14",
        ),
    )


def heading(title: str, lead: Any = None) -> rx.Component:
    """Return a card's heading; `lead` is a line below it."""
    return rx.el.div(
        PageHeading.create(title, class_name=TITLE),
        rx.fragment()
        if lead is None
        else rx.el.p(lead, class_name=f"mt-2 break-words text-pretty {TEXT}"),
        class_name="mb-5",
    )


def loading(title: str) -> rx.Component:
    """Return what a card shows until it is known what it is for."""
    return rx.el.div(
        heading(title),
        rx.el.p("Loading...", class_name="sr-only"),
        rx.el.div(class_name="skeleton h-11 rounded-control"),
        role="status",
    )


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
        closes_when_left=False,  # it opens over the page that is asked for
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


PASSKEY_FORM = "passkey"


class _PasskeySignIn(Script):
    tag = "PasskeySignIn"
    FILE = "passkeys.js"
    address: rx.Var[str]
    next: rx.Var[str]
    label: rx.Var[str]
    button_class: rx.Var[str]


class _PasskeyRegister(Script):
    tag = "PasskeyRegister"
    FILE = "passkeys.js"
    address: rx.Var[str]
    label: rx.Var[str]
    button_class: rx.Var[str]
    on_done: rx.EventHandler[rx.event.no_args_event_spec]
    on_prove: rx.EventHandler[rx.event.no_args_event_spec]


def passkey_sign_in(next: Any) -> rx.Component:
    """Render a button that signs in and goes to an own address, which the state has checked."""
    return _PasskeySignIn.create(
        address=routes.PASSKEY_SIGN_IN,
        next=next,
        label="Sign in with a passkey",
        button_class=button_class("secondary", "w-full"),
    )


def passkey_register(*, on_done: Any, on_prove: Any) -> rx.Component:
    """Render a form that names a new passkey and makes it.

    Args:
        on_prove: Fired where the server wants the password first.
    """
    return _PasskeyRegister.create(
        field(
            "Name",
            "name",
            form=PASSKEY_FORM,
            hint="So that you know it again, such as 'My phone'",
            default_value="My passkey",
            max_length=NAME_MAX,
            auto_complete="off",
        ),
        address=routes.PASSKEYS,
        label="Add a passkey",
        button_class=button_class("primary", "mt-4"),
        on_done=on_done,
        on_prove=on_prove,
    )
