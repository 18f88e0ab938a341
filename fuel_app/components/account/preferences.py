"""The switches of what a customer wants to be told, and how."""

from collections.abc import Iterable

import reflex as rx

from fuel_app.kit.ui.cards import panel
from fuel_app.kit.ui.fields import switch
from fuel_app.states.customer import CustomerState

_CHANNELS = (
    ("email", "Email notifications", "Messages to your e-mail address"),
    ("sms", "SMS notifications", "Text messages to your phone"),
)


def preferences() -> rx.Component:
    """Notification Preferences: the two channels that Account Settings shows."""
    return notification_switches("Notification Preferences", _CHANNELS, form="preferences")


def notification_switches(
    title: str, entries: Iterable[tuple[str, str, str]], *, form: str
) -> rx.Component:
    """A card of switches: each a name in the customer's notifications, a label and a line on it."""
    return panel(
        title,
        rx.el.div(
            *[
                switch(
                    label,
                    text,
                    form=form,
                    name=name,
                    on=CustomerState.notifications[name],
                    on_click=CustomerState.toggle_notification(name),
                )
                for name, label, text in entries
            ],
            class_name="-mx-2 mt-3 flex flex-col gap-1",
        ),
    )
