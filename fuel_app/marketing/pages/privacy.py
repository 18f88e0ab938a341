"""The privacy policy: what is collected, why, who gets it, and what people can ask for."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.kit.legal import PRIVACY_UPDATED, PRIVACY_VERSION
from fuel_app.kit.ui.frame import email_link
from fuel_app.marketing.ui import Part, legal_page, points, text
from fuel_app.settings import settings

_LEAD = (
    f"{settings.brand_name} brings fuel to parked cars. For that we need to know who you are, how "
    "to reach you and where the car is. This page says what we collect, what we do with it, and "
    "what you can ask of us."
)


def privacy() -> rx.Component:
    return legal_page(
        "Privacy Policy",
        *_parts(),
        dated=f"Last updated {PRIVACY_UPDATED}, version {PRIVACY_VERSION}",
        lead=_LEAD,
        current=routes.PRIVACY,
    )


def _parts() -> tuple[Part, ...]:
    return (
        Part("information", "Information we collect", _information()),
        Part("use", "How we use it", (points(*_USES),)),
        Part("sharing", "Who we share it with", _sharing()),
        Part("choices", "Your choices", _choices()),
        Part("security", "Security", (text(_SECURITY),)),
        Part("age", "Not for people under 18", (text(_AGE),)),
        Part("changes", "Changes to this policy", (text(_CHANGES),)),
        Part("contact", "Contact us", (text("Any questions? Write to ", email_link(), "."),)),
    )


def _information() -> Sequence[Any]:
    return (
        text("You give us most of it yourself:"),
        points(
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
                "Accounts",
                "What you sign up with, and which of our texts you accepted. For a year your "
                "Login History keeps each sign-in and each change of your security, with the "
                "device and a part of the internet address that it came from.",
            ),
            (
                "Ads and imported lists",
                "If you answer one of our ads, the ad platform passes on what you entered there.",
            ),
        ),
        text(
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
        text(rx.el.strong("We do not sell your data."), " We share it with these three only:"),
        points(
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
        points(
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
        text("For any of these, write to ", email_link(), "."),
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
