"""The launch of an area: its waitlist, the wave of noon, and a fill of who was invited."""

from datetime import datetime, time

from sqlalchemy import select
from sqlmodel import col

import fuel_app.tables  # noqa: F401 (foreign keys lead from one table to another)
from fuel_app.accounts.rules import Role
from fuel_app.areas.tables import Area
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from fuel_app.launch import jobs
from tests.helpers.launch import a_neighborhood, waits
from tests.helpers.signed_in import a_person, cookie_for
from tests.helpers.stored_bookings import a_booking

NUMBERS = {"34236": 12, "34231": 7, "34205": 9, "34202": 6, "34285": 2, "": 4}


async def fill_waitlist(admin: str) -> str:
    """Store people of some ZIPs and a neighborhood. Return the cookie of an admin of an e-mail."""
    group = await a_neighborhood("Palm Court", search_name="palm court")
    await waits(email="ida@example.com", first_name="Ida", neighborhood_id=group)
    for _ in range(7):
        await waits(neighborhood_id=group)
    for zip_code, number in NUMBERS.items():
        for _ in range(number):
            await waits(zip_code=zip_code, phone_number="")
    return await cookie_for(await a_person(Role.ADMIN, email=admin), second_factor=True)


async def send_wave() -> None:
    today = clock.day_of(clock.now())
    await jobs.send_due(datetime.combine(today, time(12), clock.NEW_YORK))


async def complete_fill() -> None:
    """Complete a fill of the customer who was invited."""
    async with reading() as session:
        area_id = await session.scalar(select(col(Area.id)))
        person_id = await session.scalar(select(col(StoredCustomer.person_id)))
    assert area_id
    await a_booking(area_id, person_id=person_id, state="completed")
