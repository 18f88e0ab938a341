"""The page of the messages."""

import reflex as rx

from fuel_app import routes
from fuel_app.messages.ui import messages_list
from fuel_app.office.ui.settings import settings_screen


def settings_messages() -> rx.Component:
    return settings_screen(messages_list(), title="Messages", current=routes.SETTINGS_MESSAGES)
