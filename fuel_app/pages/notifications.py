"""Notification Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.components.customer_page import settings_page
from fuel_app.components.panel import panel
from fuel_app.components.switch import SWITCHES, switch
from fuel_app.domain.notifications import GROUPS
from fuel_app.states.customer import CustomerState


def notifications() -> rx.Component:
    return settings_page(
        "Notification Settings",
        *[
            panel(
                title,
                rx.el.div(
                    *[
                        switch(
                            label,
                            text,
                            form="notifications",
                            name=name,
                            on=CustomerState.notifications[name],
                            on_click=CustomerState.toggle_notification(name),
                        )
                        for name, label, text in entries
                    ],
                    class_name=SWITCHES,
                ),
            )
            for title, entries in GROUPS.items()
        ],
        current=routes.NOTIFICATIONS,
    )
