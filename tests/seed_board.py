"""Days to plan: each from tomorrow on has two trucks on shift and six bookings."""

from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import fuel_app.fuel_app  # noqa: F401 (every table)
from fuel_app.accounts.rules import Role
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.tables import StoredTruck
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from tests.helpers.dispatch import HOME_LAT, HOME_LNG, a_shift, a_technician
from tests.helpers.open_area import open_area
from tests.helpers.signed_in import a_person, cookie_for
from tests.helpers.stored_bookings import GUEST, PLACE, a_booking

TODAY = clock.day_of(clock.now())
NAMES = ("Ada", "Alan", "Grace", "Edsger", "Barbara", "Donald")


async def seed(days: int) -> dict[str, Any]:
    """Return the cookies of two dispatchers, and the days."""
    area_id = await open_area()
    trucks = [(await _truck(name), await a_technician()) for name in ("North", "South")]
    planned = [TODAY + timedelta(days=ahead) for ahead in range(1, days + 1)]
    for ahead, day in enumerate(planned, start=1):
        for truck, technician in trucks:
            await a_shift(truck, technician, day)
        for number, name in enumerate(NAMES):
            await _booking(area_id, ahead, number, name)
    people = [await a_person(Role.DISPATCHER) for _ in range(2)]
    return {
        "dispatchers": [await cookie_for(each) for each in people],
        "days": [day.isoformat() for day in planned],
    }


async def _truck(name: str) -> StoredTruck:
    truck = StoredTruck(
        name=name,
        license_plate=f"TRK {name}",
        tanks={"regular": 300_000},
        meter_number=f"M-{name}",
        meter_sealed_on=TODAY - timedelta(days=100),
        home="1 Depot Rd, Sarasota, FL 34236",
        home_lat=HOME_LAT,
        home_lng=HOME_LNG,
    )
    async with transaction() as session:
        session.add(truck)
    return truck


async def _booking(area_id: str, ahead: int, number: int, name: str) -> StoredBooking:
    place = replace(PLACE, street=f"{number + 1}00 Palm Ave", lat=27.3 + number / 50)
    return await a_booking(
        area_id,
        days=ahead,
        opens=8 + 2 * number,
        contact=GUEST | {"first_name": name},
        place=asdict(place),
    )
