"""The families landing page, which is also where a join link leads."""

import reflex as rx

from fuel_app.components.art import street
from fuel_app.components.cards import card
from fuel_app.components.layout import SECTION, TAGLINE, public_page
from fuel_app.components.picture import picture
from fuel_app.components.waitlist import join_button
from fuel_app.domain.neighborhoods import TIERS, Tier, members_range
from fuel_app.domain.plans import ONE_TIME_FEE
from fuel_app.settings import settings

_H2 = "text-balance text-2xl font-bold tracking-tight text-ink sm:text-[32px] sm:leading-tight"
_LEAD = "mt-3 max-w-[68ch] text-lg text-muted"


def landing() -> rx.Component:
    return public_page(
        _hero(),
        _benefits(),
        _neighborhood_program(),
        _more_ways(),
        _how_it_works(),
    )


def _hero() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.p(TAGLINE, class_name="text-base font-semibold text-gulf-deep"),
                rx.el.h1(
                    "Get Your First Fill-Up Free",
                    class_name="mt-2 text-balance text-[32px] font-extrabold leading-[1.1] "
                    "tracking-tight text-ink sm:text-5xl",
                ),
                rx.el.p(
                    "We come to your parked car in Sarasota and Bradenton and fill the tank. "
                    "Join the waitlist, and your first fill-up is on us.",
                    class_name="mt-4 max-w-[52ch] text-lg text-muted",
                ),
                rx.el.div(
                    join_button(class_name="w-full px-7 text-lg sm:w-auto"),
                    rx.el.a(
                        "See what your neighborhood saves",
                        href="#neighborhoods",
                        class_name="inline-flex min-h-11 items-center justify-center font-semibold "
                        "text-gulf-deep underline-offset-4 hover:underline",
                    ),
                    class_name="mt-6 flex flex-col items-stretch gap-x-6 gap-y-2 sm:flex-row "
                    "sm:items-center",
                ),
                class_name="lg:py-10",
            ),
            picture(
                "/art/hero.svg",
                640,
                480,
                alt="A service truck fills the tank of a car parked in a driveway",
                eager=True,
                class_name="mx-auto w-full max-w-xl rounded-2xl",
            ),
            class_name=f"grid items-center gap-8 py-8 lg:grid-cols-2 lg:py-14 {SECTION}",
        ),
        class_name="bg-gradient-to-b from-seafoam to-sand",
    )


_BENEFITS = (
    (
        "clock",
        "Save Time",
        "No detour, no queue, no pump. Your tank is filled while you sleep, work or play.",
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


def _benefits() -> rx.Component:
    return rx.el.section(
        rx.el.h2("Fuel that comes to you", class_name=_H2),
        rx.el.div(
            *[
                card(
                    rx.el.span(
                        rx.icon(icon, size=24, aria_hidden=True),
                        class_name="inline-flex h-12 w-12 items-center justify-center "
                        "rounded-control bg-seafoam text-gulf-deep",
                    ),
                    rx.el.h3(title, class_name="mt-4 text-lg font-bold text-ink"),
                    rx.el.p(text, class_name="mt-1 text-base text-muted"),
                )
                for icon, title, text in _BENEFITS
            ],
            class_name="mt-8 grid gap-4 md:grid-cols-3",
        ),
        id="benefits",
        class_name=f"scroll-mt-20 py-14 sm:py-20 {SECTION}",
    )


def _neighborhood_program() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("The more neighbors join, the less everyone pays", class_name=_H2),
                rx.el.p(
                    "One stop on your street can fill twenty tanks. That saves us miles, and the "
                    "Neighborhood Program hands the saving back: every member of a group gets the "
                    "discount, every month.",
                    class_name=_LEAD,
                ),
                rx.el.ol(
                    *[_tier(tier) for tier in TIERS[1:]],
                    class_name="mt-8 grid gap-3 sm:grid-cols-3",
                ),
                join_button("Start Your Neighborhood Group", class_name="mt-8 w-full sm:w-auto"),
            ),
            rx.el.figure(
                street(lit=10, houses=20, class_name="w-full"),
                rx.el.figcaption(
                    "A street of twenty homes with ten on board: everyone saves $120 a year.",
                    class_name="mt-3 text-center text-sm text-muted",
                ),
                class_name="rounded-2xl border border-line bg-sand p-4 sm:p-6",
            ),
            class_name=f"grid items-center gap-10 py-14 sm:py-20 lg:grid-cols-[3fr_2fr] {SECTION}",
        ),
        id="neighborhoods",
        class_name="scroll-mt-16 border-y border-line bg-surface",
    )


def _tier(tier: Tier) -> rx.Component:
    return rx.el.li(
        rx.el.p(f"{members_range(tier)} neighbors", class_name="text-sm font-semibold text-muted"),
        rx.el.p(
            f"${tier.monthly_discount} off",
            rx.el.span(" per month", class_name="text-base font-medium text-muted"),
            class_name="mt-1 text-2xl font-bold text-gulf-deep",
        ),
        rx.el.p(f"${tier.yearly_discount}/year for each member", class_name="text-sm text-ink"),
        class_name="rounded-card bg-seafoam p-4",
    )


def _more_ways() -> rx.Component:
    return rx.el.section(
        rx.el.h2("No plan? A whole fleet?", class_name=_H2),
        rx.el.div(
            card(
                rx.el.h3("One-Time Fill", class_name="text-xl font-bold text-ink"),
                rx.el.p(
                    f"Market fuel price plus a ${ONE_TIME_FEE} convenience fee. No commitment.",
                    class_name="mt-2 text-base text-muted",
                ),
                join_button("Join Waitlist", kind="secondary", class_name="mt-5"),
                class_name="flex flex-col items-start",
            ),
            card(
                rx.el.h3("Enterprise", class_name="text-xl font-bold text-ink"),
                rx.el.p(
                    "We fuel fleets in their yard overnight, and employees' cars at work as a "
                    "benefit. Tell us what you need and we will write you a quote.",
                    class_name="mt-2 text-base text-muted",
                ),
                rx.el.a(
                    "Write to us",
                    href=f"mailto:{settings.support_email}?subject=Fuel%20for%20our%20business",
                    class_name="mt-5 inline-flex min-h-11 items-center font-semibold "
                    "text-gulf-deep underline underline-offset-4",
                ),
                class_name="flex flex-col items-start",
            ),
            class_name="mt-8 grid gap-4 md:grid-cols-2",
        ),
        class_name=f"py-14 sm:py-20 {SECTION}",
    )


_STEPS = (
    ("Enter location", "Home, work or wherever the car is parked."),
    ("Choose time", "A two-hour window on a day that suits you."),
    ("We fill your tank", "You get a message when it is done. Drive on."),
)


def _how_it_works() -> rx.Component:
    return rx.el.section(
        rx.el.div(
            rx.el.div(
                rx.el.h2("How It Works", class_name=_H2),
                rx.el.ol(
                    *[
                        rx.el.li(
                            rx.el.span(
                                str(number),
                                aria_hidden=True,
                                class_name="flex h-10 w-10 shrink-0 items-center justify-center "
                                "rounded-full bg-gulf text-lg font-bold text-white",
                            ),
                            rx.el.div(
                                rx.el.h3(title, class_name="text-lg font-bold text-ink"),
                                rx.el.p(text, class_name="text-base text-muted"),
                            ),
                            class_name="flex gap-4",
                        )
                        for number, (title, text) in enumerate(_STEPS, start=1)
                    ],
                    class_name="mt-8 flex flex-col gap-6",
                ),
                join_button(class_name="mt-8 w-full sm:w-auto"),
            ),
            picture(
                "/art/area.svg",
                480,
                420,
                alt="Line map of the coast from Bradenton to Sarasota, our service area",
                class_name="mx-auto w-full max-w-lg",
            ),
            class_name=f"grid items-center gap-10 py-14 sm:py-20 lg:grid-cols-2 {SECTION}",
        ),
        id="how-it-works",
        class_name="scroll-mt-16 border-t border-line bg-surface",
    )
