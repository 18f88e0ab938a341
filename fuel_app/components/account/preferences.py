"""Notification Preferences: the two channels that Account Settings shows."""

import reflex as rx

from fuel_app.components.panel import panel
from fuel_app.components.switch import SWITCHES, switch
from fuel_app.states.customer import CustomerState

_CHANNELS = (
    ("email", "Email notifications", "Messages to your e-mail address"),
    ("sms", "SMS notifications", "Text messages to your phone"),
)


def preferences() -> rx.Component:
    return panel(
        "Notification Preferences",
        rx.el.div(
            *[
                switch(
                    label,
                    text,
                    form="preferences",
                    name=name,
                    on=CustomerState.notifications[name],
                    on_click=CustomerState.toggle_notification(name),
                )
                for name, label, text in _CHANNELS
            ],
            class_name=SWITCHES,
        ),
    )
