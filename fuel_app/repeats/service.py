"""Repeats: a customer starts, pauses, resumes and ends a series; jobs book its visits.

A visit is booked as its customer would book it, once for each series and date: the booking's key is
made of both, and the series goes on in the booking's transaction.
"""

import uuid
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.areas.service import hours
from fuel_app.bookings.rules.bookings import (
    Booking,
    CarBooked,
    FeeChanged,
    Location,
    OutsideArea,
    PleaseCall,
    Request,
    when,
)
from fuel_app.bookings.rules.slots import SlotId, on_clock
from fuel_app.bookings.rules.states import CANCELLED, ENDED, OPEN_STATES
from fuel_app.bookings.service import access, bookings, changes, slots
from fuel_app.bookings.service.bookings import Asked
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import account, vehicles
from fuel_app.kit import clock, jobs, outbox, secrets
from fuel_app.kit.clock import NEW_YORK, day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.money import Money
from fuel_app.kit.words import and_list
from fuel_app.messages import service as messages
from fuel_app.messages.rules.kinds import REPEATED, BadLink
from fuel_app.plans.service import subscriptions
from fuel_app.repeats import queries, rules
from fuel_app.repeats.rules import (
    ACTIVE,
    PAUSED,
    TERMS,
    CarRepeats,
    NeedsPlan,
    NotRepeatable,
    RepeatGone,
    Series,
    TooLateToSkip,
    label,
)
from fuel_app.repeats.tables import SeriesCar, StoredSeries

BOOK = "repeats.book"
_NOTE = "Booked by your repeat"


async def start(by: Actor, booking_id: object, weeks: object) -> None:
    """Start a series from a booked visit. The first date is so many weeks after it.

    Raises:
        NotAllowed: If the actor is no customer.
        NeedsPlan, NotRepeatable
        CarRepeats: If one of its cars has a series already.
    """
    by.require(Role.CUSTOMER)
    if weeks not in rules.WEEKS or not isinstance(weeks, int):
        raise NotRepeatable
    booking = await access.find(by, booking_id)
    cars = _own_cars(booking) if booking else {}
    if booking is None or not cars:
        raise NotRepeatable
    row = _series_from(by, booking, weeks)
    try:
        async with transaction() as session:
            await account.facts(session, by.person_id, lock=True)
            plan = await subscriptions.subscription_of(session, by.person_id)
            if plan is None or not plan.is_active:
                raise NeedsPlan
            await _check_cars(session, cars)
            session.add(row)
            await session.flush()
            session.add_all(SeriesCar(vehicle_id=each, series_id=row.id) for each in cars)
            await session.flush()
            await queries.add_visit(session, row.id, booking.id, row.first_day)
            await _note(session, by, row, "repeat_started", row.wording)
            await jobs.enqueue(session, BOOK, {"series": row.id})
    except IntegrityError:  # another tab has started one a moment ago
        async with reading() as session:
            await _check_cars(session, cars)
        raise


def _own_cars(booking: Booking) -> dict[str, str]:
    """Return the names of a booked visit's saved cars, by their ids."""
    if booking.state not in OPEN_STATES:
        return {}
    return {each.car.id: each.car.name for each in booking.fills if each.car.id}


def _series_from(by: Actor, booking: Booking, weeks: int) -> StoredSeries:
    return StoredSeries(
        person_id=booking.person_id,
        weeks=weeks,
        first_day=booking.day,
        next_day=rules.next_day(booking.day, weeks, day_of(clock.now())),
        opens=booking.starts_at.astimezone(NEW_YORK).hour,
        closes=booking.ends_at.astimezone(NEW_YORK).hour or 24,
        place=asdict(booking.place),
        wording=f"{label(weeks)}. {TERMS}",
        actor=str(by),
        started_at=clock.now(),
    )


async def _check_cars(session: AsyncSession, cars: dict[str, str]) -> None:
    """Refuse a car that has a series. Raises CarRepeats."""
    if known := await queries.series_with(session, cars):
        booked = await queries.visits(session, known.series_id)
        raise CarRepeats(cars[known.vehicle_id], next(iter(booked), ""))


async def list_own(by: Actor) -> list[Series]:
    """Return the actor's series that have not ended, the oldest first."""
    by.require(Role.CUSTOMER)
    async with reading() as session:
        rows = await queries.list_open(session, by.person_id)
        garage = await vehicles.of_person(session, by.person_id) if rows else ()
        names = {each.id: each.title for each in garage}
        found = []
        for row in rows:
            cars = await queries.cars(session, row.id)
            booked = await queries.visits(session, row.id)
            found.append(
                Series(
                    id=row.id,
                    weeks=row.weeks,
                    window=rules.window_text(row.next_day, row.opens, row.closes),
                    cars=and_list([names[each] for each in cars if each in names]),
                    is_paused=row.state == PAUSED,
                    next_day=row.next_day,
                    booking_id=next(iter(booked), ""),
                    bookings=frozenset(booked),
                    vehicles=frozenset(cars),
                )
            )
        return found


async def of_booking(by: Actor, booking_id: object) -> tuple[list[Series], bool]:
    """Return those of the actor's series that have this booking or one of its cars.

    Also whether one can be started from it.
    """
    booking = await access.find(by, booking_id)
    if booking is None:
        return [], False
    cars, own = _own_cars(booking), await list_own(by)
    found = [each for each in own if booking.id in each.bookings or each.vehicles & cars.keys()]
    async with reading() as session:
        plan = await subscriptions.subscription_of(session, by.person_id)
    return found, bool(cars and not found and plan and plan.is_active)


async def pause(by: Actor, series_id: object) -> None:
    """Pause a series until it is resumed; what is booked stays. Raises RepeatGone."""
    async with transaction() as session:
        await _pause(session, by, await _own(session, by, series_id))


async def _pause(session: AsyncSession, by: Actor, row: StoredSeries) -> None:
    if row.state == ACTIVE:
        row.state = PAUSED
        await _note(session, by, row, "repeat_paused", label(row.weeks))


async def resume(by: Actor, series_id: object) -> None:
    """Resume a series with its next date from tomorrow on. Raises RepeatGone."""
    async with transaction() as session:
        row = await _own(session, by, series_id)
        if row.state == PAUSED:
            ahead = rules.next_day(row.first_day, row.weeks, day_of(clock.now()))
            row.state, row.next_day = ACTIVE, max(row.next_day, ahead)
            await _note(session, by, row, "repeat_resumed", label(row.weeks))
            await jobs.enqueue(session, BOOK, {"series": row.id})


async def end(by: Actor, series_id: object) -> None:
    """End a series; what is booked stays. Raises RepeatGone."""
    async with transaction() as session:
        await _end(session, by, await _own(session, by, series_id), rules.BY_CUSTOMER)


async def _own(session: AsyncSession, by: Actor, series_id: object) -> StoredSeries:
    by.require(Role.CUSTOMER)
    row = await queries.find(session, well_formed_id(series_id) or "", lock=True)
    if row is None or row.person_id != by.person_id:
        raise RepeatGone
    return row


async def _end(session: AsyncSession, by: Actor, row: StoredSeries, why: str) -> None:
    """End a series; its customer is told, unless it was they who did it."""
    row.state, row.ended = rules.ENDED, why
    await queries.clear(session, row.id)
    await _note(session, by, row, "repeat_ended", rules.END_TEXTS.get(why, label(row.weeks)))
    if reason := rules.END_TEXTS.get(why):
        says = {"repeats": _repeats(row), "reason": reason}
        key = f"repeat_ended:{row.id}"
        drafts = messages.drafts("repeat_ended", row.person_id, says, key=key)
        await outbox.add_all(session, drafts)


async def _note(session: AsyncSession, by: Actor, row: StoredSeries, kind: str, what: str) -> None:
    await access.audit_note(session, by, row.person_id, kind, what)


def _repeats(row: StoredSeries) -> str:
    """Return 'Every 2 weeks, Tuesdays, 8–10 AM'."""  # noqa: RUF002
    return f"{label(row.weeks)}, {rules.window_text(row.first_day, row.opens, row.closes)}"


async def find_linked(token: object) -> str:
    """Return the window of the visit that a mail's link is about. Raises BadLink."""
    return (await _linked(token)).when


async def _linked(token: object) -> Booking:
    booking = await access.find(SYSTEM, secrets.row_of(REPEATED, token) or "")
    if booking is None or not booking.person_id:
        raise BadLink
    return booking


async def skip(token: object) -> str:
    """Cancel the visit of a mail's link free of charge; its series goes on. Return its window.

    A second press changes nothing.

    Raises:
        BadLink
        TooLateToSkip: If it would cost a fee, or the technician is under way.
    """
    booking = await _linked(token)
    if booking.state == CANCELLED:
        return booking.when
    if booking.state in ENDED:
        raise TooLateToSkip
    by = _customer(booking.person_id)
    try:
        await changes.cancel(by, booking.id, booking.revision, seen_fee=Money(0))
    except (FeeChanged, PleaseCall):
        raise TooLateToSkip from None
    return booking.when


async def pause_by_link(token: object) -> None:
    """Pause the series of a mail's link. Raises BadLink, RepeatGone."""
    booking = await _linked(token)
    by = _customer(booking.person_id)
    async with reading() as session:
        series_id = await queries.series_of(session, booking.id)
    await pause(by, series_id)


def _customer(person_id: str) -> Actor:
    return Actor(frozenset({Role.CUSTOMER}), person_id)


async def queue_all(now: datetime) -> int:
    """Queue the booking of each active series, once a day. Return how many."""
    async with transaction() as session:
        ids = await queries.active_ids(session)
        day = day_of(now)
        await jobs.enqueue_all(
            session, [NewJob(BOOK, {"series": each}, f"{BOOK}:{each}:{day}") for each in ids]
        )
    return len(ids)


async def book_due(series_id: str) -> None:
    """Book the dates of a series whose days can be booked by now, or end it.

    1. Read it with what decides whether it goes on.
    2. Book its next date as its customer, note the visit, and go on to the date after it.
    3. If it was refused, tell why, and go on in the same way.
    """
    while True:
        now = clock.now()
        async with transaction() as session:
            row = await queries.find(session, series_id, lock=True)
            if row is None or row.state != ACTIVE:
                return
            plan = await subscriptions.subscription_of(session, row.person_id)
            cars = await _cars(session, row)
            declines = await queries.count_declines(session, row.id, rules.DECLINES_MOST)
            if why := rules.why_ended(plan, len(cars), declines):
                return await _end(session, SYSTEM, row, why)
            booker = await slots.find_booker(session, row.person_id, is_staff=False)
        day = row.next_day
        if not rules.is_due(day, day_of(now), booker.horizon_days, plan):
            return
        refusal = None
        while cars and refusal is None:
            try:
                await _book(row, cars)
                break
            except CarBooked as twice:  # by hand: the others are booked alone
                cars = [each for each in cars if each.id != twice.car_id]
            except Refusal as known:
                refusal = known
        if refusal is None and cars:
            continue
        if refusal and day <= day_of(now):
            refusal = Refusal(rules.LATE)
        elif refusal and rules.waits(refusal):
            return
        windows = await _nearest(row) if refusal else []
        async with transaction() as session:
            if await _go_on(session, row) and refusal:
                says = {
                    "when": when(on_clock(day, row.opens), on_clock(day, row.closes)),
                    "vehicle": and_list([each.title for each in cars]),
                    "repeats": _repeats(row),
                    "reason": str(refusal),
                    "windows": "; ".join(windows),
                }
                key = f"repeat_missed:{row.id}:{day}"
                drafts = messages.drafts("repeat_missed", row.person_id, says, key=key)
                await outbox.add_all(session, drafts)


async def _go_on(session: AsyncSession, row: StoredSeries) -> bool:
    """Go on to the date after the next one, unless the series does not stand as it was read.

    It may have been paused or ended, or another run was faster.
    """
    locked = await queries.find(session, row.id, lock=True)
    if locked is None or locked.state != ACTIVE or locked.next_day != row.next_day:
        return False
    locked.next_day = rules.next_day(row.first_day, row.weeks, row.next_day)
    return True


async def _cars(session: AsyncSession, row: StoredSeries) -> list[OwnVehicle]:
    """Return the cars of a series that can still be booked."""
    wanted = await queries.cars(session, row.id)
    garage = await vehicles.of_person(session, row.person_id)
    return [each for each in garage if each.id in wanted and each.is_active]


async def _book(row: StoredSeries, cars: list[OwnVehicle]) -> None:
    """Book the next date of a series at the price of now, and go on, in one transaction.

    Raises:
        RepeatGone: If the series does not stand as it was read; nothing is booked.
        Refusal: As `bookings.book` says.
    """
    place = Location(**row.place)
    async with reading() as session:
        area = await hours.bookable(session, place.zip_code)
        place = await bookings.saved_by_now(session, row.person_id, place)
    if area is None:
        raise OutsideArea(place.zip_code)
    slot_id = str(SlotId(area.id, row.next_day, row.opens))
    by, request = _customer(row.person_id), Request(slot_id, tuple(each.id for each in cars), place)
    asked = Asked(
        request=request,
        person_id=row.person_id,
        key=str(uuid.uuid5(uuid.UUID(row.id), row.next_day.isoformat())),
        seen=await bookings.estimate_fill(by, request),
        by=by,
        note=_NOTE,
        repeats=label(row.weeks),
    )
    async with transaction() as session:
        booking = await bookings.book_within(session, asked)
        if not await _go_on(session, row):
            raise RepeatGone
        await queries.add_visit(session, row.id, booking.id, row.next_day)


async def _nearest(row: StoredSeries) -> list[str]:
    try:
        days = await slots.offered(_customer(row.person_id), row.place["zip_code"])
    except Refusal:
        return []
    return rules.nearest(days, on_clock(row.next_day, row.opens))


async def end_all(session: AsyncSession, person_id: str, by: Actor) -> None:
    """End the series of an account that is closed."""
    for row in await queries.list_open(session, person_id):
        await _end(session, by, row, rules.ACCOUNT)


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's series, those that have ended, too."""
    rows = await queries.list_all(session, person_id)
    return {"repeats": [each.model_dump(exclude={"id", "person_id", "actor"}) for each in rows]}


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Remove a person's series."""
    await queries.erase_person(session, person_id)
