"""The preview's sample slots, as specified."""

from datetime import date

from fuel_app.bookings.rules.slots import slots_on

SLOTS = slots_on([date(2024, 3, 15), date(2024, 3, 16)])
