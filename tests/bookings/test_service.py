"""What the wizards begin with before launch."""

from fuel_app.bookings import preview as slot_sample
from fuel_app.bookings import service as bookings
from fuel_app.customers.rules.sign_up import Signup
from fuel_app.customers.service import sign_up as suggestions


async def test_the_six_sample_windows_are_open():
    assert await bookings.open_slots() == slot_sample.SLOTS
    assert len(slot_sample.SLOTS) == 6


async def test_the_sample_contact_passes_the_forms_own_rules():
    suggested = await suggestions.suggested_contact()
    form = suggested.model_dump() | {"password": await suggestions.suggested_password()}
    assert Signup.parse(form).email == suggested.email


async def test_the_sample_vehicle_has_a_tank():
    assert (await suggestions.suggested_vehicle()).estimated_tank_size > 0
