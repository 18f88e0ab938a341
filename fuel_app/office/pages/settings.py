"""The pages of the settings."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.people import people
from fuel_app.areas.ui import fuel_prices
from fuel_app.dispatch.ui.trucks import truck_list
from fuel_app.launch.ui.areas import area_hours, areas_list, hours_button
from fuel_app.messages.ui import messages_list
from fuel_app.office.ui.business import business_figures
from fuel_app.office.ui.money import money
from fuel_app.office.ui.people import on_ask, shifts_ahead
from fuel_app.office.ui.settings import settings_screen


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
