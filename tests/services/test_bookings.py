"""What the wizards begin with before launch."""

from dataclasses import asdict

from fuel_app.domain import samples
from fuel_app.domain.signup import SIGNUP_CLEANERS, Contact
from fuel_app.services import bookings


async def test_the_six_sample_windows_are_open():
    assert await bookings.open_slots() == samples.SLOTS
    assert len(samples.SLOTS) == 6


async def test_the_sample_contact_passes_the_forms_own_rules():
    suggested = await bookings.suggested_contact()
    form = asdict(suggested) | {"password": await bookings.suggested_password()}
    assert Contact.parse(form, SIGNUP_CLEANERS) == suggested


async def test_the_sample_vehicle_has_a_tank():
    assert (await bookings.suggested_vehicle()).estimated_tank_size > 0
