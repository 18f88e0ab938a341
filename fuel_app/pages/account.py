"""Account Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.components.account.ending import ending
from fuel_app.components.account.personal import personal
from fuel_app.components.account.preferences import preferences
from fuel_app.components.account.vehicles import vehicles
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
