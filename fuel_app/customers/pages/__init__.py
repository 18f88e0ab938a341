"""The customer's settings, and Help & Support."""

import re
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.account import METHODS, SecurityState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.account import (
    ending,
    notification_switches,
    personal,
    preferences,
    vehicles,
)
from fuel_app.customers.ui.page import settings_page
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import H2, TEXT, arriving, badge, card, email_text, panel
from fuel_app.kit.ui.questions import questions
from fuel_app.kit.ui.stacked_table import Column, stacked_table
from fuel_app.messages.rules.preferences import GROUPS
from fuel_app.settings import settings


def account() -> rx.Component:
    return settings_page(
        "Account Settings",
        vehicles(),
        personal(),
        preferences(),
        ending(),
        current=routes.ACCOUNT,
    )


def notifications() -> rx.Component:
    return settings_page(
        "Notification Settings",
        *[
            notification_switches(title, entries, form="notifications")
            for title, entries in GROUPS.items()
        ],
        current=routes.NOTIFICATIONS,
    )


def security() -> rx.Component:
    return settings_page(
        "Privacy & Security",
        _password(),
        _second_factor(),
        _history(),
        current=routes.SECURITY,
    )


def _password() -> rx.Component:
    return panel(
        "Password",
        rx.el.p("Minimum 8 characters with numbers and symbols", class_name=f"mt-3 {TEXT}"),
        rx.el.p("Changing it opens with our service.", class_name=TEXT),
        lead=arriving(CustomerState.security.password_age, "w-48"),
        # Before launch it does nothing, as specified.
        action=button("Change", rx.el.span("password", class_name="sr-only"), kind="secondary"),
    )


def _second_factor() -> rx.Component:
    return panel(
        "Two-Factor Authentication",
        rx.cond(
            SecurityState.setting_up,
            rx.el.fieldset(
                rx.el.legend(
                    "How would you like to get your codes?",
                    class_name="mb-2 text-base font-semibold text-ink",
                ),
                rx.el.div(
                    *[_method(*method) for method in METHODS],
                    class_name="grid gap-3 sm:grid-cols-2",
                ),
                rx.el.p(
                    "Codes open with our service. Until then your choice is not used.",
                    class_name=f"mt-3 {TEXT}",
                ),
                class_name="mt-4",
            ),
        ),
        lead="A code beside your password, so that a password alone opens nothing",
        action=button(
            "Setup",
            kind="secondary",
            aria_expanded=SecurityState.setting_up,
            on_click=SecurityState.set_up,
        ),
    )


def _method(value: str, text: str) -> rx.Component:
    return rx.el.label(
        rx.el.input(
            type="radio",
            name="second-factor",
            value=value,
            checked=SecurityState.method == value,
            on_change=SecurityState.choose(value),
            class_name="h-5 w-5 shrink-0 accent-gulf",
        ),
        rx.el.span(text),
        class_name="flex min-h-11 cursor-pointer items-center gap-3 rounded-control border "
        "border-[#8FA3AB] px-3 text-base text-ink hover:border-muted has-[:checked]:border-gulf "
        "has-[:checked]:bg-seafoam",
    )


def _history() -> rx.Component:
    return panel(
        "Login History",
        stacked_table(
            CustomerState.security.sign_ins,
            (
                Column("Device", lambda row: row.device),
                Column("Location", lambda row: row.place),
                Column("Time", lambda row: row.moment),
                Column(
                    "Status",
                    lambda row: rx.cond(
                        row.current, badge("Current session", "green"), badge("Logged out")
                    ),
                ),
            ),
            caption="Login History",
            loading=CustomerState.security.password_age == "",
        ),
    )


_TOPICS = (
    ("calendar-plus", "How to Schedule a Fill-Up", "Vehicle, place and time", routes.SCHEDULE),
    ("credit-card", "Billing & Payments", "Your plan, card and invoices", routes.BILLING),
    ("car", "Vehicle Requirements", "Makes and models that we fill", routes.ACCOUNT),
    ("shield", "Safety & Security", "Your password and sign-ins", routes.SECURITY),
)
_QUESTIONS = (
    (
        "How does the service work?",
        "You tell us where your car is parked and choose a time. A technician comes and fills "
        "the tank.",
    ),
    (
        "Can I reschedule a fill-up?",
        "Yes, up to 2 hours before the scheduled time.",
    ),
    (
        "How do I update my vehicle information?",
        "In Account Settings, under Vehicles: add, edit or delete a vehicle there.",
    ),
)


def support() -> rx.Component:
    return settings_page(
        "Help & Support",
        _ways(),
        _topics(),
        panel("Frequently Asked Questions", rx.el.div(questions(_QUESTIONS), class_name="mt-3")),
        current=routes.SUPPORT,
        wide=True,
    )


def _ways() -> rx.Component:
    phone, email = settings.support_phone, settings.support_email
    return rx.el.ul(
        _way(
            "message-circle",
            "Live Chat",
            rx.el.p("Opens with our service", class_name=_LINE),
        ),
        _way("phone", "Call Us", _reach(phone, "tel:" + re.sub(r"[^0-9+]", "", phone))),
        _way("mail", "Email", _reach(email_text(email), f"mailto:{email}")),
        class_name="grid gap-4 sm:grid-cols-3",
    )


def _way(icon: str, title: str, how: rx.Component) -> rx.Component:
    return rx.el.li(
        card(
            rx.icon(icon, size=28, aria_hidden=True, class_name="shrink-0 text-gulf"),
            rx.el.div(rx.el.h2(title, class_name=H2), how, class_name="min-w-0"),
            class_name="flex h-full items-center gap-4 sm:flex-col sm:items-start",
        )
    )


def _reach(text: Any, address: str) -> rx.Component:
    return rx.el.a(text, href=address, class_name=f"{_LINE} link")


_LINE = "inline-flex min-h-11 items-center text-base text-muted"


def _topics() -> rx.Component:
    return panel(
        "Popular Topics",
        rx.el.ul(
            *[
                rx.el.li(
                    rx.el.a(
                        rx.icon(icon, size=24, aria_hidden=True, class_name="shrink-0 text-gulf"),
                        rx.el.span(
                            rx.el.span(title, class_name="block font-semibold text-ink"),
                            rx.el.span(text, class_name="block text-sm text-muted"),
                        ),
                        href=address,
                        class_name="flex h-full items-center gap-4 rounded-control border "
                        "border-line p-4 text-base hover:border-gulf hover:bg-seafoam",
                    )
                )
                for icon, title, text, address in _TOPICS
            ],
            class_name="mt-4 grid gap-3 sm:grid-cols-2",
        ),
    )
