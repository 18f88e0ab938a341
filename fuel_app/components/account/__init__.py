"""The cards of Account Settings."""

from fuel_app.customers.ui.account import ending, personal, preferences
from fuel_app.customers.ui.vehicles import vehicles

__all__ = ["ending", "personal", "preferences", "vehicles"]
