"""A technician's day as the phone shows it: every word of it comes from here."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS
from fuel_app.billing.rules.payments import Payment
from fuel_app.billing.rules.receipts import gallons_text
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings.rules.authorizations import covered_text
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.estimates import most_milligallons
from fuel_app.bookings.rules.fills import Question
from fuel_app.bookings.rules.slots import window_text
from fuel_app.bookings.rules.states import ENDED
from fuel_app.bookings.service import fills
from fuel_app.customers.service import facts, vehicles
from fuel_app.dispatch.queries import technician as queries
from fuel_app.dispatch.rules.day import CLOSED, OPEN, PUBLISHED, Day, RouteStop, TruckRoute
from fuel_app.dispatch.rules.geography import directions_link
from fuel_app.dispatch.rules.technician import GONE, HEARD_FOR, STATE_TEXTS, off, state_of
from fuel_app.dispatch.rules.technician import KEPT as OFFICE_HAS_IT
from fuel_app.dispatch.rules.timing import expected
from fuel_app.dispatch.service import reading as days
from fuel_app.dispatch.service.figures import service_times
from fuel_app.kit import clock, contact
from fuel_app.kit.clock import day_of, time_of_day
from fuel_app.kit.db.session import reading

NONE = "none"  # the state of a day without a shift
_BROKEN = "Your truck is out of service. The office has its stops."
_MESSAGES = {
    NONE: "You have no shift today.",
    OPEN: "Your route is not published yet.",
    PUBLISHED: "There are no stops on your route.",
    CLOSED: "This day is closed.",
}
_NO_BOOKING = dict.fromkeys(
    (
        *("gone", "phone", "phone_text", "car", "plate", "photo", "spot", "gate_code", "notes"),
        *("grade", "fuel_door", "covered", "window", "gallons"),
    ),
    "",
)


@dataclass(frozen=True, slots=True)
class _Known:
    """Facts of a day's stops beside their bookings, by booking or person."""

    phones: dict[str, str]
    pictures: dict[tuple[str, object], str]
    photos: dict[str, int]
    holds: dict[str, Payment]
    kept: dict[str, Question]  # what this technician has pumped beside a booking


async def of(by: Actor) -> dict[str, Any]:
    """Return the technician's day, for JSON.

    It is today, or a published day before whose stops are not all ended and which is not closed.
    """
    by.require(Role.TECHNICIAN)
    now = clock.now()
    async with reading() as session:
        day, route = await _current(session, by, day_of(now))
        state = day.state if route else NONE
        stops = route.stops if route and state != OPEN else ()
        times = await service_times(session)
        known = await _known(session, by, stops)
    begins = {each.stop.id: each.begins_at for each in expected(route, now, times)} if route else {}
    return {
        "person": by.person_id,
        "as_of": int(now.timestamp() * 1000),
        "date": day.day.isoformat(),
        "title": f"{day.day:%A, %B} {day.day.day}",
        "state": state,
        "message": "" if stops else _message(state, route),
        "truck": route.shift.truck.name if route else "",
        "hours": _hours(route) if route else "",
        "can_send_position": is_active(day, route),
        "stops": [
            _stop(route, stop, begins.get(stop.id), known, can_correct=state == PUBLISHED)
            for stop in stops
            if route
        ],
    }


def _message(state: str, route: TruckRoute | None) -> str:
    return _BROKEN if route and route.shift.broken_at else _MESSAGES[state]


def is_active(day: Day, route: TruckRoute | None) -> bool:
    """Return whether a technician is on the road: the only time when the phone says where."""
    return day.state == PUBLISHED and route is not None and bool(route.left)


async def _current(session: AsyncSession, by: Actor, today: date) -> tuple[Day, TruckRoute | None]:
    since = today - HEARD_FOR
    for before in await queries.unclosed_days(session, by.person_id, since, today):
        day, route = await of_day(session, by, before)
        if route and route.left:
            return day, route
    return await of_day(session, by, today)


async def of_day(session: AsyncSession, by: Actor, day: date) -> tuple[Day, TruckRoute | None]:
    """Return a day with the technician's own route alone, if there is one."""
    found = await days.read_part(session, day, await queries.shifts_of(session, by.person_id, day))
    return found, next(iter(found.routes), None)


async def _known(session: AsyncSession, by: Actor, stops: tuple[RouteStop, ...]) -> _Known:
    bookings = [stop.booking for stop in stops if stop.booking]
    people = {each.person_id for each in bookings} - {""}
    known = await facts.facts_of(session, people)
    cars = {(each.person_id, each.car.id) for each in bookings if each.person_id and each.car.id}
    ids = [each.id for each in bookings]
    return _Known(
        phones={person_id: each.phone for person_id, each in known.items()},
        pictures={k: v.image for k, v in (await vehicles.find_all(session, cars)).items()},
        photos=await queries.photo_counts(session, ids),
        holds=await fill_invoices.last_authorizations(session, ids),
        kept=await fills.kept_fills_by(session, by.person_id, ids),
    )


def _hours(route: TruckRoute) -> str:
    return f"{time_of_day(route.shift.starts_at)} - {time_of_day(route.shift.ends_at)}"


def _stop(
    route: TruckRoute,
    stop: RouteStop,
    begins_at: datetime | None,
    known: _Known,
    *,
    can_correct: bool,
) -> dict[str, Any]:
    state, truck = state_of(stop), route.shift.truck
    shared = {
        "id": stop.id,
        "kind": "fill" if stop.booking else "refill",
        "place": route.numbers[stop.id],
        "state": state,
        "state_text": STATE_TEXTS[state],
        "customer": stop.customer,
        "expected": f"About {time_of_day(begins_at)}" if begins_at and not stop.is_ended else "",
    }
    if stop.booking:
        return shared | _fill(stop, stop.booking, state, known, can_correct=can_correct)
    home = {"address": truck.home, "navigate": directions_link(truck.point)}
    more = {"tank_most": 0, "fill": None, "can_correct": False, "photos": 0}
    return shared | home | more | _NO_BOOKING


def _fill(
    stop: RouteStop, booking: Booking, state: str, known: _Known, *, can_correct: bool
) -> dict[str, Any]:
    car, there = booking.car, booking.place
    written = known.phones.get(booking.person_id, booking.contact.get("phone", ""))
    phone = "" if contact.problem(contact.phone, written) else contact.phone(written)
    is_done = booking.filled_milligallons is not None
    target = there.line if there.is_approximate else Point(there.lat, there.lng)
    is_ended = booking.state in ENDED
    kept = None if is_done else known.kept.get(booking.id)
    gone = off(booking, stop.slot_id) if state == GONE else ""
    pumped = kept.milligallons if kept else booking.filled_milligallons
    ticket = kept.ticket if kept else booking.ticket
    return {
        "gone": f"{gone} {OFFICE_HAS_IT}" if gone and kept else gone,
        "phone": f"+1{phone}" if phone else "",
        "phone_text": contact.phone_text(phone),
        "car": ", ".join(filter(None, (car.name, car.color))),
        "plate": f"{car.license_plate} ({car.plate_state})" if car.license_plate else "",
        "photo": known.pictures.get((booking.person_id, car.id), ""),
        "address": there.line,
        "navigate": directions_link(target),
        "spot": there.spot,
        "gate_code": "" if state == GONE else there.gate_code,
        "notes": there.notes,
        "grade": GRADE_LABELS[booking.grade],
        "fuel_door": car.fuel_door,
        "covered": "" if is_ended else covered_text(booking, known.holds.get(booking.id)),
        "window": window_text(booking.starts_at, booking.ends_at),
        "tank_most": most_milligallons(car.tank_tenths),
        "fill": _ticket(ticket) if is_done or kept else None,
        "gallons": gallons_text(pumped or 0) if is_done or kept else "",
        "can_correct": is_done and can_correct,
        "photos": known.photos.get(booking.id, 0),
    }


def _ticket(ticket: dict[str, Any]) -> dict[str, str]:
    """Return the fields of a fill as they are typed."""
    readings = {
        name: gallons_text(ticket.get(name, 0)).replace(",", "")
        for name in ("meter_start", "meter_end")
    }
    return readings | {"ticket": ticket.get("number", "")}
