"""Business figures of the launch."""

from fuel_app.kit.figures import figure

INVITATIONS_PER_DAY = figure(
    "invitations_per_day",
    "Invitations a day and area",
    unit="invitations",
    default=100,
    least=1,
    most=5000,
)
