"""The page of the business figures."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.ui.undo import undo_bar
from fuel_app.office.ui.business import business_figures
from fuel_app.office.ui.settings import settings_screen


def settings_business() -> rx.Component:
    return rx.fragment(
        settings_screen(business_figures(), title="Business", current=routes.SETTINGS_BUSINESS),
        undo_bar(),
    )
