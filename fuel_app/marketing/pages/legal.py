"""The legal pages: the privacy policy and the terms of service."""

from collections.abc import Sequence
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.bookings.rules.slots import CUTOFF_TEXT
from fuel_app.kit.legal import PRIVACY_UPDATED, PRIVACY_VERSION, TERMS_UPDATED, TERMS_VERSION
from fuel_app.kit.ui.frame import email_link, page_link
from fuel_app.marketing.state import TermsState
from fuel_app.marketing.ui import Part, legal_page, points, text
from fuel_app.settings import settings

_PRIVACY_LEAD = (
    f"{settings.brand_name} brings fuel to parked cars. For that we need to know who you are, how "
    "to reach you and where the car is. This page says what we collect, what we do with it, and "
    "what you can ask of us."
)


def privacy() -> rx.Component:
    return legal_page(
        "Privacy Policy",
        Part("information", "Information we collect", _information()),
        Part("use", "How we use it", (points(*_USES),)),
        Part("sharing", "Who we share it with", _sharing()),
        Part("choices", "Your choices", _choices()),
        Part("security", "Security", (text(_SECURITY),)),
        Part("age", "Not for people under 18", (text(_AGE),)),
        Part("changes", "Changes to this policy", (text(_PRIVACY_CHANGES),)),
        Part("contact", "Contact us", (text("Any questions? Write to ", email_link(), "."),)),
        dated=f"Last updated {PRIVACY_UPDATED}, version {PRIVACY_VERSION}",
        lead=_PRIVACY_LEAD,
        current=routes.PRIVACY,
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
_PRIVACY_CHANGES = (
    "When we change this policy, we change the date at the top. If a change matters to you, we "
    "will also write to you before it takes effect."
)


_TERMS_LEAD = (
    f"{settings.brand_name} brings fuel to your parked car: you book a window, we fill the tank "
    "where the car stands, and you pay for what is pumped. These terms say what we both can "
    "rely on."
)


def terms() -> rx.Component:
    return legal_page(
        "Terms of Service",
        Part("consent", "Who may consent", (text(_CONSENT), points(*_CONSENTS))),
        Part("fueling", "What fueling needs", (points(*_NEEDS),)),
        Part("payment", "Prices and payment", (points(*_PAYMENT),)),
        Part("cancel", "Cancel or move a fill", _cancelling()),
        Part("free-fill", "The free first fill", (_free_fill(),)),
        Part("plans", "Plans", (text(_PLANS),)),
        Part("messages", "Text messages", (points(*_MESSAGES),)),
        Part("account", "Your account", (_account(),)),
        Part("changes", "Changes to these terms", (text(_TERMS_CHANGES),)),
        Part("contact", "Contact us", (text("Any questions? Write to ", email_link(), "."),)),
        dated=f"Last updated {TERMS_UPDATED}, version {TERMS_VERSION}",
        lead=_TERMS_LEAD,
        current=routes.TERMS,
    )


_CONSENT = "With each booking you tell us that both of these are so:"
_CONSENTS = (
    ("The car", "It is yours, or its owner lets you have it fueled."),
    (
        "The place",
        "You own it, or whoever does lets a fuel truck come there and fill the car. At work or "
        "in a shared lot, please ask first.",
    ),
)

_NEEDS = (
    (
        "In the open",
        "A driveway or an open parking lot. We cannot fuel inside buildings or covered garages, "
        "and on a street only where your area allows it.",
    ),
    ("Within reach", "The truck can get near the car, gates are open, and dogs are inside."),
    (
        "Ready",
        "The engine is off, the fuel door is unlocked or you have told us how it opens, and "
        "nobody smokes nearby.",
    ),
    ("The right fuel", "You choose the grade that your car takes. We fill what you have chosen."),
    ("Safe", "Your technician decides on the spot, and does not fill where it would not be safe."),
)

_PAYMENT = (
    (
        "The price of fuel",
        "You pay the lower of the price shown when you booked and the price in effect when "
        "fueling starts. All taxes on motor fuel are included.",
    ),
    (
        "The hold",
        "Before a fill we hold on your card what a full tank can cost: its size plus 10% at the "
        "price shown, plus fees. We tell you the amount beforehand.",
    ),
    (
        "What you pay",
        "What is pumped, plus the fees that you saw when you booked. The rest of the hold is "
        "released. If nothing is pumped, so is all of it, except for a late fee.",
    ),
    (
        "A declined card",
        "We tell you at once. If no hold works by the morning of the fill, we cancel it without "
        "a fee.",
    ),
)


def _amount(words: str, amount: Any) -> rx.Component:
    """Return words with their amount once it is known."""
    return rx.el.span(words, rx.cond(amount != "", rx.fragment(" of ", amount), ""))


def _cancelling() -> tuple[rx.Component, ...]:
    late = rx.fragment(
        "Until your technician is on the way you can still cancel, for ",
        _amount("a late fee", TermsState.late_fee),
        ". From then on, please call us.",
    )
    return (
        points(
            (
                "Free of charge",
                f"Up to {CUTOFF_TEXT} before your window begins you move or cancel.",
            ),
            ("Later", late),
            (
                "If we cannot fill",
                "When we came in your window and could not reach or find the car, the late fee "
                "applies. Your technician records what they found.",
            ),
            ("Never", "There is no fee for bad weather, or for a mistake of ours."),
        ),
    )


def _free_fill() -> rx.Component:
    return text(
        "Who was on our waitlist before their area opened gets the first fill free: no "
        "convenience fee, and fuel",
        rx.cond(
            TermsState.free_fill_cap != "",
            rx.fragment(" up to ", TermsState.free_fill_cap),
            " up to the amount shown with the offer",
        ),
        ". It is good once for each person, license plate and phone number.",
    )


_PLANS = (
    "A plan begins when you press the button that says its price, and renews each month until you "
    "cancel. You cancel as easily as you signed up; the plan then ends with the month that is "
    "paid. Fills beyond your plan cost a fee that we say before you book."
)

_MESSAGES = (
    (
        "Only if you agree",
        "We text you after you have ticked the box for it and confirmed your phone by a code. "
        "You need not agree in order to be our customer.",
    ),
    (
        "What we send",
        "News of your fills, and codes when you sign in. Offers come only if you switch them on, "
        "between 8 AM and 8 PM, at most three a day.",
    ),
    (
        "How to stop",
        "Reply STOP at any time, START to begin again, HELP for help. Message and data rates of "
        "your carrier may apply.",
    ),
)


def _account() -> rx.Component:
    return text(
        "You are at least 18, what you tell us about yourself is true, and you keep your password "
        "to yourself. What we do with your data is in our ",
        page_link(
            "privacy policy",
            routes.PRIVACY,
            routes.TERMS,
            "font-semibold text-gulf-deep underline underline-offset-4",
        ),
        ".",
    )


_TERMS_CHANGES = (
    "When we change these terms, we change the version and the date at the top, and write to you "
    "before they take effect. For a fill that is booked, the terms hold that you accepted."
)
