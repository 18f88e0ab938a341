"""Cards of Privacy & Security for a signed-in person."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.accounts.rules.security import NO_CODES
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.passkeys import passkey_register
from fuel_app.customers.state.security.factors import PASSKEY_BUTTON, SETUP_BUTTON, FactorsState
from fuel_app.customers.state.security.own import CHANGE_BUTTON, OwnSecurityState, PasswordState
from fuel_app.customers.ui.factors import SECOND_STEP, set_up
from fuel_app.customers.ui.proof import proof_dialog
from fuel_app.customers.ui.sessions import LIST, history, line, sessions
from fuel_app.kit.ui.button import button, line_button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.fields import new_password_field, password_field
from fuel_app.kit.ui.forms import field_of, plain_form

_CARD = OwnSecurityState.card


def own_security() -> rx.Component:
    return rx.fragment(
        rx.cond(OwnSecurityState.lacks_factor, _notice()),
        rx.cond(FactorsState.is_first & (_lacks_codes() | SessionState.is_admin), _next()),
        _password(),
        _second_factor(),
        _passkeys(),
        _recovery_codes(),
        sessions(),
        history(),
        proof_dialog(),
    )


def _lacks_codes() -> rx.Var[bool]:
    return _CARD.recovery == NO_CODES


def _next() -> rx.Component:
    """Render the next step after the first factor."""
    return rx.el.div(
        rx.cond(
            _lacks_codes(),
            rx.fragment(
                rx.el.p(
                    "Keep recovery codes for a day when your phone is not at hand.",
                    class_name="font-semibold text-ink",
                ),
                plain_form(
                    button("Show recovery codes", type="submit"), action=routes.RECOVERY_CODES
                ),
            ),
            rx.el.p("Your account is protected.", class_name="font-semibold text-ink"),
        ),
        rx.cond(
            SessionState.is_admin,
            link_button("Continue to Settings", href=routes.SETTINGS_AREAS, kind="secondary"),
        ),
        role="status",
        class_name="flex flex-col items-start gap-3 rounded-card bg-seafoam p-4 text-base",
    )


def _notice() -> rx.Component:
    return rx.el.p(
        rx.icon("shield-alert", size=20, aria_hidden=True, class_name="mt-0.5 shrink-0"),
        rx.el.span("Admins need a second factor: set one up to go on."),
        role="status",
        class_name="flex gap-2 rounded-card bg-[#FFF0CC] p-4 text-base font-semibold "
        "text-[#6B4700]",
    )


def _password() -> rx.Component:
    return panel(
        "Password",
        rx.cond(
            PasswordState.opened,
            rx.el.form(
                alert(PasswordState.error),
                rx.el.div(
                    field_of(PasswordState, "Current password", "current", make=password_field),
                    field_of(
                        PasswordState,
                        "New password",
                        "new",
                        make=new_password_field,
                        hint=PASSWORD_RULE,
                    ),
                    class_name="flex flex-col gap-4",
                ),
                rx.el.div(
                    button("Cancel", kind="secondary", on_click=PasswordState.show(False)),
                    submit_button(
                        "Change password", busy=PasswordState.busy, busy_text="Changing..."
                    ),
                    class_name="mt-4 flex flex-wrap gap-3",
                ),
                on_submit=PasswordState.change,
                no_validate=True,
                class_name="mt-4 max-w-md",
            ),
        ),
        lead=_CARD.password,
        action=button(
            "Change",
            rx.el.span("password", class_name="sr-only"),
            kind="secondary",
            id=CHANGE_BUTTON,
            aria_expanded=PasswordState.opened,
            on_click=PasswordState.show(~PasswordState.opened),
        ),
    )


def _second_factor() -> rx.Component:
    return panel(
        "Two-Factor Authentication",
        rx.el.ul(
            rx.cond(_CARD.has_app, _factor("Authenticator App", "", "app")),
            rx.cond(_CARD.has_sms, _factor("Text Message (SMS)", _CARD.phone, "sms")),
            class_name=f"{LIST} empty:hidden",
        ),
        set_up(),
        lead=SECOND_STEP,
        action=button(
            "Setup",
            kind="secondary",
            id=SETUP_BUTTON,
            aria_expanded=FactorsState.choosing,
            on_click=FactorsState.set_up,
        ),
    )


def _factor(name: str, detail: Any, method: str) -> rx.Component:
    return line(
        name,
        detail,
        action=rx.el.div(
            badge("On", "green"),
            line_button("Remove", name, on_click=FactorsState.remove(method), class_name="-mr-3"),
            class_name="flex items-center gap-2",
        ),
    )


def _passkeys() -> rx.Component:
    return panel(
        "Passkeys",
        rx.el.ul(
            rx.foreach(
                _CARD.passkeys,
                lambda each: line(
                    each.name,
                    each.created,
                    " · ",
                    each.used,
                    action=line_button(
                        "Remove",
                        each.name,
                        on_click=FactorsState.remove_passkey(each.id),
                        class_name="-mr-3",
                    ),
                    key=each.id,
                ),
            ),
            class_name=f"{LIST} empty:hidden",
        ),
        rx.cond(
            FactorsState.naming,
            rx.el.div(
                passkey_register(
                    on_done=FactorsState.passkey_added, on_prove=FactorsState.name_passkey(True)
                ),
                class_name="mt-4 max-w-md",
            ),
        ),
        lead="Sign in with your finger, face or PIN instead of a password",
        action=button(
            "Add",
            rx.el.span("a passkey", class_name="sr-only"),
            kind="secondary",
            id=PASSKEY_BUTTON,
            aria_expanded=FactorsState.naming,
            on_click=FactorsState.name_passkey(~FactorsState.naming),
        ),
    )


def _recovery_codes() -> rx.Component:
    return panel(
        "Recovery Codes",
        rx.cond(
            ~_CARD.has_factor, rx.el.p("Set up a second factor first.", class_name=f"mt-3 {TEXT}")
        ),
        rx.cond(
            FactorsState.codes_offered & _CARD.has_factor,
            plain_form(
                rx.el.p(
                    "Ten new codes are shown once, on a page to print. Earlier codes stop working.",
                    class_name=f"mb-3 {TEXT}",
                ),
                button("Show new codes", type="submit"),
                action=routes.RECOVERY_CODES,
                class_name="mt-4",
            ),
        ),
        lead=rx.cond(
            _CARD.has_factor,
            f"For when your phone is not at hand: {_CARD.recovery}",
            "For when your phone is not at hand",
        ),
        action=rx.cond(
            _CARD.has_factor,
            button(
                rx.cond(_lacks_codes(), "Get codes", "Get new ones"),
                kind="secondary",
                aria_expanded=FactorsState.codes_offered,
                on_click=FactorsState.offer_codes(~FactorsState.codes_offered),
                class_name="shrink-0",
            ),
        ),
    )
