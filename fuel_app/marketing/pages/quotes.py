"""The pages that offer a quote: fuel for fleets where they park, and for employees at work."""

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
from fuel_app.quotes.ui import (
    business_quote_button,
    business_quote_modal,
    fleet_quote_button,
    fleet_quote_modal,
)


def fleet() -> rx.Component:
    return public_page(
        _fleet_hero(),
        section(
            icon_cards(_FLEET_BENEFITS, "sm:grid-cols-2 lg:grid-cols-4"),
            title="What a fuel stop costs besides fuel",
            lead="Time, miles and paperwork. We give them back to you.",
            name="benefits",
        ),
        section(icon_cards(_FLEET_TYPES), title="Fleets we fill", name="fleets", white=True),
        section(
            icon_list(_FLEET_FEATURES, "sm:grid-cols-2 lg:grid-cols-3"),
            title="Made for more than one vehicle",
            name="features",
        ),
        section(
            steps(_FLEET_STEPS, "grid lg:grid-cols-3"),
            title="How It Works",
            name="how-it-works",
            white=True,
        ),
        closing(
            "Find out what it costs for your fleet",
            "Tell us what you drive, where it parks and how often it needs fuel. We will contact "
            "you within one business day. Asking costs nothing.",
            fleet_quote_button(),
        ),
        fleet_quote_modal(),
        current=routes.FLEET,
        actions=fleet_quote_button(class_name="max-sm:hidden"),
    )


def _fleet_hero() -> rx.Component:
    return hero(
        "Your fleet starts the day full",
        "We bring gasoline and diesel to your yard in Sarasota or Bradenton and fill your vehicles "
        "where they park. Your drivers leave for their first job, not for a gas station.",
        eyebrow="Fuel delivery for fleets",
        actions=quote_actions(fleet_quote_button(class_name="px-7 text-lg")),
        art="/art/fleet.svg",
        alt="A service truck fills a van in front of a depot with more vans",
    )


_FLEET_BENEFITS = (
    (
        "clock",
        "Paid hours go to work",
        "No driver waits in line at a pump. The tank is full before the shift begins.",
    ),
    (
        "route",
        "No detours for fuel",
        "Every trip to a station is miles and wear that no customer pays for. We make the trip.",
    ),
    (
        "receipt-text",
        "No receipts to collect",
        "You see which vehicle took how many gallons, without cards and slips from every driver.",
    ),
    (
        "calendar-clock",
        "A rhythm that fits yours",
        "Daily, weekly, bi-weekly, monthly or as needed. You set how often we come.",
    ),
)


_FLEET_TYPES = (
    (
        "wrench",
        "Service vans",
        "Plumbers, electricians, pool and lawn crews: filled at the shop, or where each van spends "
        "the night.",
    ),
    (
        "package",
        "Delivery vehicles",
        "Vans and box trucks with an early round: filled between the last drop and the first load.",
    ),
    (
        "truck",
        "Work trucks",
        "Pickups, flatbeds and dump trucks, gasoline or diesel: filled in the yard or at the job "
        "site.",
    ),
)


_FLEET_FEATURES = (
    ("fuel", "Gasoline and diesel", "Tell us what each vehicle takes. We bring both."),
    ("moon", "Fills while you are closed", "Overnight or between shifts, when vehicles stand."),
    ("calendar-check", "A standing schedule", "Agreed once, then it runs. Change it as you go."),
    ("clipboard-list", "A record of every fill", "Vehicle, date, gallons and price in one list."),
    ("file-text", "One bill", "All vehicles and all fills together, whoever was driving."),
    ("shield-check", "Your site, your rules", "Gates, bays and safety rules go into the plan."),
)


_FLEET_STEPS = (
    ("Request your quote", "Your vehicles, their fuel, where they park and how often we come."),
    ("Agree on a plan", "We contact you within one business day and settle times and price."),
    ("We fuel on site", "Our technician fills every vehicle, and you get the record."),
)


def business() -> rx.Component:
    return public_page(
        _business_hero(),
        section(
            icon_cards(_BUSINESS_BENEFITS, "sm:grid-cols-2 lg:grid-cols-4"),
            title="Why offer fuel at work?",
            lead="Most people who drive to work buy gas on their own time.",
            name="benefits",
        ),
        section(
            icon_list(_BUSINESS_FEATURES, "sm:grid-cols-2 lg:grid-cols-4"),
            title="What the program includes",
            name="features",
            white=True,
        ),
        section(
            steps(_BUSINESS_STEPS, "grid lg:grid-cols-3"), title="How It Works", name="how-it-works"
        ),
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


def _business_hero() -> rx.Component:
    return hero(
        "A benefit your team can drive home",
        "We come to your parking lot in Sarasota or Bradenton and fill your employees' cars while "
        "they work. They leave with a full tank and go straight home.",
        eyebrow="Fuel as an employee benefit",
        actions=quote_actions(business_quote_button(class_name="px-7 text-lg")),
        art="/art/business.svg",
        alt="A service truck fills a car in the parking lot of an office building",
    )


_BUSINESS_BENEFITS = (
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


_BUSINESS_FEATURES = (
    ("calendar-check", "Fill days at your site", "Agreed days on which we are in your lot."),
    ("house", "Fill-ups at home", "For people who work from home or in the field."),
    ("smartphone", "Online scheduling", "Each person picks a two-hour window."),
    ("hand-coins", "You choose what you pay", "The service alone, or the fuel as well."),
    ("file-text", "One bill", "All employees and all fills together."),
    ("chart-column", "Fuel tracking", "Gallons and spending, month by month."),
    ("badge-check", "Trained technicians", "They look after the cars and your lot."),
    ("user-plus", "Grows with your team", "Add people who join, drop those who leave."),
)


_BUSINESS_STEPS = (
    ("Tell us about your company", "How many people, your industry and where they park."),
    ("Get your quote", "We contact you within one business day and plan the program with you."),
    ("Your team parks, we fill", "People book online, and their cars are full by closing time."),
)
