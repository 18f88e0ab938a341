"""Account Settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.ui.account import (
    own_neighborhood,
    preferences,
    vehicles,
)
from fuel_app.customers.ui.locations import addresses
from fuel_app.customers.ui.page import is_known, loading, settings_page
from fuel_app.customers.ui.security import reauthentication_dialog
from fuel_app.membership.ui import email_dialog, ending, own_data, personal


def account() -> rx.Component:
    return settings_page(
        "Account Settings",
        rx.cond(is_known(), rx.cond(CustomerState.is_customer, vehicles()), loading()),
        rx.cond(CustomerState.is_own & CustomerState.is_customer, addresses()),
        personal(),
        own_neighborhood(),
        rx.cond(CustomerState.is_customer, preferences()),
        own_data(),
        ending(),
        email_dialog(),
        reauthentication_dialog(),
        current=routes.ACCOUNT,
    )
