"""The pages of the settings, and of the customers as the staff see them; before, the sample."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.layout import admin_layout
from fuel_app.accounts.ui.people import people
from fuel_app.areas.ui import fuel_prices
from fuel_app.dispatch.ui.trucks import truck_list
from fuel_app.kit.ui.address import address_mirror, once_arrived
from fuel_app.kit.ui.cards import preview_label
from fuel_app.kit.ui.script import TITLE
from fuel_app.launch.ui.areas import area_hours, areas_list, hours_button
from fuel_app.messages.ui import messages_list
from fuel_app.office.state.customers import OPEN, SAMPLE, CustomerDashboardState
from fuel_app.office.ui.customers import NOTE, customer, customer_list, sample
from fuel_app.office.ui.settings import (
    business_figures,
    money,
    on_ask,
    settings_screen,
    shifts_ahead,
)


def customer_dashboard() -> rx.Component:
    return admin_layout(
        rx.el.div(
            rx.el.h1("Customer Dashboard", class_name=TITLE),
            rx.cond(CustomerDashboardState.shows == SAMPLE, preview_label()),
            class_name="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1",
        ),
        once_arrived(CustomerDashboardState, _known(), until=_unknown()),
        address_mirror(CustomerDashboardState),
        current=routes.CUSTOMER_DASHBOARD,
    )


def _known() -> rx.Component:
    one = rx.cond(CustomerDashboardState.question.customer != "", customer(), customer_list())
    return rx.match(CustomerDashboardState.shows, (SAMPLE, sample()), (OPEN, one), _unknown())


def _unknown() -> rx.Component:
    """Return what stands there until it is known what to show."""
    return rx.el.p(
        rx.cond(
            CustomerDashboardState.failed,
            "Customers cannot be read just now. Please reload the page.",
            "Loading customers...",
        ),
        role="status",
        class_name=NOTE,
    )


def settings_areas() -> rx.Component:
    parts = areas_list(hours_button), area_hours()
    return settings_screen(*parts, title="Areas", current=routes.SETTINGS_AREAS, undo=True)


def settings_business() -> rx.Component:
    return settings_screen(
        business_figures(), title="Business", current=routes.SETTINGS_BUSINESS, undo=True
    )


def settings_messages() -> rx.Component:
    return settings_screen(messages_list(), title="Messages", current=routes.SETTINGS_MESSAGES)


def settings_money() -> rx.Component:
    return settings_screen(money(), title="Money", current=routes.SETTINGS_MONEY)


def settings_people() -> rx.Component:
    team = people(shifts_ahead(), on_ask)
    return settings_screen(team, title="People", current=routes.SETTINGS_PEOPLE)


def settings_prices() -> rx.Component:
    return settings_screen(fuel_prices(), title="Prices", current=routes.SETTINGS_PRICES)


def settings_trucks() -> rx.Component:
    return settings_screen(truck_list(), title="Trucks", current=routes.SETTINGS_TRUCKS, undo=True)
