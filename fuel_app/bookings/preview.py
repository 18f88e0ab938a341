"""The preview's sample windows, as specified."""

from datetime import date

from fuel_app.bookings.rules.slots import by_day, slots_on

DAYS = by_day(slots_on([date(2024, 3, 15), date(2024, 3, 16)]))
