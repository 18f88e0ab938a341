"""The dashboard's two views."""

from fuel_app.components.dashboard.admin_view import admin_view
from fuel_app.components.dashboard.customer_view import customer_view

__all__ = ["admin_view", "customer_view"]
