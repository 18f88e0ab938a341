"""Figures of plans that staff can change."""

from fuel_app.kit.figures import figure

FILLS_LIMIT = figure(
    "fills_limit",
    "Fills added for a customer in 24 hours without an admin, at most",
    unit="fills",
    default=2,
    least=0,
    most=20,
)
