"""The page of the areas."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.undo import undo_bar
from fuel_app.areas.ui.areas import areas_list
from fuel_app.office.ui.settings import settings_screen


def settings_areas() -> rx.Component:
    return rx.fragment(
        settings_screen(areas_list(), title="Areas", current=routes.SETTINGS_AREAS),
        undo_bar(),
    )
