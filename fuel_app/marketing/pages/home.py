"""The families marketing page with the plans."""

import reflex as rx

from fuel_app import routes
from fuel_app.joining.ui import join_button
from fuel_app.kit.ui.button import button, button_class, link_button
from fuel_app.kit.ui.cards import card, questions
from fuel_app.kit.ui.dialog import dialog, dismissing
from fuel_app.kit.ui.frame import TAGLINE, email_link
from fuel_app.marketing.rules import QUESTIONS, QUESTIONS_ONCE_OPEN
from fuel_app.marketing.ui import (
    H2,
    LEAD,
    UP_TO,
    actions_row,
    by_opening,
    hero,
    public_page,
    section,
    service_area_check,
)
from fuel_app.plans.rules.plans import ONE_TIME_FEE, PLANS, Plan
from fuel_app.plans.ui import plan_card
from fuel_app.settings import settings


def home() -> rx.Component:
    return public_page(
        _hero(),
        _plans(),
        _other_ways(),
        _faq(),
        current=routes.PLANS,
        actions=rx.fragment(_sign_in(), join_button(class_name="max-sm:hidden")),
    )


def _sign_in() -> rx.Component:
    """Return the Sign In dialog, which before launch only announces accounts."""
    return dialog(
        rx.el.p(
            f"Join the waitlist now: your first fill-up is free, {UP_TO}, and we write to you "
            "when your account can be opened. Until then you can look around with sample data.",
            class_name="text-base text-ink",
        ),
        rx.el.div(
            dismissing(link_button("See a preview", href=routes.DASHBOARD, kind="secondary")),
            dismissing(join_button()),
            class_name="mt-6 flex flex-wrap justify-end gap-3",
        ),
        trigger=button("Sign In", kind="quiet"),
        title="Sign In opens with our service",
        description="We are not delivering yet, so there are no customer accounts yet.",
        width="sm:max-w-md",
    )


def _hero() -> rx.Component:
    return hero(
        "A full tank every time you leave home",
        "Choose how many fills you need a month. We come to your driveway or your parking spot "
        "at work, and you skip the gas station.",
        eyebrow=TAGLINE,
        actions=[
            actions_row(
                link_button(
                    by_opening("Start Your Free Trial", "Get started"),
                    href=routes.ONBOARDING,
                    class_name="px-7 text-lg",
                ),
                link_button(
                    "Book a One-Time Fill",
                    href=routes.ONE_TIME_FILL,
                    kind="secondary",
                    class_name="text-lg",
                ),
            ),
            rx.el.p(
                by_opening(
                    "We are not delivering yet, so both show you how it will be. Join the "
                    f"waitlist, and your trial is a free first fill-up, {UP_TO}. ",
                    "",
                ),
                "A one-time fill costs the market fuel "
                f"price plus a {ONE_TIME_FEE.short} convenience fee.",
                class_name="mt-4 max-w-[56ch] text-sm text-muted",
            ),
        ],
        art="/art/hero.svg",
        alt="A service truck fills the tank of a car parked in a driveway",
    )


def _plans() -> rx.Component:
    return section(
        rx.el.ul(
            *[rx.el.li(plan_card(plan, action=_choose(plan))) for plan in PLANS],
            class_name="mt-10 grid gap-6 lg:grid-cols-3",
        ),
        title="Pick how often we come",
        lead="All plans add the market price of fuel.",
        name="plans",
        white=True,
    )


def _choose(plan: Plan) -> rx.Component:
    looks = {"kind": "primary" if plan.popular else "secondary", "class_name": "w-full"}
    sign_up = routes.asking(routes.ONBOARDING, {"plan": plan.id})
    return by_opening(
        join_button(**looks),
        link_button(
            "Get started",
            rx.el.span(f" with {plan.name}", class_name="sr-only"),
            href=sign_up,
            **looks,
        ),
    )


def _other_ways() -> rx.Component:
    return section(
        rx.el.div(
            card(
                rx.el.h3("One-Time Fill", class_name="text-xl font-bold text-ink"),
                rx.el.p(
                    f"Market fuel price plus a {ONE_TIME_FEE.short} convenience fee. No plan, no "
                    "commitment. ",
                    by_opening(
                        "Bookings open with our service; see today how it will be.",
                        "Book it online, without an account.",
                    ),
                    class_name="mb-5 mt-2 text-base text-muted",
                ),
                link_button(
                    "Book a One-Time Fill",
                    href=routes.ONE_TIME_FILL,
                    kind="secondary",
                    class_name="mt-auto",
                ),
                class_name="flex flex-col items-start",
            ),
            card(
                rx.el.h3("Fleets and employers", class_name="text-xl font-bold text-ink"),
                rx.el.p(
                    "We fuel fleets where they park, and employees' cars at work. ",
                    by_opening(
                        rx.fragment(
                            "Contact Sales opens with our service; until then write to ",
                            email_link(),
                            " or ask for a quote:",
                        ),
                        "Write to us, or ask for a quote:",
                    ),
                    class_name="mb-5 mt-2 text-base text-muted",
                ),
                rx.el.div(
                    by_opening(
                        # Before launch it does nothing, as specified.
                        button("Contact Sales", kind="secondary", class_name="max-sm:w-full"),
                        rx.el.a(
                            "Contact Sales",
                            href=f"mailto:{settings.support_email}",
                            class_name=button_class("secondary", "max-sm:w-full"),
                        ),
                    ),
                    link_button("Fleet", href=routes.FLEET, kind="quiet"),
                    link_button("Business", href=routes.BUSINESS, kind="quiet"),
                    class_name="mt-auto flex w-full flex-wrap gap-2",
                ),
                class_name="flex flex-col items-start",
            ),
            class_name="mt-8 grid gap-4 md:grid-cols-2",
        ),
        title="Something else in mind?",
    )


def _faq() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("Good to know", class_name=H2),
                rx.el.p("Do we come to your street? Ask with your ZIP.", class_name=f"{LEAD} mb-4"),
                service_area_check(),
            ),
            rx.el.div(by_opening(questions(QUESTIONS), questions(QUESTIONS_ONCE_OPEN), rx.el.div)),
            class_name="grid items-start gap-10 lg:grid-cols-[2fr_3fr] lg:gap-16",
        ),
        name="questions",
        white=True,
    )
