"""Setting up a second factor: the choice, and the steps of each."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.account import METHODS
from fuel_app.customers.state.security.factors import FORM, FactorsState
from fuel_app.customers.state.security.own import OwnSecurityState
from fuel_app.kit.ui.button import button_class, submit_button
from fuel_app.kit.ui.cards import TEXT, alert
from fuel_app.kit.ui.fields import checkbox, code_field, field
from fuel_app.messages.rules.delivery import WORDING

SECOND_STEP = "A second step, so that your password alone is not enough"


def set_up() -> rx.Component:
    return rx.cond(
        FactorsState.choosing,
        rx.el.div(
            alert(FactorsState.problem),
            rx.el.form(
                methods(FactorsState.method),
                rx.el.button(
                    "Continue", type="submit", class_name=_main_while(FactorsState.method == "")
                ),
                on_submit=FactorsState.choose_typed,
                no_validate=True,
            ),
            rx.cond((FactorsState.method == "app") & FactorsState.app_waits, _app()),
            rx.cond(FactorsState.method == "sms", _sms()),
            class_name="mt-4",
        ),
    )


def _main_while(is_next: rx.Var[bool]) -> rx.Var[str]:
    """Return the look of a button that is the main one only while its step is the next."""
    return rx.cond(is_next, button_class("primary", "mt-3"), button_class("secondary", "mt-3"))


def methods(chosen: Any, choose: Any = None) -> rx.Component:
    """Render the choice of how codes come; without `choose` its form tells, once one continues."""
    return rx.el.fieldset(
        rx.el.legend(
            "How would you like to get your codes?",
            class_name="mb-2 text-base font-semibold text-ink",
        ),
        rx.el.div(
            *[_method(value, text, chosen, choose) for value, text in METHODS],
            class_name="grid gap-3 sm:grid-cols-2",
        ),
    )


def _method(value: str, text: str, chosen: Any, choose: Any) -> rx.Component:
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


def _app() -> rx.Component:
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


def _sms() -> rx.Component:
    return rx.el.div(
        rx.el.form(
            field(
                "Phone",
                "phone",
                form=FORM,
                error=FactorsState.phone_error,
                default_value=OwnSecurityState.card.phone,
                hint="We text a code to it. Message and data rates may apply.",
                type="tel",
                auto_complete="tel",
            ),
            checkbox(rx.el.span(WORDING, class_name="text-sm"), "agrees", form=FORM, value="yes"),
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
        code_field(form=FORM, error=FactorsState.code_error),
        submit_button(
            "Turn on", busy=FactorsState.busy, busy_text="Checking...", class_name="mt-3"
        ),
        on_submit=FactorsState.confirm,
        no_validate=True,
        class_name="mt-4 max-w-md",
    )
