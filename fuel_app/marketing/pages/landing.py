"""The families landing page, which is also where a join link leads."""

import reflex as rx

from fuel_app import routes
from fuel_app.joining.ui import join_button
from fuel_app.kit.ui.button import link_button
from fuel_app.kit.ui.cards import card
from fuel_app.kit.ui.frame import TAGLINE, place_link
from fuel_app.marketing.ui import (
    H2,
    LEAD,
    TEXT_LINK,
    UP_TO,
    actions_row,
    by_opening,
    drawing,
    hero,
    icon_cards,
    picture,
    public_page,
    section,
    service_area_check,
    start_button,
    steps,
)
from fuel_app.neighborhoods.rules import TIERS, Tier, members_range
from fuel_app.plans.rules.plans import ONE_TIME_FEE


def landing() -> rx.Component:
    return public_page(
        _hero(),
        section(icon_cards(_BENEFITS), title="Fuel that comes to you", name="benefits"),
        _neighborhood_program(),
        _more_ways(),
        _how_it_works(),
        current=routes.HOME,
    )


def _hero() -> rx.Component:
    return hero(
        by_opening("Get Your First Fill-Up Free", "Your car, filled where it is parked"),
        rx.fragment(
            "We come to your parked car in Sarasota and Bradenton and fill the tank. ",
            by_opening(
                f"Join the waitlist, and your first fill-up is on us, {UP_TO}.",
                "Choose a plan or a one-time fill, and pick your two-hour window online.",
            ),
        ),
        eyebrow=TAGLINE,
        actions=[
            actions_row(start_button(class_name="px-7 text-lg")),
            rx.el.div(
                place_link("See what your neighborhood saves", "neighborhoods", TEXT_LINK),
                place_link("How it works", "how-it-works", f"{TEXT_LINK} max-sm:hidden"),
                class_name="mt-2 flex flex-wrap justify-center gap-x-6 sm:justify-start",
            ),
        ],
        art="/art/hero.svg",
        alt="A service truck fills the tank of a car parked in a driveway",
    )


_BENEFITS = (
    (
        "clock",
        "Save Time",
        "No detour, no queue, no pump. Your tank is filled while you work, rest or play.",
    ),
    (
        "badge-check",
        "Premium Quality",
        "Quality fuel, handled by trained technicians who look after your car and your driveway.",
    ),
    (
        "calendar-check",
        "Flexible Scheduling",
        "Pick a two-hour window that suits you. Plans change? So can your appointment.",
    ),
)


def _neighborhood_program() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("The more neighbors join, the less everyone pays", class_name=H2),
                rx.el.p(
                    "One stop on your street can fill twenty tanks. That saves us miles, and the "
                    "Neighborhood Program hands the saving back: every member of a group gets the "
                    "discount, every month.",
                    class_name=LEAD,
                ),
                rx.el.ol(
                    *[_tier(tier) for tier in TIERS[1:]],
                    class_name="mt-8 grid gap-3 sm:grid-cols-3",
                ),
                join_button("Start Your Neighborhood Group", class_name="mt-8 w-full sm:w-auto"),
            ),
            rx.el.figure(
                drawing("/art/street.svg", alt="10 of 20 houses lit"),
                rx.el.figcaption(
                    "A street of twenty homes with ten on board: everyone saves $120 a year.",
                    class_name="mt-3 text-center text-sm text-muted",
                ),
                class_name="rounded-2xl border border-line bg-sand p-4 sm:p-6",
            ),
            class_name="grid items-center gap-10 lg:grid-cols-[3fr_2fr]",
        ),
        name="neighborhoods",
        white=True,
    )


def _tier(tier: Tier) -> rx.Component:
    return rx.el.li(
        rx.el.p(f"{members_range(tier)} neighbors", class_name="text-sm font-semibold text-muted"),
        rx.el.p(
            f"{tier.monthly_discount.short} off",
            rx.el.span(" per month", class_name="text-base font-medium text-muted"),
            class_name="mt-1 text-2xl font-bold text-gulf-deep",
        ),
        rx.el.p(f"{tier.yearly_discount.short}/year each", class_name="text-sm text-ink"),
        class_name="rounded-card bg-seafoam p-4",
    )


def _more_ways() -> rx.Component:
    return section(
        rx.el.div(
            card(
                rx.el.h3("One-Time Fill", class_name="text-xl font-bold text-ink"),
                rx.el.p(
                    f"Market fuel price plus a {ONE_TIME_FEE.short} convenience fee. "
                    "No commitment.",
                    class_name="mb-5 mt-2 text-pretty text-base text-muted",
                ),
                rx.el.div(
                    by_opening(join_button(kind="secondary"), ""),
                    link_button("Book a One-Time Fill", href=routes.ONE_TIME_FILL, kind="quiet"),
                    class_name="mt-auto flex flex-wrap gap-3",
                ),
                class_name="flex flex-col items-start",
            ),
            card(
                rx.el.h3("Enterprise", class_name="text-xl font-bold text-ink"),
                rx.el.p(
                    "We fuel fleets in their yard overnight, and employees' cars at work as a "
                    "benefit. Tell us what you need and we will write you a quote.",
                    class_name="mt-2 text-base text-muted",
                ),
                rx.el.div(
                    link_button("For fleets", href=routes.FLEET, kind="secondary"),
                    link_button("For businesses", href=routes.BUSINESS, kind="secondary"),
                    class_name="mt-5 flex flex-wrap gap-3",
                ),
                class_name="flex flex-col items-start",
            ),
            class_name="mt-8 grid gap-4 md:grid-cols-2",
        ),
        title="No plan? A whole fleet?",
    )


_STEPS = (
    ("Enter location", "Home, work or wherever the car is parked."),
    ("Choose time", "A two-hour window on a day that suits you."),
    ("We fill your tank", "You get a message when it is done. Drive on."),
)


def _how_it_works() -> rx.Component:
    return section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("How It Works", class_name=H2),
                steps(_STEPS),
                rx.el.h3("Do we come to you?", class_name="mb-3 mt-10 text-lg font-bold text-ink"),
                service_area_check(),
            ),
            picture(
                "/art/area.svg",
                480,
                420,
                alt="Line map of the coast from Bradenton to Sarasota, our service area",
                class_name="mx-auto w-full max-w-lg",
            ),
            class_name="grid items-center gap-10 lg:grid-cols-2",
        ),
        name="how-it-works",
        white=True,
    )
