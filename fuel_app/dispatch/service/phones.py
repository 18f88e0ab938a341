"""The technician's phone: actions that it sends, the steps that they take, the day it shows.

Each action is applied once, in its own transaction; every word that the phone shows comes from
here.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.billing.rules.payments import Payment
from fuel_app.billing.rules.receipts import gallons_text
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings.rules.authorizations import covered_text
from fuel_app.bookings.rules.bookings import (
    BookedFill,
    Booking,
    BookingChanged,
    BookingGone,
    FillGone,
)
from fuel_app.bookings.rules.estimates import most_milligallons
from fuel_app.bookings.rules.fills import (
    FillRecord,
    MoreThanTank,
    MoreThanTwoTanks,
    Question,
    ReceiptSent,
    parse_fill,
)
from fuel_app.bookings.rules.states import ENDED, FILLED, TECHNICIAN
from fuel_app.bookings.service import fills, road
from fuel_app.customers.service import account, vehicles
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules import phones as rules
from fuel_app.dispatch.rules.arrivals import Expected, estimate_times
from fuel_app.dispatch.rules.day import (
    CLOSED,
    OPEN,
    PUBLISHED,
    Day,
    DayClosed,
    NotPublished,
    RouteStop,
    Truck,
    TruckRoute,
)
from fuel_app.dispatch.rules.drives import directions_link
from fuel_app.dispatch.rules.phones import (
    ACTION_AGE_MAX,
    GONE,
    OFFICE_HAS_IT,
    STATE_TEXTS,
    Action,
    ActionOutcome,
    OutOfOrder,
    check_refill,
    state_of,
    why_not_filled,
)
from fuel_app.dispatch.rules.trucks import gallons_of
from fuel_app.dispatch.service import arrivals, days
from fuel_app.dispatch.service.days import service_times, stop_of
from fuel_app.dispatch.tables import (
    FillPhoto,
    PublishedDay,
    StoredShift,
    StoredStop,
    TechnicianAction,
)
from fuel_app.kit import clock, contact
from fuel_app.kit.clock import day_of, time_of_day, time_span
from fuel_app.kit.contact import text
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.errors import Refusal, words
from fuel_app.kit.signals import BOOKINGS, SHIFTS, one, signals


async def receive_actions(by: Actor, person: object, actions: object) -> list[ActionOutcome]:
    """Take a technician's actions in their order. Return what has become of each.

    An action that is refused changes nothing and is stored with the reason. One that was received
    before is not taken again. After an unexpected error, and beyond `ACTIONS_MOST`, the phone sends
    the rest once more. Raises NotAllowed if it is another person's queue.
    """
    by.require(Role.TECHNICIAN)
    if person != by.person_id:
        raise NotAllowed
    sent = actions[: rules.ACTIONS_MOST] if isinstance(actions, list) else []
    try:
        return [await _receive_action(by, each) for each in sent]
    finally:
        if sent:
            await signals().publish(SHIFTS, BOOKINGS)


async def _receive_action(by: Actor, sent: object) -> ActionOutcome:
    """Store an action and apply it, once, in one transaction; a refusal is stored with it."""
    action, received = Action.parse(sent), clock.now()
    if not action.id:
        named = sent.get("id") if isinstance(sent, dict) else ""
        return ActionOutcome(text(named), rules.OLD_APP)  # a lone surrogate could not be sent back
    row = TechnicianAction(
        id=action.id,
        person_id=by.person_id,
        stop_id=action.stop,
        kind=action.kind,
        data=action.data,
        at=action.happened(received),
        received_at=received,
    )
    async with transaction() as session:
        if not await queries.add_action(session, row):
            outcome = await queries.find_outcome(session, action.id, by.person_id)
            return ActionOutcome(action.id, rules.OLD_APP if outcome is None else outcome)
        try:
            async with session.begin_nested():
                refused = await _apply_action(session, by, action, row.at)
        except Refusal as refusal:
            refused = words(refusal)
        refused = refused[: rules.REFUSED_MAX]
        if refused:
            await queries.set_outcome(session, action.id, refused)
        return ActionOutcome(action.id, refused)


async def _apply_action(session: AsyncSession, by: Actor, action: Action, at: datetime) -> str:
    """Take a step at a locked stop, and tell customers of it. Raises Refusal if it changes nothing.

    Return what its technician should know although it counts.
    """
    stop, shift = await days.lock_stop(session, action.stop)
    day = await queries.find_publication(session, shift.day) if shift else None
    if stop and shift:
        former = stop.fueling_at or stop.arrived_at or stop.driving_at
        at = rules.correct_time(at, clock.now(), shift.day, former)
    step = StopAction(by, action, at, stop, shift, day)
    match action.kind:
        case "":
            raise Refusal(rules.OLD_APP)
        case _ if stop and stop.booking_id is None:
            said = await _step_refill(session, step)
        case rules.COMPLETE:
            said = await _complete_fill(session, step)
        case rules.CORRECT:
            said = await _correct_fill(session, step)
        case rules.PHOTO:
            said = await _announce_photo(session, step)
        case rules.REMOVE_PHOTO:
            said = await _remove_photo(session, step)
        case _:
            said = await _step_booking(session, step)
    if shift:
        publish(session, one(SHIFTS, shift.id))
    # What was pumped at another's stop changes nothing there.
    if shift and step.is_mine and action.kind not in _BESIDE_STEPS:
        await _put_started_first(session, shift.id)
        if action.kind in (rules.DRIVE, rules.ARRIVE):
            await arrivals.notify_step(session, shift, action.stop, action.kind)
        await arrivals.notify_moved(session, shift.day, [shift.id])
    return said


_BESIDE_STEPS = (rules.PHOTO, rules.REMOVE_PHOTO, rules.CORRECT)  # the route stays as it is


async def _put_started_first(session: AsyncSession, shift_id: str) -> None:
    """Put the stops that have begun before the others, as routes are changed behind them.

    Technicians may do stops in another order; the legs stay as planned.
    """
    stops = await queries.stops_of(session, [shift_id])
    driven = sorted(stops, key=lambda each: not (each.driving_at or each.ended_at))
    if driven == stops:
        return
    rows = [StoredStop(**each.model_dump()) for each in driven]
    for place, row in enumerate(rows, start=1):
        row.place = place
    await queries.replace_stops(session, [shift_id], rows)
    await queries.increment_revisions(session, [shift_id])


@dataclass(frozen=True, slots=True)
class StopAction:
    """An action with where it happens: the locked shift of its stop, if a route has it."""

    by: Actor
    action: Action
    at: datetime
    stop: StoredStop | None
    shift: StoredShift | None
    day: PublishedDay | None

    @property
    def is_mine(self) -> bool:
        return self.shift is not None and self.shift.technician_id == self.by.person_id


def _own_stop(step: StopAction) -> StoredStop:
    """Return the stop of a technician who may work on it now. Raises Refusal."""
    if step.stop is None or step.shift is None:
        raise Refusal(rules.NOT_YOURS)
    if not step.is_mine:
        raise Refusal(rules.ANOTHERS)
    if step.day is None:
        raise NotPublished
    if step.day.closed_at:
        raise DayClosed
    if step.shift.day > day_of(clock.now()):
        raise Refusal(rules.NOT_TODAY)
    return step.stop


async def _step_refill(session: AsyncSession, step: StopAction) -> str:
    """Take a step with a refill: drive, arrive, done with what was loaded, correct that, back."""
    row, kind = _own_stop(step), step.action.kind
    check_refill(stop_of(row, {}, {}), kind)
    if kind in (rules.COMPLETE, rules.CORRECT):
        tanks = await queries.tanks_of_shift(session, row.shift_id)
        if loaded := rules.loaded_of(step.action.data, tanks):
            await queries.set_load(session, row.shift_id, row.id, loaded)
    if kind != rules.CORRECT:
        await _mark_step(session, row, kind, step.at)
    return ""


async def _step_booking(session: AsyncSession, step: StopAction) -> str:
    """Take a step with the booking of one's own stop: drive, arrive, fuel, back or fail."""
    row, kind, data = _own_stop(step), step.action.kind, step.action.data
    booking = await road.lock(session, row.booking_id or "")
    if why := rules.why_not_owed(booking, row.slot_id):
        raise Refusal(why)
    try:
        if kind == rules.FAIL:
            reason, note = data.get("reason"), data.get("note")
            car = data.get("fill", "")
            await road.fail(session, step.by, booking.id, reason, note, step.at, fill_id=car)
        else:
            if kind == rules.FUEL:
                rules.check_safety(data.get("checked", ()))
            await road.take_technician_step(session, step.by, booking.id, kind, step.at)
    except BookingChanged as error:
        raise OutOfOrder(kind) from error
    left_at = None if row.arrived_at else row.driving_at
    if kind != rules.FAIL or await _has_ended(session, booking):
        await _mark_step(session, row, kind, step.at)
    if kind == rules.BACK and left_at:
        await arrivals.forget_trip(session, booking, row.id, left_at)
    return ""


async def _complete_fill(session: AsyncSession, step: StopAction) -> str:
    """Record what was pumped, always: as the car's fill on one's own route, else beside it."""
    fill = _parse_fill(step)
    booking = await _lock_touched(session, step)
    booked = _car_of(step, booking)
    if booked and booked.outcome == FILLED:
        said = booked.filled_milligallons, booked.ticket.get("number")
        if said == (fill.milligallons, fill.ticket):
            return ""
        await _keep_fill(session, step, booking, fill, rules.RECORDED)
        return rules.RECORDED
    if step.stop is None or step.shift is None or step.day is None:
        why = rules.NOT_YOURS
    elif step.shift.day > day_of(clock.now()):
        why = rules.NOT_TODAY
    else:
        why = rules.why_not_owed(booking, step.stop.slot_id)
        why = why or ("" if step.is_mine else rules.ANOTHERS) or ("" if booked else rules.NO_CAR)
    if why or step.stop is None or booked is None:
        await _keep_fill(session, step, booking, fill, why)
        return f"{why} {OFFICE_HAS_IT}"
    asked = await fills.record_fill(
        session,
        step.by,
        booking.id,
        TECHNICIAN,
        fill,
        fill_id=booked.id,
        confirmed="confirmed" in step.action.data,
        at=step.at,
        meter=await queries.meter_of_stop(session, booking.id),
    )
    if await _has_ended(session, booking):
        await _mark_step(session, step.stop, rules.COMPLETE, step.at)
    return rules.asked_text(asked)


def _car_of(step: StopAction, booking: Booking) -> BookedFill | None:
    """Return the car that an action names, or the only one; None if it is none of the visit."""
    with suppress(FillGone):
        return booking.fill(step.action.data.get("fill", ""))
    return None


async def _has_ended(session: AsyncSession, booking: Booking) -> bool:
    """Return whether a step was a visit's last one: each of its cars has ended."""
    return len(booking.fills) == 1 or (await road.lock(session, booking.id)).state in ENDED


async def _correct_fill(session: AsyncSession, step: StopAction) -> str:
    """Correct a technician's own record; what they may not change is kept for the office."""
    fill, stop_id = _parse_fill(step), step.action.stop
    booking = (await road.of_ids(session, [stop_id], lock=True)).get(stop_id)
    booked = _car_of(step, booking) if booking else None
    is_done = booked is not None and booked.outcome == FILLED
    if not is_done and await fills.correct_kept_fill(
        session, step.by, stop_id, fill, fill_id=booked and booked.id
    ):
        return OFFICE_HAS_IT
    _own_stop(step)
    if booking is None or booked is None or not is_done:
        raise Refusal(rules.NOT_DONE)
    if await road.last_recorded_by(session, booking.id, booked.id) != str(step.by):
        await _keep_fill(session, step, booking, fill, rules.DECIDED)
        return rules.DECIDED
    try:
        async with session.begin_nested():
            asked = await fills.record_fill(
                session,
                step.by,
                booking.id,
                TECHNICIAN,
                fill,
                fill_id=booked.id,
                confirmed="confirmed" in step.action.data,
                at=step.at,
                meter=await queries.meter_of_stop(session, booking.id),
            )
            return rules.asked_text(asked)
    except (ReceiptSent, MoreThanTwoTanks) as refusal:
        await _keep_fill(session, step, booking, fill, str(refusal))
        return str(refusal)
    except MoreThanTank:  # nobody was asked: the phone knew another tank
        await _keep_fill(session, step, booking, fill, rules.TOO_MUCH)
        return f"{rules.TOO_MUCH} {OFFICE_HAS_IT}"


async def _announce_photo(session: AsyncSession, step: StopAction) -> str:
    """Announce a photo, whose file follows; one of another's stop is kept beside the booking."""
    booking = await _lock_touched(session, step)
    taken = await queries.count_photos_taken(session, booking.id, step.by.person_id)
    if taken >= rules.PHOTOS_MOST:
        raise Refusal(rules.NO_MORE_PHOTOS)
    session.add(
        FillPhoto(
            id=step.action.id,
            booking_id=booking.id,
            person_id=step.by.person_id,
            taken_at=step.at,
            is_beside=not (step.is_mine and step.day),
        )
    )
    await session.flush()
    return ""


async def _remove_photo(session: AsyncSession, step: StopAction) -> str:
    """Remove a technician's own photo, as a wrong one, while the stop has not ended.

    Photos beside what the office is asked about stay: they show what was pumped.
    """
    booking = await _lock_touched(session, step)
    if booking.state in ENDED:
        raise Refusal(rules.PHOTOS_STAY)
    if await fills.is_asked_beside(session, step.by.person_id, booking.id):
        raise Refusal(rules.PHOTOS_ASKED)
    photo_id = step.action.data.get("photo", "")
    await queries.remove_photo(session, photo_id, booking.id, step.by.person_id)
    return ""


async def _lock_touched(session: AsyncSession, step: StopAction) -> Booking:
    """Lock and return a booking that this technician has, or may have had, on the route.

    A stop can have left the route while the phone was offline. What the technician did there
    is kept, if the booking was on any published route.
    """
    try:
        booking = await road.lock(session, step.action.stop)
    except BookingGone as error:
        raise Refusal(rules.NOT_YOURS) from error
    is_mine = step.is_mine and step.day is not None
    if not is_mine and not await road.was_published(session, booking.id):
        raise Refusal(rules.NOT_YOURS)
    return booking


async def _keep_fill(
    session: AsyncSession, step: StopAction, booking: Booking, fill: FillRecord, why: str
) -> None:
    """Keep what was pumped beside a booking, with the meter of the technician's own truck."""
    now = clock.now()
    at = rules.correct_time(step.at, now, min(booking.day, day_of(now)), None)
    booked = _car_of(step, booking)
    await fills.keep_fill(
        session,
        step.by,
        booking,
        fill,
        fill_id=booked.id if booked else None,
        action_id=step.action.id,
        why=why,
        meter=await queries.meter_of_technician(session, step.by.person_id, day_of(at)),
        at=at,
    )


def _parse_fill(step: StopAction) -> FillRecord:
    sent = {"gallons": "", "started": ""} | step.action.data
    started = step.stop.fueling_at if step.stop and step.is_mine else None
    return parse_fill(sent, clock.now()).model_copy(update={"started": started})


async def _mark_step(session: AsyncSession, row: StoredStop, kind: str, at: datetime) -> None:
    """Note when a step of a stop was; BACK forgets when the last one was."""
    if kind == rules.BACK:
        steps = ("fueling_at", "arrived_at")
        column = next((each for each in steps if getattr(row, each)), "driving_at")
        await queries.set_stop(session, row.id, {column: None})
    else:
        column = rules.COLUMNS.get(kind, "ended_at")
        await queries.set_stop(session, row.id, {column: at})


NO_SHIFT = "none"  # the state of a day without a shift
_BROKEN = "Your truck is out of service. The office has its stops."
_MESSAGES = {
    NO_SHIFT: "You have no shift today.",
    OPEN: "Your route is not published yet.",
    PUBLISHED: "There are no stops on your route.",
    CLOSED: "This day is closed.",
}
_NO_BOOKING = {"cars": []} | dict.fromkeys(
    (
        *("gone", "phone", "phone_text", "car", "plate", "photo", "spot", "gate_code", "notes"),
        "fill_id",
        "outcome",
        "grade",
        "grade_id",
        "fuel_door",
        "covered",
        "window",
        "gallons",
        "late_fee",
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
    kept: dict[tuple[str, str | None], Question]  # what this technician has pumped beside, by
    # booking and car


async def read_day(by: Actor) -> dict[str, Any]:
    """Return the technician's day, for JSON.

    It is today, or a published day before whose stops are not all ended and which is not closed.
    """
    by.require(Role.TECHNICIAN)
    now = clock.now()
    async with reading() as session:
        day, route = await _read_current(session, by, day_of(now))
        state = day.state if route else NO_SHIFT
        stops = route.stops if route and state != OPEN else ()
        times = await service_times(session)
        known = await _read_known(session, by, stops)
        ahead = await queries.shifts_ahead_of_technician(session, by.person_id, day_of(now))
    expected = estimate_times(route, now, times) if route else ()
    coming = {each.stop.id: each for each in expected}
    is_broken, hours, home = False, "", ""
    following = next((shift for shift, *_ in ahead if shift.day > day.day), None)
    if route:
        is_broken = route.shift.broken_at is not None
        hours = time_span(route.shift.starts_at, route.shift.ends_at)
        home = directions_link(route.shift.truck.point)
    return {
        "person": by.person_id,
        "as_of": int(now.timestamp() * 1000),
        "date": day.day.isoformat(),
        "title": f"{day.day:%A, %B} {day.day.day}",
        "state": state,
        "message": "" if stops else _BROKEN if is_broken else _MESSAGES[state],
        "truck": route.shift.truck.name if route else "",
        "hours": hours,
        "home": home,
        "next_shift": _shift_text(following) if following else "",
        "can_send_position": is_active(day, route),
        "stops": [
            _stop_fields(route, stop, coming.get(stop.id), known, can_correct=state == PUBLISHED)
            for stop in stops
            if route
        ],
    }


def _shift_text(shift: StoredShift) -> str:
    """'Saturday, November 28, 7:00 AM'."""
    return f"{shift.day:%A, %B} {shift.day.day}, {time_of_day(shift.starts_at)}"


def is_active(day: Day, route: TruckRoute | None) -> bool:
    """Return whether a technician is on the road: the only time when the phone says where."""
    return day.state == PUBLISHED and route is not None and bool(route.left)


async def _read_current(
    session: AsyncSession, by: Actor, today: date
) -> tuple[Day, TruckRoute | None]:
    since = today - ACTION_AGE_MAX
    for before in await queries.open_days_of_technician(session, by.person_id, since, today):
        day, route = await read_own_route(session, by, before)
        if route and route.left:
            return day, route
    return await read_own_route(session, by, today)


async def read_own_route(
    session: AsyncSession, by: Actor, day: date
) -> tuple[Day, TruckRoute | None]:
    """Return a day with the technician's own route alone, if there is one."""
    part = await days.read_part(
        session, day, await queries.shift_ids_of_technician(session, by.person_id, day)
    )
    return part, next(iter(part.routes), None)


async def _read_known(session: AsyncSession, by: Actor, stops: tuple[RouteStop, ...]) -> _Known:
    bookings = [stop.booking for stop in stops if stop.booking]
    people = {each.person_id for each in bookings} - {""}
    known = await account.facts_of(session, people)
    cars = {
        (each.person_id, fill.car.id)
        for each in bookings
        for fill in each.fills
        if each.person_id and fill.car.id
    }
    ids = [each.id for each in bookings]
    return _Known(
        phones={person_id: each.phone for person_id, each in known.items()},
        pictures={k: v.image for k, v in (await vehicles.find_all(session, cars)).items()},
        photos=await queries.count_photos(session, ids),
        holds=await fill_invoices.last_authorizations(session, ids),
        kept=await fills.kept_fills_by(session, by.person_id, ids),
    )


def _stop_fields(
    route: TruckRoute,
    stop: RouteStop,
    coming: Expected | None,
    known: _Known,
    *,
    can_correct: bool,
) -> dict[str, Any]:
    state, truck = state_of(stop), route.shift.truck
    shared = {
        "id": stop.id,
        "kind": "fill" if stop.booking else "refill",
        "place": rules.place_of(route.stops, stop),
        "state": state,
        "state_text": STATE_TEXTS[state],
        "customer": stop.customer,
        "expected": f"About {time_of_day(coming.begins_at)}"
        if coming and not stop.is_ended
        else "",
        "rest": coming.rest if coming else "",
    }
    if stop.booking:
        return shared | _fill_fields(stop, stop.booking, state, known, can_correct=can_correct)
    home = {"address": truck.home, "navigate": directions_link(truck.point)}
    can_correct = can_correct and stop.ended_at is not None
    more = {"tank_most": 0, "fill": None, "can_correct": can_correct, "photos": 0}
    return shared | home | more | _refill_fields(stop, truck) | _NO_BOOKING


def _refill_fields(stop: RouteStop, truck: Truck) -> dict[str, Any]:
    """Return the tanks to load, and what was loaded as it is typed."""
    tanks = [
        {"field": rules.LOADED[grade], "grade": GRADE_LABELS[grade], "most": truck.tanks[grade]}
        for grade in GRADES
        if grade in truck.tanks
    ]
    loaded = {rules.LOADED[grade]: gallons_of(each) for grade, each in (stop.loaded or {}).items()}
    return {"tanks": tanks, "load": loaded or None}


def _fill_fields(
    stop: RouteStop, booking: Booking, state: str, known: _Known, *, can_correct: bool
) -> dict[str, Any]:
    """Return the fields of a visit with those of the first car that has not ended.

    `cars` has those of each car where there are several: the phone shows one after the other.
    """
    there = booking.place
    written = known.phones.get(booking.person_id, booking.contact.get("phone", ""))
    phone = "" if contact.problem(contact.phone, written) else contact.phone(written)
    target = there.line if there.is_approximate else Point(there.lat, there.lng)
    is_ended = booking.state in ENDED
    gone = why_not_filled(booking, stop.slot_id) if state == GONE else ""
    cars = [
        _car_fields(booking, each, gone, known, can_correct=can_correct) for each in booking.fills
    ]
    current = next((each for each in cars if not each["outcome"]), cars[0])
    return current | {
        "cars": cars if len(cars) > 1 else [],
        "phone": f"+1{phone}" if phone else "",
        "phone_text": contact.phone_text(phone),
        "address": there.line,
        "navigate": directions_link(target),
        "spot": there.spot,
        "gate_code": "" if state == GONE else there.gate_code,
        "notes": there.notes,
        "covered": "" if is_ended else covered_text(booking, known.holds.get(booking.id)),
        "window": time_span(booking.starts_at, booking.ends_at),
        "late_fee": str(booking.late_fee_agreed) if booking.late_fee_agreed.cents else "",
        "photos": known.photos.get(booking.id, 0),
        "tanks": [],
        "load": None,
    }


def _car_fields(
    booking: Booking, booked: BookedFill, gone: str, known: _Known, *, can_correct: bool
) -> dict[str, Any]:
    car, is_done = booked.car, booked.filled_milligallons is not None
    kept = None if is_done else known.kept.get((booking.id, booked.id))
    pumped = kept.milligallons if kept else booked.filled_milligallons
    ticket = kept.ticket if kept else booked.ticket
    return {
        "fill_id": booked.id,
        "outcome": booked.outcome,
        "gone": f"{gone} {OFFICE_HAS_IT}" if gone and kept else gone,
        "car": ", ".join(filter(None, (car.name, car.color))),
        "plate": f"{car.license_plate} ({car.plate_state})" if car.license_plate else "",
        "photo": known.pictures.get((booking.person_id, car.id), ""),
        "grade": GRADE_LABELS[booked.grade],
        "grade_id": booked.grade,
        "fuel_door": car.fuel_door,
        "tank_most": most_milligallons(car.tank_tenths),
        "fill": _ticket_fields(ticket) if is_done or kept else None,
        "gallons": gallons_text(pumped or 0) if is_done or kept else "",
        "can_correct": is_done and can_correct,
    }


def _ticket_fields(ticket: dict[str, Any]) -> dict[str, str]:
    """Return the fields of a fill as they are typed."""
    readings = {
        name: gallons_text(ticket.get(name, 0)).replace(",", "")
        for name in ("meter_start", "meter_end")
    }
    return readings | {"ticket": ticket.get("number", "")}


async def note_position(by: Actor, sent: object) -> None:
    """Keep where a technician is now; ignore it while no route of theirs is active.

    Pages that follow the truck hear of it; screens of the whole day read it within a minute.
    """
    by.require(Role.TECHNICIAN)
    point, now = rules.position_of(sent), clock.now()
    values: dict[str, Any] = {"lat": point.lat, "lng": point.lng, "position_at": now}
    async with transaction() as session:
        day, route = await read_own_route(session, by, clock.day_of(now))
        if route and is_active(day, route):
            await queries.set_shift(session, route.shift.id, values)
