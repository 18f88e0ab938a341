"""Notification Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.components.account.preferences import notification_switches
from fuel_app.components.customer_page import settings_page
from fuel_app.domain.notifications import GROUPS


def notifications() -> rx.Component:
    return settings_page(
        "Notification Settings",
        *[
            notification_switches(title, entries, form="notifications")
            for title, entries in GROUPS.items()
        ],
        current=routes.NOTIFICATIONS,
    )
