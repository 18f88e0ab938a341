"""The quote modals, and the buttons that open them."""

from fuel_app.components.quotes.business import business_quote_button, business_quote_modal
from fuel_app.components.quotes.fleet import fleet_quote_button, fleet_quote_modal

__all__ = [
    "business_quote_button",
    "business_quote_modal",
    "fleet_quote_button",
    "fleet_quote_modal",
]
