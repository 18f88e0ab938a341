"""A truck as it is typed, and as the rules know it."""

from datetime import date

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.rules.day import Truck

TYPED_TRUCK = {
    "name": "Truck 1",
    "license_plate": "FL 1",
    "regular": "150",
    "plus": "",
    "premium": "",
    "diesel": "100",
    "meter_number": "M-1",
    "meter_sealed_on": "2026-05-01",
    "home": "100 Depot Rd, Sarasota, FL 34236",
}
TRUCK = Truck(
    id="t1",
    name="Truck 1",
    license_plate="FL 1",
    tanks={"regular": 150_000, "diesel": 100_000},
    meter_number="M-1",
    meter_sealed_on=date(2026, 5, 1),
    home="100 Depot Rd, Sarasota, FL 34236",
    point=Point(27.33, -82.53),
    is_active=True,
    revision=1,
)
