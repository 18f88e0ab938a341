"""A day as it is read: its routes, the bookings that are on none; and the policies of dispatch."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, DISPATCHED, WEATHER_HOLD
from fuel_app.bookings.service import road
from fuel_app.bookings.service.access import name_of_customer, names_of
from fuel_app.dispatch import queries
from fuel_app.dispatch.providers.routing import NEAR_M
from fuel_app.dispatch.queries import ShiftRow, truck_of
from fuel_app.dispatch.rules.arrivals import ServiceTimes
from fuel_app.dispatch.rules.day import REFILL, Day, RouteStop, Shift, TruckRoute, Unassigned
from fuel_app.dispatch.tables import StoredShift, StoredStop, StoredTruck
from fuel_app.kit import policies
from fuel_app.kit.policies import policy


def _minutes(name: str, label: str, default: int, most: int = 120):
    return policy(name, label, unit="minutes", default=default, least=1, most=most)


SERVICE_MINUTES = _minutes("service_minutes", "A fill takes", 11)
SERVICE_NEAR_MINUTES = _minutes("service_minutes_near", "A second car beside it takes", 7)
SETUP_MINUTES = _minutes("fleet_setup_minutes", "A fleet visit's set-up takes", 8)
VEHICLE_MINUTES = _minutes("fleet_vehicle_minutes", "Each vehicle of a fleet takes", 3)
BREAK_MINUTES = policy(
    "break_minutes", "A technician's break", unit="minutes", default=30, least=0, most=120
)
WORK_HOURS = policy(
    "work_hours", "A break is due after at most", unit="hours", default=5, least=2, most=12
)
REFILL_MINUTES = _minutes("refill_minutes", "A truck's refill takes", 20)
NOTIFY_MINUTES = _minutes("arrival_moved_minutes", "Customers are told when arrival moves by", 15)
PAUSE_MINUTES = _minutes("arrival_pause_minutes", "Customers are told of changes after", 3, most=60)
BALANCE_PERCENT = policy(
    "balance_percent",
    "Driving that evenly spread work may cost",
    unit="percent",
    default=3,
    least=0,
    most=20,
)
ROAD_NEAR_METERS = policy(
    "road_near_meters",
    "A stop has a road within",
    unit="meters",
    default=NEAR_M,
    least=50,
    most=2000,
)
PHOTO_DAYS = policy(
    "photo_days", "Photos of fills are kept", unit="days", default=90, least=1, most=3650
)


async def service_times(session: AsyncSession) -> ServiceTimes:
    """Return how long stops take."""
    numbers = await policies.values(session)
    return ServiceTimes(
        numbers[SERVICE_MINUTES.name],
        numbers[SERVICE_NEAR_MINUTES.name],
        numbers[REFILL_MINUTES.name],
        numbers[BREAK_MINUTES.name],
        60 * numbers[WORK_HOURS.name],
    )


async def read_balance(session: AsyncSession) -> float:
    """Return by which share driving may grow so that the work is spread evenly."""
    return (await policies.values(session))[BALANCE_PERCENT.name] / 100


async def road_near(session: AsyncSession) -> int:
    """Return the meters beyond which no road leads to a point."""
    return (await policies.values(session))[ROAD_NEAR_METERS.name]


_NO_TECHNICIAN = "No technician"


async def read(session: AsyncSession, day: date) -> Day:
    """Return a day as the caller's transaction sees it: seven statements."""
    shifts = await queries.shifts_of_day(session, day)
    return await _read(session, day, shifts, await road.of_day(session, day))


async def read_part(
    session: AsyncSession, day: date, shift_ids: Collection[str], booking_ids: Collection[str] = ()
) -> Day:
    """Return a day with these routes alone, and of the bookings on no route with these."""
    shifts = await queries.shifts_of_ids(session, shift_ids)
    wanted = await road.of_ids(session, booking_ids) if booking_ids else {}
    todays = [each for each in wanted.values() if each.day == day]
    todays.sort(key=lambda each: (each.starts_at, each.id))
    return await _read(session, day, shifts, todays)


async def routes_of(
    session: AsyncSession, shifts: Sequence[ShiftRow], bookings: Mapping[str, Booking] = {}
) -> tuple[tuple[TruckRoute, ...], dict[str, str]]:
    """Return the routes of shifts, and the names on them by their ids: three statements.

    Args:
        bookings: Those that are read already, by their ids; they are named, too.
    """
    stops = await queries.stops_of(session, [shift.id for shift, _ in shifts])
    others = {stop.booking_id for stop in stops if stop.booking_id} - bookings.keys()
    known = {**bookings, **(await road.of_ids(session, others) if others else {})}
    technicians = [shift.technician_id or "" for shift, _ in shifts]
    names = await names_of(session, known.values(), technicians)
    by_shift: dict[str, list[RouteStop]] = {shift.id: [] for shift, _ in shifts}
    for row in stops:
        by_shift[row.shift_id].append(stop_of(row, known, names))
    routes = tuple(
        TruckRoute(shift_of(shift, truck, names), tuple(by_shift[shift.id]))
        for shift, truck in shifts
    )
    return routes, names


async def route_with(session: AsyncSession, booking: Booking) -> TruckRoute | None:
    """Return the route that a booking is on, its customers unnamed: two statements."""
    rows = await queries.route_with(session, booking.id)
    if not rows:
        return None
    _, shift, truck, first_name = rows[0]
    others = {stop.booking_id for stop, *_ in rows if stop.booking_id} - {booking.id}
    known = {booking.id: booking, **(await road.of_ids(session, others) if others else {})}
    names = defaultdict[str, str](str, {shift.technician_id or "": first_name})
    stops = tuple(stop_of(stop, known, names) for stop, *_ in rows)
    return TruckRoute(shift_of(shift, truck, names), stops)


async def _read(
    session: AsyncSession, day: date, shifts: Sequence[ShiftRow], todays: Sequence[Booking]
) -> Day:
    """Return a day with these shifts; bookings on their routes may be missing in `todays`."""
    routes, names = await routes_of(session, shifts, {each.id: each for each in todays})
    publication = await queries.find_publication(session, day)
    served = {stop.id for route in routes for stop in route.stops if not stop.is_gone}
    waiting = [
        each for each in todays if each.state in (BOOKED, DISPATCHED) and each.id not in served
    ]
    reasons = await queries.unserved_reasons(session, [each.id for each in waiting])
    return Day(
        day=day,
        routes=routes,
        unassigned=tuple(
            Unassigned(
                each, name_of_customer(each, names), reasons.get(f"{each.id} {each.slot_id}", "")
            )
            for each in waiting
        ),
        on_hold=tuple(
            Unassigned(each, name_of_customer(each, names), each.reason)
            for each in todays
            if each.state == WEATHER_HOLD
        ),
        published_at=publication.published_at if publication else None,
        closed_at=publication.closed_at if publication else None,
    )


def shift_of(row: StoredShift, truck: StoredTruck, names: Mapping[str, str]) -> Shift:
    """Return a stored shift as the rules know it."""
    return Shift(
        id=row.id,
        day=row.day,
        truck=truck_of(truck),
        technician_id=row.technician_id or "",
        technician=names[row.technician_id] if row.technician_id else _NO_TECHNICIAN,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        revision=row.revision,
        broken_at=row.broken_at,
        timed_by=row.timed_by,
        position=None if row.lat is None or row.lng is None else Point(row.lat, row.lng),
        position_at=row.position_at,
    )


def stop_of(
    row: StoredStop, bookings: Mapping[str, Booking], names: Mapping[str, str]
) -> RouteStop:
    """Return a stored stop as the rules know it."""
    booking = bookings[row.booking_id] if row.booking_id else None
    return RouteStop(
        row_id=row.id,
        booking=booking,
        slot_id=row.slot_id,
        customer=name_of_customer(booking, names) if booking else REFILL,
        is_pinned=row.is_pinned,
        leg_s=row.leg_s,
        begins_at=row.begins_at,
        told_at=row.told_at,
        driving_at=row.driving_at,
        arrived_at=row.arrived_at,
        fueling_at=row.fueling_at,
        ended_at=row.ended_at,
        loaded=row.loaded,
        planned=None if row.lat is None or row.lng is None else Point(row.lat, row.lng),
    )


async def lock_stop(
    session: AsyncSession, stop_id: str
) -> tuple[StoredStop | None, StoredShift | None]:
    """Return a stop with its shift, locked; a dispatcher may be moving it to another one.

    A shift that has lost the stop meanwhile is unlocked before the next one is locked: two at once
    are always locked in the order of their ids.
    """
    while stop := await queries.find_stop(session, stop_id):
        attempt = await session.begin_nested()
        shift = (await queries.lock_shifts(session, [stop.shift_id])).get(stop.shift_id)
        row = await queries.find_stop(session, stop_id)
        if row and shift and row.shift_id == shift.id:
            await attempt.commit()
            return row, shift
        await attempt.rollback()
    return None, None
