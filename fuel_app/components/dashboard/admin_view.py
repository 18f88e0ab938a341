"""The admin view of the dashboard."""

import reflex as rx

from fuel_app.components.customer_page import H1


def admin_view() -> rx.Component:
    return rx.fragment(
        rx.el.h1("Admin Dashboard", class_name=H1),
    )
