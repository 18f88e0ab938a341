"""Sign-up in two steps: contact and plan."""

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.fields import contact_fields, password_field
from fuel_app.kit.ui.live_form import live_form
from fuel_app.kit.ui.wizard import Step, back_link, step_buttons, wizard
from fuel_app.plans.rules import PLANS
from fuel_app.plans.ui import plan_choice

_STEPS = (
    Step("Contact", routes.ONBOARDING, SignupState.contact_given),
    Step("Plan", routes.ONBOARDING_PLAN),
)


def contact() -> rx.Component:
    return wizard(
        live_form(
            rx.el.div(
                contact_fields(),
                password_field(),
                class_name="flex flex-col gap-4",
            ),
            step_buttons(rx.fragment(), "Next Step"),
            on_edit=SignupState.edit_contact,
            on_submit=SignupState.submit_signup,
        ),
        steps=_STEPS,
        current=0,
        title="Contact Information",
        lead="Tell us how to reach you. Next you choose your plan.",
        home=routes.HOME,
        ready=SignupState.ready,
    )


def plan() -> rx.Component:
    return wizard(
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
            step_buttons(back_link(routes.ONBOARDING), "Complete Signup"),
            on_submit=SignupState.complete,
            no_validate=True,
        ),
        steps=_STEPS,
        current=1,
        title="Choose Your Plan",
        lead="All plans add the market price of fuel.",
        home=routes.HOME,
        ready=SignupState.ready,
        wide=True,
    )
