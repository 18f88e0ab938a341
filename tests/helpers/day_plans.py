"""Trucks, routes and bookings as the rules know them, and plans of them that are searched here."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import BookedFill, Booking
from fuel_app.bookings.rules.states import ALLOWANCE, BOOKED
from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.providers.offline import road_meters, seconds
from fuel_app.dispatch.rules.arrivals import ServiceTimes
from fuel_app.dispatch.rules.day import NewStop, RouteStop, Shift, Truck, TruckRoute
from fuel_app.dispatch.rules.day_plan import DayPlan, Matrix
from fuel_app.kit.money import FuelPrice, Money
from tests.helpers.bookings import CAR, PLACE

HOME = Point(27.36, -82.52)
EIGHT = datetime(2026, 11, 24, 13, tzinfo=UTC)  # in New York
GALLON = 1000  # milligallons
_numbers = count(1)
_OUTCOMES = {"completed": "filled", "failed": "not_filled"}


def after(hours: float) -> datetime:
    """Return a moment so many hours after eight o'clock."""
    return EIGHT + timedelta(hours=hours)


def a_booking(
    point: Point = HOME, hours: tuple[float, float] = (0, 2), gallons: int = 12, **differs: Any
) -> Booking:
    """Return a booking at a point, in a window from and to so many hours after eight o'clock."""
    number = next(_numbers)
    fill: dict[str, Any] = {
        "id": f"fill-{number}",
        "car": CAR,
        "grade": "regular",
        "price": FuelPrice(3459),
        "estimated_milligallons": GALLON * gallons,
        "pays_by": ALLOWANCE,
        "period": None,
        "fee": Money(0),
        "tax": Money(0),
        "free_cap": None,
        "free_fill_used": "",
        "fee_asked_at": None,
        "outcome": _OUTCOMES.get(differs.get("state", ""), ""),
        "reason": "",
        "filled_milligallons": None,
        "ticket": {},
        "gallons_asked_at": None,
        "total": None,
    }
    known: dict[str, Any] = {
        "id": f"booking-{number}",
        "person_id": "",
        "contact": {},
        "area_id": "area",
        "slot_id": f"slot-{hours[0]}",
        "starts_at": after(hours[0]),
        "ends_at": after(hours[1]),
        "state": BOOKED,
        "revision": 1,
        "place": replace(PLACE, lat=point.lat, lng=point.lng),
        "late_fee_agreed": Money(0),
        "late_fee": Money(0),
        "ended_by": "",
        "reason": "",
        "completed_at": None,
        "created_at": EIGHT - timedelta(days=3),
    }
    of_fill = fill.keys() - known.keys()
    fill |= {name: differs.pop(name) for name in of_fill & differs.keys()}
    if fill["filled_milligallons"] is not None:
        fill["outcome"] = "filled"
    known["fills"] = (BookedFill(**fill),)
    return Booking(**known | differs)


def a_route(
    number: int = 1,
    *stops: RouteStop,
    hours: tuple[float, float] = (0, 10),
    tanks: dict[str, int] | None = None,
    home: Point = HOME,
) -> TruckRoute:
    """Return the route of a truck's shift, 'shift-1' for 1."""
    truck = Truck(
        id=f"truck-{number}",
        name=f"Truck {number}",
        license_plate=f"FL {number}",
        tanks={"regular": 300 * GALLON, "diesel": 100 * GALLON} if tanks is None else tanks,
        meter_number=f"M-{number}",
        meter_sealed_on=date(2026, 8, 1),
        home="1 Depot Rd",
        point=home,
        is_active=True,
        revision=1,
    )
    starts, ends = map(after, hours)
    shift = Shift(f"shift-{number}", EIGHT.date(), truck, "", "Tess", starts, ends, revision=1)
    return TruckRoute(shift, stops)


def a_stop(booking: Booking | None, **differs: Any) -> RouteStop:
    """Return a stop of a route; without a booking, a refill."""
    known: dict[str, Any] = {
        "row_id": f"row-{next(_numbers)}",
        "booking": booking,
        "slot_id": booking.slot_id if booking else "",
        "customer": "Carla",
        "is_pinned": False,
        "leg_s": 600,
        "begins_at": EIGHT,
    }
    return RouteStop(**known | differs)


def a_plan(
    routes: list[TruckRoute],
    bookings: list[Booking],
    pins: dict[str, str] | None = None,
    *,
    now: datetime = EIGHT - timedelta(days=1),
    times: ServiceTimes = ServiceTimes(),  # noqa: B008 (frozen)
) -> DayPlan:
    return DayPlan(tuple(routes), tuple(bookings), pins or {}, now, times)


def drives(plan: DayPlan) -> Matrix:
    """Return the estimated seconds between the points of a plan."""
    return tuple(tuple(seconds(road_meters(a, b)) for b in plan.points) for a in plan.points)


def planned(
    plan: DayPlan, search_s: float = 0.1
) -> tuple[dict[str, list[NewStop]], dict[str, str]]:
    """Search for a plan. Return the stops of each shift, and the reasons for what is left out."""
    problem = plan.problem(drives(plan))
    solution = vrp.solve(problem, seconds=search_s)
    return plan.new_stops(problem.seconds, solution), plan.reasons(problem, solution)
