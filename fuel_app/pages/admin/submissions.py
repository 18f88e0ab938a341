"""The staff's leads and quote requests."""

import reflex as rx

from fuel_app import routes
from fuel_app.components.admin_layout import admin_layout


def submissions() -> rx.Component:
    return admin_layout(
        rx.el.h1("Submissions", class_name="text-2xl font-bold text-ink sm:text-[32px]"),
        current=routes.SUBMISSIONS,
    )
