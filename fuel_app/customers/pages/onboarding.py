"""Sign-up in two steps."""

from functools import partial

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.sign_in import CookieState
from fuel_app.accounts.ui.sign_in import cookie_fetcher, sign_in_error
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.fields import contact_fields, password_field, zip_field
from fuel_app.kit.ui.cards import alert
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.wizard import Step, back_link, step_buttons, wizard
from fuel_app.plans.rules.plans import PLANS
from fuel_app.plans.ui import plan_choice

_STEPS = (
    Step("Contact", routes.ONBOARDING, SignupState.contact_given),
    Step("Plan", routes.ONBOARDING_PLAN),
)


_sign_up_step = partial(
    wizard,
    steps=_STEPS,
    home=routes.HOME,
    ready=SignupState.ready,
    preview=~SignupState.opens_account,
)


def sign_up() -> rx.Component:
    return _sign_up_step(
        live_form(
            alert(SignupState.refusal),
            rx.el.div(
                contact_fields(),
                zip_field(),
                password_field(),
                key=SignupState.edition,  # the sample goes when the company opens
                class_name="flex flex-col gap-4",
            ),
            step_buttons(rx.fragment(), "Next Step", SignupState.busy),
            rx.cond(SignupState.opens_account, _has_account()),
            on_edit=SignupState.edit_contact,
            on_submit=SignupState.submit_signup,
        ),
        current=0,
        title="Contact Information",
        lead="Tell us how to reach you. Next you choose your plan.",
    )


def sign_up_plan() -> rx.Component:
    return _sign_up_step(
        cookie_fetcher(),
        alert(sign_in_error(SignupState.refusal)),
        rx.el.form(
            rx.el.fieldset(
                rx.el.legend(rx.el.h2("Plans"), class_name="sr-only"),
                *[
                    plan_choice(
                        each,
                        selected=SignupState.plan == each.id,
                        on_choose=SignupState.choose_plan(each.id),
                    )
                    for each in PLANS
                ],
                class_name="grid gap-6 pt-3 lg:grid-cols-3",
            ),
            rx.cond(SignupState.opens_account, _terms()),
            step_buttons(
                back_link(routes.ONBOARDING),
                "Complete Signup",
                SignupState.busy | CookieState.fetching,
            ),
            on_submit=SignupState.complete,
            no_validate=True,
        ),
        current=1,
        title="Choose Your Plan",
        lead="All plans add the market price of fuel.",
        wide=True,
    )


def _has_account() -> rx.Component:
    return rx.el.p(
        "Already have an account? ",
        rx.el.a("Sign in", href=routes.SIGN_IN, class_name="link"),
        class_name="mt-6 text-center text-base text-muted",
    )


def _terms() -> rx.Component:
    return rx.el.p(
        "By completing sign-up you agree to the ",
        rx.el.a("Terms", href=routes.TERMS, target="_blank", class_name="link"),
        " and ",
        rx.el.a("Privacy Policy", href=routes.PRIVACY, target="_blank", class_name="link"),
        ". Nothing is charged now.",
        class_name="mt-6 text-pretty text-base text-muted",
    )
