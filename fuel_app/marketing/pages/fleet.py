"""The fleet page: fuel for company vehicles where they park."""

import reflex as rx

from fuel_app import routes
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
from fuel_app.quotes.ui import fleet_quote_button, fleet_quote_modal


def fleet() -> rx.Component:
    return public_page(
        _hero(),
        section(
            icon_cards(_BENEFITS, "sm:grid-cols-2 lg:grid-cols-4"),
            title="What a fuel stop costs besides fuel",
            lead="Time, miles and paperwork. We give them back to you.",
            name="benefits",
        ),
        section(icon_cards(_FLEET_TYPES), title="Fleets we fill", name="fleets", white=True),
        section(
            icon_list(_FEATURES, "sm:grid-cols-2 lg:grid-cols-3"),
            title="Made for more than one vehicle",
            name="features",
        ),
        section(
            steps(_STEPS, "grid lg:grid-cols-3"),
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


def _hero() -> rx.Component:
    return hero(
        "Your fleet starts the day full",
        "We bring gasoline and diesel to your yard in Sarasota or Bradenton and fill your vehicles "
        "where they park. Your drivers leave for their first job, not for a gas station.",
        eyebrow="Fuel delivery for fleets",
        actions=quote_actions(fleet_quote_button(class_name="px-7 text-lg")),
        art="/art/fleet.svg",
        alt="A service truck fills a van in front of a depot with more vans",
    )


_BENEFITS = (
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


_FEATURES = (
    ("fuel", "Gasoline and diesel", "Tell us what each vehicle takes. We bring both."),
    ("moon", "Fills while you are closed", "Overnight or between shifts, when vehicles stand."),
    ("calendar-check", "A standing schedule", "Agreed once, then it runs. Change it as you go."),
    ("clipboard-list", "A record of every fill", "Vehicle, date, gallons and price in one list."),
    ("file-text", "One bill", "All vehicles and all fills together, whoever was driving."),
    ("shield-check", "Your site, your rules", "Gates, bays and safety rules go into the plan."),
)


_STEPS = (
    ("Request your quote", "Your vehicles, their fuel, where they park and how often we come."),
    ("Agree on a plan", "We contact you within one business day and settle times and price."),
    ("We fuel on site", "Our technician fills every vehicle, and you get the record."),
)
