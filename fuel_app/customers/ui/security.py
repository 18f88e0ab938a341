"""Cards of Privacy & Security."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.accounts.rules.security import NO_CODES
from fuel_app.accounts.state.session import SessionState
from fuel_app.accounts.ui.sign_in import passkey_register
from fuel_app.customers.state.security import (
    CHANGE_BUTTON,
    FACTOR_FORM,
    METHOD_LABELS,
    PASSKEY_BUTTON,
    REAUTHENTICATION_FORM,
    SETUP_BUTTON,
    FactorsState,
    OwnSecurityState,
    PasswordState,
    ReauthenticationState,
)
from fuel_app.kit.ui.button import button, button_class, line_button, link_button, submit_button
from fuel_app.kit.ui.cards import TEXT, alert, badge, panel
from fuel_app.kit.ui.dialog import dialog
from fuel_app.kit.ui.fields import checkbox, code_field, field, new_password_field, password_field
from fuel_app.kit.ui.forms import field_of, plain_form
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.messages.rules.delivery import WORDING


def reauthentication_dialog() -> rx.Component:
    """Return the dialog, once on each page that needs it."""
    return dialog(
        rx.el.form(
            password_field(
                "Password",
                "password",
                form=REAUTHENTICATION_FORM,
                error=ReauthenticationState.error,
            ),
            rx.el.div(
                button("Cancel", kind="secondary", on_click=ReauthenticationState.show(False)),
                submit_button("Confirm", busy=ReauthenticationState.busy, busy_text="Checking..."),
                class_name="mt-6 flex justify-end gap-3",
            ),
            on_submit=ReauthenticationState.confirm,
            no_validate=True,
        ),
        title="Confirm it is you",
        description="This needs your password again.",
        open=ReauthenticationState.opened,
        on_open_change=ReauthenticationState.show,
        width="sm:max-w-sm",
    )


_CARD = OwnSecurityState.card
LIST_CLASS = "mt-3 divide-y divide-line"


def sessions() -> rx.Component:
    return panel(
        "Sessions",
        rx.el.ul(
            rx.foreach(
                _CARD.sessions,
                lambda each: list_line(
                    each.device,
                    each.since,
                    " · ",
                    each.seen,
                    action=rx.cond(
                        each.is_this,
                        badge("This device", "green"),
                        line_button(
                            "Sign out",
                            each.device,
                            on_click=OwnSecurityState.sign_out(each.id),
                            class_name="-mr-3",
                        ),
                    ),
                    key=each.id,
                ),
            ),
            class_name=LIST_CLASS,
        ),
        rx.el.div(
            rx.cond(
                _CARD.sessions.length() > 1,
                button(
                    "Sign out everywhere else",
                    kind="secondary",
                    on_click=OwnSecurityState.sign_out_others,
                ),
            ),
            button(
                "Sign out everywhere",
                kind="secondary",
                on_click=OwnSecurityState.sign_out_everywhere,
            ),
            class_name="mt-4 flex flex-wrap gap-3",
        ),
        lead="Where you are signed in",
    )


def history() -> rx.Component:
    return panel(
        "Login History",
        stacked_table(
            _CARD.history,
            (
                Column("Event", lambda row: row.event),
                Column("Device", lambda row: row.device),
                Column("Network", lambda row: row.network),
                Column("Time", lambda row: row.moment),
            ),
            caption="Login History",
            loading=~OwnSecurityState.is_own,
            empty_text="Nothing yet",
        ),
    )


def list_line(title: Any, *detail: Any, action: rx.Component, **props: Any) -> rx.Component:
    return rx.el.li(
        rx.el.div(
            rx.el.p(title, class_name="break-words font-semibold text-ink"),
            rx.el.p(*detail, class_name="text-sm text-muted empty:hidden"),
            class_name="min-w-0",
        ),
        action,
        class_name="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3",
        **props,
    )


SECOND_STEP = "A second step, so that your password alone is not enough"


def set_up() -> rx.Component:
    return rx.cond(
        FactorsState.choosing,
        rx.el.div(
            alert(FactorsState.problem),
            rx.el.form(
                method_choice(FactorsState.method),
                rx.el.button(
                    "Continue", type="submit", class_name=_main_while(FactorsState.method == "")
                ),
                on_submit=FactorsState.choose_typed,
                no_validate=True,
            ),
            rx.cond((FactorsState.method == "app") & FactorsState.app_waits, _app_setup()),
            rx.cond(FactorsState.method == "sms", _sms_setup()),
            class_name="mt-4",
        ),
    )


def _main_while(is_next: rx.Var[bool]) -> rx.Var[str]:
    """Return the look of a button that is the main one only while its step is the next."""
    return rx.cond(is_next, button_class("primary", "mt-3"), button_class("secondary", "mt-3"))


def method_choice(chosen: Any, choose: Any = None) -> rx.Component:
    """Render the choice of how codes come; without `choose` its form tells, once one continues."""
    return rx.el.fieldset(
        rx.el.legend(
            "How would you like to get your codes?",
            class_name="mb-2 text-base font-semibold text-ink",
        ),
        rx.el.div(
            *[_method_radio(value, text, chosen, choose) for value, text in METHOD_LABELS],
            class_name="grid gap-3 sm:grid-cols-2",
        ),
    )


def _method_radio(value: str, text: str, chosen: Any, choose: Any) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="second-factor",
            value=value,
            **{"default_checked": chosen == value}
            if choose is None
            else {"checked": chosen == value, "on_change": choose(value)},
            class_name="h-5 w-5 shrink-0 accent-gulf",
        ),
        rx.el.span(text),
        class_name="flex min-h-11 cursor-pointer items-center gap-3 rounded-control border "
        "border-[#8FA3AB] px-3 text-base text-ink hover:border-muted has-[:checked]:border-gulf "
        "has-[:checked]:bg-seafoam",
    )


def _app_setup() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            "Scan this code with your authenticator app, then type the 6 digits that it shows.",
            class_name=TEXT,
        ),
        rx.el.img(
            src=f"{routes.AUTHENTICATOR_CODE}?n={FactorsState.setup}",
            alt="QR code for your authenticator app",
            class_name="mt-3 aspect-square w-full max-w-56 rounded-control border border-line",
        ),
        rx.el.p(
            _link("Open in your authenticator app", routes.AUTHENTICATOR_OPEN),
            _link("Show the key to type", routes.AUTHENTICATOR_KEY, target="_blank"),
            class_name="mt-2 flex flex-wrap gap-x-6",
        ),
        _code_form(),
        class_name="mt-4",
    )


def _link(text: str, href: str, **props: Any) -> rx.Component:
    # Not the router's link: the address is no page.
    return rx.el.A.create(
        text, href=href, class_name="link inline-flex min-h-11 items-center text-base", **props
    )


def _sms_setup() -> rx.Component:
    return rx.el.div(
        rx.el.form(
            field(
                "Phone",
                "phone",
                form=FACTOR_FORM,
                error=FactorsState.phone_error,
                default_value=OwnSecurityState.card.phone,
                hint="We text a code to it. Message and data rates may apply.",
                type="tel",
                auto_complete="tel",
            ),
            checkbox(
                rx.el.span(WORDING, class_name="text-sm"), "agrees", form=FACTOR_FORM, value="yes"
            ),
            rx.el.button(
                rx.cond(FactorsState.code_sent, "Send another code", "Send code"),
                type="submit",
                class_name=_main_while(~FactorsState.code_sent),
            ),
            on_submit=FactorsState.send_code,
            no_validate=True,
        ),
        rx.cond(FactorsState.code_sent, _code_form()),
        class_name="mt-4 max-w-md",
    )


def _code_form() -> rx.Component:
    return rx.el.form(
        code_field(form=FACTOR_FORM, error=FactorsState.code_error),
        submit_button(
            "Turn on", busy=FactorsState.busy, busy_text="Checking...", class_name="mt-3"
        ),
        on_submit=FactorsState.confirm,
        no_validate=True,
        class_name="mt-4 max-w-md",
    )


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
        reauthentication_dialog(),
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
            class_name=f"{LIST_CLASS} empty:hidden",
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
    return list_line(
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
                lambda each: list_line(
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
            class_name=f"{LIST_CLASS} empty:hidden",
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
