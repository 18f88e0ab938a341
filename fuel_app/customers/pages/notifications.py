"""Notification Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.customers.rules.notifications import GROUPS
from fuel_app.customers.ui.account import notification_switches
from fuel_app.customers.ui.page import settings_page


def notifications() -> rx.Component:
    return settings_page(
        "Notification Settings",
        *[
            notification_switches(title, entries, form="notifications")
            for title, entries in GROUPS.items()
        ],
        current=routes.NOTIFICATIONS,
    )
