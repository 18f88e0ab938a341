"""Account Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.components.account import ending, personal, preferences, vehicles
from fuel_app.components.customer_page import settings_page


def account() -> rx.Component:
    return settings_page(
        "Account Settings",
        vehicles(),
        personal(),
        preferences(),
        ending(),
        current=routes.ACCOUNT,
    )
