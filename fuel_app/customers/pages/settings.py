"""Account Settings, Notification Settings and Privacy & Security."""

import reflex as rx

from fuel_app import routes
from fuel_app.customers.rules.profile import GROUPS
from fuel_app.customers.state.account import METHODS, SecurityState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.account import ending, notification_switches, personal, preferences
from fuel_app.customers.ui.page import settings_page
from fuel_app.customers.ui.vehicles import vehicles
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, arriving, badge, panel
from fuel_app.kit.ui.stacked_table import Column, stacked_table


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
