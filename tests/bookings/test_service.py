"""What the wizards begin with before launch."""

from dataclasses import asdict

from fuel_app.bookings import preview as slot_sample
from fuel_app.bookings import service as bookings
from fuel_app.customers.rules.sign_up import SIGNUP_CLEANERS, Contact
from fuel_app.customers.service import sign_up as suggestions


async def test_the_six_sample_windows_are_open():
    assert await bookings.open_slots() == slot_sample.SLOTS
    assert len(slot_sample.SLOTS) == 6


async def test_the_sample_contact_passes_the_forms_own_rules():
    suggested = await suggestions.suggested_contact()
    form = asdict(suggested) | {"password": await suggestions.suggested_password()}
    assert Contact.parse(form, SIGNUP_CLEANERS) == suggested


async def test_the_sample_vehicle_has_a_tank():
    assert (await suggestions.suggested_vehicle()).estimated_tank_size > 0
