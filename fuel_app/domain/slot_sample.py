"""The preview's sample slots, as specified."""

from datetime import date

from fuel_app.domain.scheduling import slots_on

SLOTS = slots_on([date(2024, 3, 15), date(2024, 3, 16)])
