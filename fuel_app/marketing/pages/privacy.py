"""The privacy policy: what is collected, why, who gets it, and what people can ask for."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.legal import PRIVACY_UPDATED
from fuel_app.kit.ui.brand import SECTION
from fuel_app.kit.ui.site_menu import place_link
from fuel_app.marketing.ui.layout import public_page
from fuel_app.marketing.ui.sections import email_link
from fuel_app.settings import settings


def privacy() -> rx.Component:
    return public_page(
        rx.el.div(
            rx.el.header(
                rx.el.h1(
                    "Privacy Policy",
                    class_name="text-3xl font-extrabold leading-[1.1] tracking-tight text-ink "
                    "sm:text-5xl",
                ),
                rx.el.p(f"Last updated {PRIVACY_UPDATED}", class_name="mt-3 text-base text-muted"),
                rx.el.p(
                    f"{settings.brand_name} brings fuel to parked cars. For that we need to know "
                    "who you are, how to reach you and where the car is. This page says what we "
                    "collect, what we do with it, and what you can ask of us.",
                    class_name="mt-4 max-w-[68ch] text-pretty text-lg text-muted",
                ),
            ),
            rx.el.div(
                _contents(),
                rx.el.div(
                    *[_part(*entry) for entry in _parts()],
                    class_name="flex max-w-[68ch] flex-col gap-10",
                ),
                class_name="mt-10 grid gap-10 lg:grid-cols-[240px_1fr] lg:gap-16",
            ),
            class_name=f"py-10 sm:py-16 {SECTION}",
        ),
        current=routes.PRIVACY,
    )


def _contents() -> rx.Component:
    return rx.el.nav(
        rx.el.p("On this page", class_name="text-sm font-bold text-ink"),
        rx.el.ol(
            *[
                rx.el.li(
                    place_link(
                        title,
                        name,
                        "block py-1.5 text-base text-muted underline-offset-4 "
                        "hover:text-gulf-deep hover:underline",
                    )
                )
                for name, title, _ in _parts()
            ],
            class_name="mt-2 flex flex-col",
        ),
        aria_label="On this page",
        class_name="self-start rounded-card border border-line bg-surface p-5 lg:sticky lg:top-24",
    )


def _part(name: str, title: str, content: Sequence[Any]) -> rx.Component:
    return rx.el.section(
        rx.el.h2(title, class_name="text-2xl font-bold tracking-tight text-ink"),
        *content,
        custom_attrs={"id": name},
    )


def _text(*words: Any) -> rx.Component:
    return rx.el.p(*words, class_name="mt-3 text-pretty text-lg leading-relaxed text-ink")


def _points(*points: tuple[str, str]) -> rx.Component:
    """Return a list of (term, explanation)."""
    return rx.el.ul(
        *[
            rx.el.li(rx.el.strong(f"{what}. ", class_name="font-semibold"), text)
            for what, text in points
        ],
        class_name="mt-3 flex list-disc flex-col gap-2 pl-5 text-lg leading-relaxed text-ink "
        "marker:text-gulf",
    )


def _parts() -> tuple[tuple[str, str, Sequence[Any]], ...]:
    """Return (fragment, title, content) of every part, in order."""
    return (
        ("information", "Information we collect", _information()),
        ("use", "How we use it", (_points(*_USES),)),
        ("sharing", "Who we share it with", _sharing()),
        ("choices", "Your choices", _choices()),
        ("security", "Security", (_text(_SECURITY),)),
        ("age", "Not for people under 18", (_text(_AGE),)),
        ("changes", "Changes to this policy", (_text(_CHANGES),)),
        ("contact", "Contact us", (_text("Any questions? Write to ", email_link(), "."),)),
    )


def _information() -> Sequence[Any]:
    return (
        _text("You give us most of it yourself:"),
        _points(
            (
                "Waitlist and neighborhoods",
                "Your name, e-mail address, phone number and ZIP code, the neighborhood group that "
                "you start or join, and whose link brought you here. Your neighbors see the "
                "group's name and how many members it has, not who you are.",
            ),
            (
                "Quotes for fleets and businesses",
                "Your company, a contact name, e-mail address and phone number, and what you tell "
                "us about your vehicles or employees, your location and your needs.",
            ),
            (
                "Customers",
                "Your vehicles and license plates, where and when we fill them, your plan, and a "
                "record of each fill. Card details go to our payment provider; we see the card "
                "type, its last four digits and when it expires.",
            ),
            (
                "Ads and imported lists",
                "If you answer one of our ads, the ad platform passes on what you entered there.",
            ),
        ),
        _text(
            "Some of it comes with your visit: your internet address, and technical records of "
            "what our site was asked for. We use them to keep the site working and to stop "
            "misuse. We run no advertising trackers on this site."
        ),
    )


_USES = (
    ("To serve you", "Plan, make and record your fills, and answer your questions."),
    ("To reach you", "Tell you when we start near you, and about your appointments."),
    ("To quote", "Work out an offer for your fleet or business and contact you about it."),
    ("To run groups", "Count a group's members and give them the discount they earned."),
    ("To bill you", "Charge for plans, fees and fuel."),
    ("To protect", "Prevent fraud and misuse, and do what the law requires."),
)


def _sharing() -> Sequence[Any]:
    return (
        _text(rx.el.strong("We do not sell your data."), " We share it with these three only:"),
        _points(
            ("Our payment provider", "What it needs to take your payments."),
            (
                "Delivery partners",
                "People and companies that help us bring the fuel, such as technicians and the "
                "map service that finds your address. They get what the job needs.",
            ),
            ("Legal authorities", "What the law obliges us to hand over, and no more."),
        ),
    )


def _choices() -> Sequence[Any]:
    return (
        _points(
            ("See it", "Ask for a copy of what we have about you."),
            ("Correct it", "Tell us what is wrong, and we will put it right."),
            (
                "Delete it",
                "Ask us to, and we delete all that the law does not make us keep. For 10 minutes "
                "our staff can undo it, in case of a mistake; then it is gone. Rows of an imported "
                "list that we could not use are deleted after 30 days.",
            ),
            ("Hear less", "Tell us to stop writing about offers. News of your fills still comes."),
        ),
        _text("For any of these, write to ", email_link(), "."),
    )


_SECURITY = (
    "Only staff who need your data for their work can sign in to see it, and each sign-in is "
    "recorded. We keep passwords in a form that cannot be read back. No system is perfectly safe; "
    "if something happens to your data, we will tell you."
)
_AGE = (
    "Our service is not for people under 18, and we do not knowingly collect their data. If you "
    "think that we have some, write to us and we will delete it."
)
_CHANGES = (
    "When we change this policy, we change the date at the top. If a change matters to you, we "
    "will also write to you before it takes effect."
)
