"""The business page: fuel at work as an employee benefit."""

import reflex as rx

from fuel_app import routes
from fuel_app.kit.ui.frame import HEADER_BUTTON
from fuel_app.marketing.ui import (
    closing,
    hero,
    icon_cards,
    icon_list,
    public_page,
    quote_actions,
    section,
    steps,
)
from fuel_app.quotes.ui import business_quote_button, business_quote_modal


def business() -> rx.Component:
    return public_page(
        _hero(),
        section(
            icon_cards(_BENEFITS, "sm:grid-cols-2 lg:grid-cols-4"),
            title="Why offer fuel at work?",
            lead="Most people who drive to work buy gas on their own time.",
            name="benefits",
        ),
        section(
            icon_list(_FEATURES, "sm:grid-cols-2 lg:grid-cols-4"),
            title="What the program includes",
            name="features",
            white=True,
        ),
        section(steps(_STEPS, "grid lg:grid-cols-3"), title="How It Works", name="how-it-works"),
        closing(
            "Give your team the stop they would rather skip",
            "Tell us how many people you employ and where they park. We will contact you within "
            "one business day. Asking costs nothing.",
            business_quote_button(),
        ),
        business_quote_modal(),
        current=routes.BUSINESS,
        actions=business_quote_button(class_name=HEADER_BUTTON),
    )


def _hero() -> rx.Component:
    return hero(
        "A benefit your team can drive home",
        "We come to your parking lot in Sarasota or Bradenton and fill your employees' cars while "
        "they work. They leave with a full tank and go straight home.",
        eyebrow="Fuel as an employee benefit",
        actions=quote_actions(business_quote_button(class_name="px-7 text-lg")),
        art="/art/business.svg",
        alt="A service truck fills a car in the parking lot of an office building",
    )


_BENEFITS = (
    (
        "heart-handshake",
        "People want to stay",
        "A benefit that saves them a chore, and that they notice on every drive home.",
    ),
    (
        "users",
        "Good for every role",
        "Front desk, warehouse or office: whoever drives to work can use it.",
    ),
    (
        "clock",
        "Everyone gets time back",
        "No one leaves early or comes in late because the tank was empty.",
    ),
    (
        "feather",
        "Little work for you",
        "You name the days and the parking lot. We look after sign-up and the fills.",
    ),
)


_FEATURES = (
    ("calendar-check", "Fill days at your site", "Agreed days on which we are in your lot."),
    ("house", "Fill-ups at home", "For people who work from home or in the field."),
    ("smartphone", "Online scheduling", "Each person picks a two-hour window."),
    ("hand-coins", "You choose what you pay", "The service alone, or the fuel as well."),
    ("file-text", "One bill", "All employees and all fills together."),
    ("chart-column", "Fuel tracking", "Gallons and spending, month by month."),
    ("badge-check", "Trained technicians", "They look after the cars and your lot."),
    ("user-plus", "Grows with your team", "Add people who join, drop those who leave."),
)


_STEPS = (
    ("Tell us about your company", "How many people, your industry and where they park."),
    ("Get your quote", "We contact you within one business day and plan the program with you."),
    ("Your team parks, we fill", "People book online, and their cars are full by closing time."),
)
