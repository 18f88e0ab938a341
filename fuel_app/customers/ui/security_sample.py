"""Cards of Privacy & Security before launch: the sample's, and nothing follows from them."""

import reflex as rx

from fuel_app.accounts.rules.passwords import PASSWORD_RULE
from fuel_app.customers.state.account import SecurityState
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.factors import SECOND_STEP, methods
from fuel_app.kit.ui.button import button
from fuel_app.kit.ui.cards import TEXT, arriving, badge, panel
from fuel_app.kit.ui.stacked_table import Column, stacked_table


def sample_security() -> rx.Component:
    return rx.fragment(_password(), _second_factor(), _history())


def _password() -> rx.Component:
    return panel(
        "Password",
        rx.el.p(PASSWORD_RULE, class_name=f"mt-3 {TEXT}"),
        rx.el.p("Changing it opens with our service.", class_name=TEXT),
        lead=arriving(CustomerState.card.password_age, "w-48"),
        # Before launch it does nothing, as specified.
        action=button("Change", rx.el.span("password", class_name="sr-only"), kind="secondary"),
    )


def _second_factor() -> rx.Component:
    return panel(
        "Two-Factor Authentication",
        rx.cond(
            SecurityState.setting_up,
            rx.el.div(
                methods(SecurityState.method, SecurityState.choose),
                rx.el.p(
                    "Codes open with our service. Until then your choice is not used.",
                    class_name=f"mt-3 {TEXT}",
                ),
                class_name="mt-4",
            ),
        ),
        lead=SECOND_STEP,
        action=button(
            "Setup",
            kind="secondary",
            aria_expanded=SecurityState.setting_up,
            on_click=SecurityState.set_up,
        ),
    )


def _history() -> rx.Component:
    return panel(
        "Login History",
        stacked_table(
            CustomerState.card.sign_ins,
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
            loading=CustomerState.card.password_age == "",
        ),
    )
