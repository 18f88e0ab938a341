"""Hours of areas as bookings read them."""

from datetime import timedelta

import pytest

from fuel_app.areas.service import hours
from fuel_app.areas.tables import Area, AreaException, AreaWindow, AreaZip
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction

pytestmark = pytest.mark.usefixtures("database")
TODAY = clock.day_of(clock.now())


async def test_bookable_reads_the_area_of_a_zip():
    async with transaction() as s:
        area = Area(name="S", status="open")
        s.add(area)
        await s.flush()
        s.add(AreaZip(zip_code="34236", area_id=area.id))
        s.add(AreaWindow(area_id=area.id, weekday=1, opens=8, closes=10, capacity=3))
        s.add(AreaException(area_id=area.id, day=TODAY - timedelta(1), opens=-1, capacity=0))
        s.add(AreaException(area_id=area.id, day=TODAY, opens=-1, capacity=0, reason="x"))
    async with transaction() as s:
        found = await hours.bookable(s, "34236", lock=True)
        assert found == await hours.bookable_by_id(s, area.id, lock=True)
        assert await hours.bookable(s, "34237", lock=True) is None
    assert found
