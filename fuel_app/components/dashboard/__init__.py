"""The dashboard's two views."""

from fuel_app.dashboard.ui.admin import admin_view
from fuel_app.dashboard.ui.customer import customer_view

__all__ = ["admin_view", "customer_view"]
