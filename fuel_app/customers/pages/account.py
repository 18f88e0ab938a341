"""Account Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.customers.ui.account import ending, personal, preferences
from fuel_app.customers.ui.page import settings_page
from fuel_app.customers.ui.vehicles import vehicles


def account() -> rx.Component:
    return settings_page(
        "Account Settings",
        vehicles(),
        personal(),
        preferences(),
        ending(),
        current=routes.ACCOUNT,
    )
