"""Passkeys on a page: the button that signs in, and the form that adds one."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.contact import NAME_MAX
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.fields import field
from fuel_app.kit.ui.script import Script

FORM = "passkey"


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
            form=FORM,
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
