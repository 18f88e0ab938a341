"""Quote requests of fleets and businesses."""

from fuel_app.domain.quotes.requests import (
    BusinessQuote,
    BusinessQuoteForm,
    FleetQuote,
    FleetQuoteForm,
)
from fuel_app.domain.quotes.rules import (
    FILL_FREQUENCIES,
    FUEL_TYPES,
    INDUSTRIES,
    LABELS,
    LOCATION_MAX,
    NOTES_MAX,
)

__all__ = [
    "FILL_FREQUENCIES",
    "FUEL_TYPES",
    "INDUSTRIES",
    "LABELS",
    "LOCATION_MAX",
    "NOTES_MAX",
    "BusinessQuote",
    "BusinessQuoteForm",
    "FleetQuote",
    "FleetQuoteForm",
]
