"""Who somebody is, for every wizard that asks."""

from functools import partial

import reflex as rx

from fuel_app.domain.signup import PASSWORD_MAX
from fuel_app.kit.ui.fields import bound, field
from fuel_app.states.signup import FORM, SignupState

_bound = partial(bound, form=FORM, errors=SignupState.contact_errors, values=SignupState.contact)


def contact_fields() -> rx.Component:
    """Name, e-mail and phone, in a `live_form` of `SignupState`."""
    return rx.fragment(
        rx.el.div(
            field("First Name", auto_complete="given-name", **_bound("first_name")),
            field("Last Name", auto_complete="family-name", **_bound("last_name")),
            class_name="grid gap-4 sm:grid-cols-2",
        ),
        field("Email", **{"type": "email"}, auto_complete="email", **_bound("email")),
        field("Phone Number", **{"type": "tel"}, auto_complete="tel", **_bound("phone")),
    )


def password_field() -> rx.Component:
    """Begins as suggested, and empty once a password was given: that one is not sent back."""
    return field(
        "Password",
        "password",
        form=FORM,
        error=SignupState.contact_errors["password"],
        hint=rx.cond(
            SignupState.password_given,
            "You have given one. Type here only to change it.",
            "At least 8 characters",
        ),
        default_value=rx.cond(SignupState.password_given, "", SignupState.suggested_password),
        type="password",
        auto_complete="new-password",
        max_length=PASSWORD_MAX,
    )
