"""Switches of messages and channels, and the consent that text messages need."""

from collections.abc import Iterable

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.customer import CONSENT, CustomerState
from fuel_app.customers.ui.page import is_known
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import panel
from fuel_app.kit.ui.fields import switch
from fuel_app.messages.rules.delivery import WORDING
from fuel_app.messages.rules.kinds import COMING_LATER

_CHANNELS = (
    ("email", "Email notifications", "Messages to your e-mail address"),
    ("sms", "SMS notifications", "Text messages to your phone"),
)


def preferences() -> rx.Component:
    """Return Notification Preferences: the two channels that Account Settings shows."""
    return notification_switches("Notification Preferences", _CHANNELS, form="preferences")


def notification_switches(
    title: str, entries: Iterable[tuple[str, str, str]], *, form: str
) -> rx.Component:
    """Return a card of switches from (setting, label, description)."""
    return panel(
        title,
        rx.el.div(
            *[_line(*entry, form) for entry in entries],
            class_name="-mx-2 mt-3 flex flex-col gap-1",
        ),
    )


def _line(name: str, label: str, text: str, form: str) -> rx.Component:
    comes_later = CustomerState.is_own & (name in COMING_LATER)
    return rx.fragment(
        switch(
            label,
            rx.cond(comes_later, "Coming later", text),
            form=form,
            name=name,
            on=is_known() & ~comes_later & CustomerState.notifications[name],
            disabled=~is_known() | comes_later,
            on_click=CustomerState.toggle_notification(name),
        ),
        _consent() if name == "sms" else rx.fragment(),
    )


def _consent() -> rx.Component:
    """Return what text messages need before they can be turned on."""
    return rx.el.div(
        rx.cond(
            CustomerState.consent_needed,
            rx.cond(
                CustomerState.phone_verified,
                rx.el.div(
                    rx.el.p(WORDING, class_name="text-base text-ink"),
                    button(
                        "Agree and turn on",
                        id=CONSENT,
                        on_click=CustomerState.agree_to_texts,
                        class_name="mt-3",
                    ),
                    class_name="mx-2 mb-2 rounded-control bg-seafoam p-4",
                ),
                rx.el.p(
                    "Verify your phone and agree to text messages first: ",
                    rx.el.a(
                        "Privacy & Security", id=CONSENT, href=routes.SECURITY, class_name="link"
                    ),
                    class_name="mx-2 mb-2 rounded-control bg-seafoam p-4 text-base text-ink",
                ),
            ),
        ),
        role="status",
    )
