"""When a technician arrives: messages to customers, and the tracking page.

Messages are queued in the transaction of what has changed, and say what is true when they are sent.
The page needs only the link of a booking.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import TRACKED_STATES
from fuel_app.bookings.service import notifications, road
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.arrivals import (
    MOVED,
    NEVER,
    UNREACHED,
    ArrivalNotices,
    Expected,
    LinkUnknown,
    Tracked,
    arrival_text,
    day_text,
    estimate_times,
    notify_from,
    settles_by,
    span_text,
    track,
)
from fuel_app.dispatch.rules.day import OPEN, PUBLISHED, Day, RouteStop, TruckRoute
from fuel_app.dispatch.rules.phones import DRIVE
from fuel_app.dispatch.service.days import (
    NOTIFY_MINUTES,
    PAUSE_MINUTES,
    lock_stop,
    read_part,
    route_with,
    service_times,
)
from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit import clock, outbox, policies, secrets
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs import Later
from fuel_app.kit.outbox import Draft, Message, Skip
from fuel_app.kit.throttle import LINKS, throttle
from fuel_app.messages.rules.delivery import OUTDATED
from fuel_app.messages.rules.kinds import TRACKED

ON_THE_WAY, ARRIVED = "on_the_way", "arrived"
NEWS = timedelta(minutes=15)  # a step that is heard of later is not told
# A step is told after it: who has pressed the wrong button takes it back until then.
GRACE = timedelta(seconds=20)
QUEUE = timedelta(seconds=30)  # in which a phone sends the rest of what it has kept
TOLD = "told"  # in the payload of what has been composed: from then on it may have been sent
SETTLES_BY = "settles_by"  # in the payload: until then its pause can begin anew
LIVE = "live"  # in the payload of messages that are composed as they are sent, unlike former ones
# Reasons not to send, as staff read them.
NO_ROUTE = "The booking is on no published route any more."
SET_OUT = "The technician has set out by now."
ENDED = "The stop has ended by now."
SHIFT_OVER = "No technician is on shift then."
REACHED = "A technician is on shift by then, or the stop or its day has ended."
KNOWN = "The customer knows this arrival already."
UNDONE = "The technician has undone this step."
PASSED = "The technician is further by now."
LATER_DAY = "Within the window that was booked: it is told in the evening before."


@dataclass(frozen=True, slots=True)
class _Arrival:
    """The arrival at a stop of a published route, as it is expected now."""

    route: TruckRoute
    at: Expected
    booking: Booking

    @property
    def stop(self) -> RouteStop:
        return self.at.stop

    @property
    def reason_against(self) -> str:
        """Return why it is promised to no customer, or an empty text."""
        if self.stop.is_ended:
            return ENDED
        if self.stop not in self.route.waiting:
            return SET_OUT
        # What no technician is there for.
        return "" if self.at.begins_at <= self.route.shift.ends_at else SHIFT_OVER


async def notify_moved(session: AsyncSession, day: date, shift_ids: Collection[str] = ()) -> None:
    """Queue a message to the customers of a published day whose arrival has moved.

    At most one such message for each booking and channel waits at a time, and one for the evening
    before a later day. Call it after each step
    of a technician and each change of a published route, in their transaction, with the shifts that
    it has locked. Without shifts it locks the day's free ones; whoever holds the others calls it
    for them.
    """
    now = clock.now()
    if day < day_of(now):
        return
    locked = shift_ids or await queries.lock_day(session, day, free_only=True)
    arrivals = await _arrivals(session, day, locked)
    await _notify(session, arrivals, now)


async def notify_published(session: AsyncSession, day: date, shift_ids: Collection[str]) -> None:
    """Notify customers of a day that is published now, as `ArrivalNotices` decides."""
    arrivals = await _arrivals(session, day, shift_ids)
    await _notify(session, arrivals, clock.now(), publishes=True)


async def _notify(
    session: AsyncSession, of: Collection[_Arrival], now: datetime, *, publishes: bool = False
) -> None:
    """Queue one message on each channel, which is composed when it is sent.

    Where one waits already and the arrival has changed since, its pause begins anew: customers are
    told of the last change alone, and not for ever of none.
    """
    ids = [each.booking.id for each in of]
    notices = ArrivalNotices(await _notified(session, ids), await _moves_by(session), publishes)
    pause = await read_pause(session)
    drafts = [(each, draft) for each in of for draft in _drafts(each, now, pause)]
    waiting = await outbox.waiting(session, [draft.key or "" for _, draft in drafts])
    for _, draft in drafts:
        if row := waiting.get(draft.key or ""):
            await _wait_anew(session, row, draft, now + pause)
    told = [
        draft
        for each, draft in drafts
        if draft.key not in waiting and notices.tells(each.at, draft.channel)
    ]
    if told:
        await outbox.free_settled_keys(session, [draft.key or "" for draft in told])
        await outbox.add_all(session, told)


async def _wait_anew(session: AsyncSession, row: Message, draft: Draft, wanted: datetime) -> None:
    """Begin the pause of a message that waits anew, if the arrival is another one by now."""
    arrives, by = (draft.payload or {})["arrives"], row.payload.get(SETTLES_BY)
    if arrives == row.payload.get("arrives") or "notified" in row.payload or not by:
        return
    until = max(row.send_at, min(wanted, datetime.fromisoformat(by)))
    await outbox.postpone(session, row.id, until, {**row.payload, "arrives": arrives})


def _drafts(arrival: _Arrival, now: datetime, pause: timedelta) -> list[Draft]:
    """Return what would be told of an arrival: when it is, or that we may not reach the customer.

    One for the evening before a later day has a key of its own.
    """
    if arrival.reason_against not in ("", SHIFT_OVER):
        return []
    booking, says = arrival.booking, dict[str, Any]()
    if arrival.reason_against:
        once, from_ = f"{booking.id}:after_shift", now
        says["unreached"] = day_text(booking.day, day_of(now))
    else:
        from_ = notify_from(arrival.at, now)
        once = f"{booking.id}:{'waiting' if from_ == now else 'evening'}"
    return notifications.drafts_about(
        booking,
        MOVED,
        once=once,
        wanted=max(from_, now + pause),
        arrives=arrival_text(arrival.at, now),
        live=True,
        **{SETTLES_BY: settles_by(from_, pause).isoformat()},
        **says,
    )


async def _arrivals(session: AsyncSession, day: date, shift_ids: Collection[str]) -> list[_Arrival]:
    """Return the expected arrivals of routes; none of a day that is not published."""
    read = await read_part(session, day, shift_ids)
    if read.state != PUBLISHED:
        return []
    now, times = clock.now(), await service_times(session)
    return [
        _Arrival(route, at, at.stop.booking)
        for route in read.routes
        for at in estimate_times(route, now, times)
        if at.stop.booking
    ]


async def _notified(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[tuple[str, str, str], datetime]:
    """Return the notified arrivals; what a message has failed to tell gives way to what was before.

    Once only: where its second try has failed too, a customer is told if the arrival moves again.
    """
    stored = await queries.notified_arrivals(session, booking_ids)
    keys = [_notified_key(booking, channel) for booking, _, channel in stored]
    failed = await outbox.failed(session, keys) if keys else {}
    return {
        each: _before(failed.get(_notified_key(each[0], each[2]), {}), at)
        for each, at in stored.items()
    }


def _before(failed: Mapping[str, Any], stored: datetime) -> datetime:
    if failed.get("again") is not False or datetime.fromisoformat(failed["notified"]) != stored:
        return stored
    return datetime.fromisoformat(failed["before"])


def _notified_key(booking_id: str, channel: str) -> str:
    """Return the key of the last message that was composed for a booking on a channel."""
    return f"{MOVED}:{booking_id}:told:{channel}"


async def _moves_by(session: AsyncSession) -> timedelta:
    return timedelta(minutes=(await policies.values(session))[NOTIFY_MINUTES.name])


async def read_pause(session: AsyncSession) -> timedelta:
    """Return how long what changes is not told: undone until then, it never was."""
    return timedelta(minutes=(await policies.values(session))[PAUSE_MINUTES.name])


async def read_notices(session: AsyncSession, day: Day) -> ArrivalNotices | None:
    """Return what decides who is told of a change of a day; None if its routes are no news yet."""
    return await _read_notices(session, day) if day.state == PUBLISHED else None


async def told_by_publishing(
    session: AsyncSession, day: Day, arrivals: Iterable[Expected]
) -> frozenset[str]:
    """Return the bookings of an open day whose customers are told something by publishing it."""
    if day.state != OPEN:
        return frozenset()
    notices = replace(await _read_notices(session, day), publishes=True)
    return frozenset(each.stop.id for each in arrivals if notices.notifies(each))


async def _read_notices(session: AsyncSession, day: Day) -> ArrivalNotices:
    stops = (stop.booking for route in day.routes for stop in route.waiting)
    waiting = [*filter(None, stops), *(each.booking for each in day.unassigned)]
    notified = await _notified(session, [each.id for each in waiting])
    return ArrivalNotices(notified, await _moves_by(session))


async def forget_trip(
    session: AsyncSession, booking: Booking, row_id: str, left_at: datetime
) -> None:
    """Have a customer who was told of a trip that is undone be told when we come now.

    Args:
        row_id: The stop's row; `left_at` is when the technician had left for it.
    """
    once = f"{ON_THE_WAY}:{row_id}:{left_at.isoformat()}"
    keys = {f"{once}:{channel}": channel for channel in outbox.CHANNELS}
    for key, payload in (await outbox.payloads(session, keys)).items():
        if TOLD in payload:
            await queries.set_notified_arrival(session, booking, keys[key], NEVER)


async def notify_step(session: AsyncSession, shift: StoredShift, stop_id: str, kind: str) -> None:
    """Tell a customer that the technician drives to them, or is there, once for each trip.

    It is told once it can be taken back no more, and one from a phone's queue after the rest of it.

    Args:
        kind: The step as it is stored now, DRIVE or ARRIVE.
    """
    now, arrivals = clock.now(), await _arrivals(session, shift.day, [shift.id])
    for arrival in (each for each in arrivals if each.stop.id == stop_id):
        stop, route = arrival.stop, arrival.route
        happened = stop.driving_at if kind == DRIVE else stop.arrived_at
        if happened is None:
            continue
        good_until, says = happened + NEWS, dict[str, Any]()
        if kind == DRIVE:
            good_until += timedelta(seconds=stop.leg_s)
            says["arrives"] = span_text(arrival.at, now)
        trip = (stop.driving_at or happened).isoformat()
        drafts = notifications.drafts_about(
            arrival.booking,
            ON_THE_WAY if kind == DRIVE else ARRIVED,
            once=f"{stop.row_id}:{trip}",
            wanted=now + (QUEUE if now - happened > QUEUE else GRACE),
            good_until=good_until,
            technician=route.shift.first_name,
            live=True,
            trip=trip,
            **says,
        )
        await outbox.add_all(session, drafts)


async def _arrival_now(session: AsyncSession, row: Message) -> _Arrival | None:
    """Return the arrival that a message is about as it is now, its shift and booking locked.

    The message is changed after it: closing an account locks the bookings first, too.
    """
    booking_id = row.payload["booking"]
    _, shift = await lock_stop(session, booking_id)
    if shift is None:
        return None
    await road.of_ids(session, [booking_id], lock=True)
    arrivals = await _arrivals(session, shift.day, [shift.id])
    return next((each for each in arrivals if each.booking.id == booking_id), None)


@outbox.composer(MOVED)
async def compose_moved(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Say when the technician arrives, unless that is what the customer was notified of last.

    A message that was tried before has perhaps been sent. It is sent again with what it said, or
    leaves it to the next one to say what is true now. One that was given up gives way to the next.
    """
    if LIVE not in row.payload:
        return {}
    arrival = await _arrival_now(session, row)
    await _wait_on(session, row)
    if "unreached" in row.payload:
        return await _compose_unreached(session, row, arrival)
    tried = row.payload.get("notified")
    if not tried:
        await outbox.free_key(session, row.id)
    if arrival is None or arrival.reason_against:
        return Skip(arrival.reason_against if arrival else NO_ROUTE)
    if not tried and notify_from(arrival.at, clock.now()) > clock.now():
        return Skip(LATER_DAY)
    begins_at, told = arrival.at.begins_at, _notified_key(arrival.booking.id, row.channel)
    stored = await queries.notified_arrivals(session, [arrival.booking.id])
    moves_by = await _moves_by(session)
    if tried:
        known = ArrivalNotices(stored, moves_by).known(arrival.stop, arrival.booking, row.channel)
        if abs(begins_at - known) > moves_by or datetime.fromisoformat(tried) != known:
            return Skip(OUTDATED)
        await outbox.free_settled_keys(session, [told])  # of a former one, sent again by an admin
        return {"arrives": arrival_text(arrival.at, clock.now())}
    delivered = await _notified(session, [arrival.booking.id])
    known = ArrivalNotices(delivered, moves_by).known(arrival.stop, arrival.booking, row.channel)
    if abs(begins_at - known) <= moves_by:
        return Skip(KNOWN)
    await outbox.take_key(session, row.id, told)
    await queries.set_notified_arrival(session, arrival.booking, row.channel, begins_at)
    return {
        "arrives": arrival_text(arrival.at, clock.now()),
        "notified": begins_at.isoformat(),
        "before": known.isoformat(),
        "again": delivered != stored,
    }


async def _wait_on(session: AsyncSession, row: Message) -> None:
    """Leave a message until its pause is over, which may have begun anew since it was queued."""
    due = await outbox.due_at(session, row.id)
    if due and due > clock.now():
        raise Later(due)


async def _compose_unreached(
    session: AsyncSession, row: Message, arrival: _Arrival | None
) -> Mapping[str, Any] | Skip:
    """Say that we may not reach a customer, who knows of no time then: the next one is news."""
    today = day_of(clock.now())
    if arrival is None or arrival.reason_against != SHIFT_OVER or arrival.booking.day < today:
        await outbox.free_key(session, row.id)  # it may come to that again
        return Skip(REACHED if arrival else NO_ROUTE)
    await queries.set_notified_arrival(session, arrival.booking, row.channel, UNREACHED)
    return {"unreached": day_text(arrival.booking.day, today)}


@outbox.composer(ON_THE_WAY)
async def compose_on_the_way(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Say when the technician arrives who drives there, unless they are there or turned back."""
    if LIVE not in row.payload:
        return {}
    arrival = await _arrival_now(session, row)
    if arrival is None or not _is_trip(arrival.stop, row):
        return Skip(UNDONE if arrival else NO_ROUTE)
    if arrival.stop.arrived_at or arrival.stop.is_ended:
        return Skip(PASSED)
    if row.good_until is None or clock.now() <= row.good_until:  # else it is not sent
        await queries.set_notified_arrival(
            session, arrival.booking, row.channel, arrival.at.begins_at
        )
    return {"arrives": span_text(arrival.at, clock.now()), TOLD: "yes"}


@outbox.composer(ARRIVED)
async def compose_arrived(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Say that the technician is there, unless they are done or turned back."""
    if LIVE not in row.payload:
        return {}
    arrival = await _arrival_now(session, row)
    if arrival is None or not (arrival.stop.arrived_at and _is_trip(arrival.stop, row)):
        return Skip(UNDONE if arrival else NO_ROUTE)
    return Skip(PASSED) if arrival.stop.is_ended else {}


def _is_trip(stop: RouteStop, row: Message) -> bool:
    """Return whether a stop's technician is on the trip that a message is about."""
    left_at = stop.driving_at or stop.arrived_at
    return left_at is not None and left_at == datetime.fromisoformat(row.payload["trip"])


async def open_link(token: object, address: str) -> Tracked:
    """Return what the link of a booking shows now, to a visitor's network address.

    Raises LinkUnknown, and TooManyRequests after 20 such links from one address in 15 minutes.
    """
    async with throttle().failing(LINKS, address):
        if tracked := await read_link(token):
            return tracked
        raise LinkUnknown


async def read_link(token: object) -> Tracked | None:
    """Return what the link of a booking shows now; None for one that is not ours, or too old.

    Links are handed out once a day is published, and good for 24 hours after the stop has ended.
    """
    booking_id = secrets.row_of(TRACKED, token)
    if booking_id is None:
        return None
    async with reading() as session:
        booking = (await road.of_ids(session, [booking_id])).get(booking_id)
        return await _track(session, booking) if booking else None


async def track_coming(booking: Booking) -> Tracked | None:
    """Return what the tracking page says of a booking that a technician is to come to, else None.

    Three statements. The caller has checked whose booking it is.
    """
    if booking.state not in TRACKED_STATES:
        return None
    async with reading() as session:
        tracked = await _track(session, booking)
    return tracked if tracked and tracked.shift_id else None


async def _track(session: AsyncSession, booking: Booking) -> Tracked | None:
    route = await route_with(session, booking)
    tracked = track(booking, route, clock.now(), await service_times(session))
    return tracked and replace(tracked, booking_id=booking.id)
