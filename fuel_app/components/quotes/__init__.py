"""The quote modals, and the buttons that open them."""

from fuel_app.quotes.ui import (
    business_quote_button,
    business_quote_modal,
    fleet_quote_button,
    fleet_quote_modal,
)

__all__ = [
    "business_quote_button",
    "business_quote_modal",
    "fleet_quote_button",
    "fleet_quote_modal",
]
