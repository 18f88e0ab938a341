"""The cards of Account Settings."""

from fuel_app.components.account.ending import ending
from fuel_app.components.account.personal import personal
from fuel_app.components.account.preferences import preferences
from fuel_app.components.account.vehicles import vehicles

__all__ = ["ending", "personal", "preferences", "vehicles"]
