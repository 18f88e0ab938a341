"""The page of the people of the staff."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.people import people
from fuel_app.office.ui.settings import settings_screen


def settings_people() -> rx.Component:
    return settings_screen(people(), title="People", current=routes.SETTINGS_PEOPLE)
