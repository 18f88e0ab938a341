"""The customer's settings, Help & Support, and sign-up in two steps."""

from functools import partial

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import CookieState, SessionState
from fuel_app.accounts.ui.sign_in import cookie_fetcher, sign_in_error
from fuel_app.customers.state.security import OwnSecurityState
from fuel_app.customers.state.sign_up import SignupState
from fuel_app.customers.ui.account import (
    notification_switches,
)
from fuel_app.customers.ui.fields import contact_fields, password_field, zip_field
from fuel_app.customers.ui.page import is_sample, loading, settings_page
from fuel_app.customers.ui.security import own_security
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import H2, alert, card, panel, questions
from fuel_app.kit.ui.forms import live_form
from fuel_app.kit.ui.frame import email_link, phone_link
from fuel_app.kit.ui.script import way_back
from fuel_app.kit.ui.wizard import WizardStep, back_link, step_buttons, wizard
from fuel_app.messages.rules.kinds import GROUPS
from fuel_app.plans.rules.plans import PLANS
from fuel_app.plans.ui import plan_choice


def notifications() -> rx.Component:
    return settings_page(
        "Notification Settings",
        *[
            notification_switches(title, entries, form="notifications")
            for title, entries in GROUPS.items()
        ],
        current=routes.NOTIFICATIONS,
    )


def security(sample: rx.Component) -> rx.Component:
    """Return the screen of a person; `sample` stands there for visitors before launch."""
    return settings_page(
        "Privacy & Security",
        rx.cond(
            OwnSecurityState.is_own,
            own_security(),
            rx.cond(
                is_sample() & ~SessionState.is_person,
                sample,
                rx.fragment(loading(), loading(), loading()),
            ),
        ),
        current=routes.SECURITY,
    )


_TOPICS = (
    (
        "calendar-plus",
        "How to Schedule a Fill-Up",
        "Vehicle, place and time",
        routes.SUPPORT_SCHEDULING,
    ),
    ("credit-card", "Billing & Payments", "Your plan, card and invoices", routes.BILLING),
    ("car", "Vehicle Requirements", "Makes and models that we fill", routes.ACCOUNT),
    ("shield", "Safety & Security", "Your password and sign-ins", routes.SECURITY),
)
QUESTIONS = (
    (
        "How does the service work?",
        "You tell us where your car is parked and choose a time. A technician comes and fills "
        "the tank.",
    ),
    ("Can I reschedule a fill-up?", "Yes, up to 2 hours before the scheduled time."),
    (
        "How do I update my vehicle information?",
        "In Account Settings, under Vehicles: add, edit or delete a vehicle there.",
    ),
)


# Each step of booking: its heading, and what there is to know.
SCHEDULING = (
    (
        "Choose the vehicle",
        "Add it once: its make and model, its license plate, the fuel that it takes, and how its "
        "fuel door opens. Your technician checks the plate before fueling.",
    ),
    (
        "Say where it is parked",
        "A driveway or an open parking lot, and in some places the street. We cannot fuel inside "
        "buildings or covered garages. If the map is not sure, you move the pin to your car. Add a "
        "gate code, and a note if the car is hard to find.",
    ),
    (
        "Pick a day and a window",
        "Windows are two hours long. You see the price before you book: fuel, fee and tax. You pay "
        "the lower of the price shown and the price of the day.",
    ),
    (
        "Before we come",
        "You need not be there. Leave the fuel door unlocked, or say how it opens. Move or cancel "
        "free of charge up to 2 hours before the window; later a cancellation may cost the "
        "late fee that your booking names.",
    ),
    (
        "On the day",
        "Your dashboard says when your technician comes. Your card is authorized the evening "
        "before, and charged after the fill for what was pumped. The receipt comes by e-mail.",
    ),
)


def scheduling_help() -> rx.Component:
    """Return how a fill-up is scheduled, step by step."""
    return settings_page(
        "How to Schedule a Fill-Up",
        card(
            rx.el.ol(
                *[_help_step(number, *step) for number, step in enumerate(SCHEDULING, 1)],
                class_name="grid gap-6",
            ),
            link_button("Book a Fill-Up", href=routes.SCHEDULE, class_name="mt-8 max-sm:w-full"),
        ),
        rx.el.p(
            "Something is not answered here? Call us: ",
            phone_link("link"),
            ", or write to ",
            email_link("link"),
            ".",
            class_name="text-base text-muted",
        ),
        current=routes.SUPPORT,
        back=way_back("Back to Help & Support", routes.SUPPORT),
    )


def _help_step(number: int, title: str, text: str) -> rx.Component:
    return rx.el.li(
        rx.el.span(
            str(number),
            aria_hidden=True,
            class_name="flex h-9 w-9 shrink-0 items-center justify-center rounded-full bg-seafoam "
            "font-bold text-gulf-deep",
        ),
        rx.el.div(
            rx.el.h2(title, class_name=H2),
            rx.el.p(text, class_name="mt-1 max-w-[68ch] text-pretty text-base text-muted"),
            class_name="min-w-0",
        ),
        class_name="flex gap-4",
    )


def support() -> rx.Component:
    return settings_page(
        "Help & Support",
        _ways(),
        _topics(),
        panel("Frequently Asked Questions", rx.el.div(questions(QUESTIONS), class_name="mt-3")),
        current=routes.SUPPORT,
        wide=True,
    )


def _ways() -> rx.Component:
    return rx.el.ul(
        rx.cond(
            is_sample(),
            _way(
                "message-circle", "Live Chat", rx.el.p("Opens with our service", class_name=_LINE)
            ),
        ),
        _way("phone", "Call Us", phone_link(f"{_LINE} link")),
        _way("mail", "Email", email_link(f"{_LINE} link")),
        class_name="grid auto-cols-fr gap-4 sm:grid-flow-col",
    )


def _way(icon: str, title: str, how: rx.Component) -> rx.Component:
    return rx.el.li(
        card(
            rx.icon(icon, size=28, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.el.div(rx.el.h2(title, class_name=H2), how, class_name="min-w-0"),
            class_name="flex h-full items-center gap-4 sm:flex-col sm:items-start",
        )
    )


_LINE = "inline-flex min-h-11 items-center text-base text-muted"


def _topics() -> rx.Component:
    return panel(
        "Popular Topics",
        rx.el.ul(
            *[
                rx.el.li(
                    rx.el.a(
                        rx.icon(icon, size=24, aria_hidden=True, class_name="shrink-0 text-gulf"),
                        rx.el.span(
                            rx.el.span(title, class_name="block font-semibold text-ink"),
                            rx.el.span(text, class_name="block text-sm text-muted"),
                        ),
                        href=address,
                        class_name="flex h-full items-center gap-4 rounded-control border "
                        "border-line p-4 text-base hover:border-gulf hover:bg-seafoam",
                    )
                )
                for icon, title, text, address in _TOPICS
            ],
            class_name="mt-4 grid gap-3 sm:grid-cols-2",
        ),
    )


_SIGN_UP_STEPS = (
    WizardStep("Contact", routes.ONBOARDING, SignupState.contact_given),
    WizardStep("Plan", routes.ONBOARDING_PLAN),
)


_sign_up_step = partial(
    wizard,
    steps=_SIGN_UP_STEPS,
    home=routes.HOME,
    ready=SignupState.ready,
    preview=~SignupState.opens_account,
)


def sign_up() -> rx.Component:
    return _sign_up_step(
        live_form(
            alert(SignupState.refusal),
            _invited(),
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


def _invited() -> rx.Component:
    """Return what an invitation brings along, or that it was used before."""
    box = "mb-6 rounded-card bg-seafoam p-4 text-base text-ink"
    return rx.fragment(
        rx.cond(
            SignupState.promises.length() > 0,
            rx.el.div(
                rx.el.p(
                    "You were on our waitlist, and what you were promised comes along:",
                    class_name="font-semibold",
                ),
                rx.el.ul(
                    rx.foreach(SignupState.promises, lambda text: rx.el.li(text, key=text)),
                    class_name="mt-2 list-disc space-y-1 pl-5 wrap-anywhere",
                ),
                class_name=box,
            ),
        ),
        rx.cond(
            SignupState.link_used,
            rx.el.p(
                "This invitation was used already. If the account is yours, ",
                rx.el.a("sign in", href=routes.SIGN_IN, class_name="link"),
                ".",
                class_name=box,
            ),
        ),
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
