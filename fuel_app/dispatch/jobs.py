"""Schedules of dispatch: notices arrivals, closing days, emptying what is kept for a time only."""

from collections.abc import Awaitable, Callable
from datetime import datetime, time, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.service import changes as bookings
from fuel_app.dispatch import queries
from fuel_app.dispatch.service import arrivals, days
from fuel_app.dispatch.service.days import PHOTO_DAYS
from fuel_app.kit import clock, jobs, policies
from fuel_app.kit.db.session import reading as read_only
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import SHIFTS, signals

CHUNK = 500  # photos, or stops, in one transaction
POSITIONS_KEPT = timedelta(hours=24)
UNKNOWN_KEPT = timedelta(days=30)
_LOOKED_BACK = timedelta(days=7)  # further than the runs of a week

Empty = Callable[[AsyncSession, list[str]], Awaitable[None]]


@jobs.scheduled("dispatch.follow", jobs.every(timedelta(minutes=5)))
async def follow(now: datetime) -> None:
    """Tell customers of today whose arrival moves since nothing has happened."""
    async with transaction() as session:
        await arrivals.notify_moved(session, clock.day_of(now))


@jobs.scheduled("dispatch.close", jobs.daily(time(3)))
async def close(now: datetime) -> None:
    """Close published days that are over once all their stops have ended.

    Until then a phone may still send what happened; a later run closes them.
    """
    async with read_only() as session:
        open_days = await queries.open_days(session, clock.day_of(now))
    for day in open_days:
        async with transaction() as session:
            await queries.lock_day(session, day)
            routes = (await days.read(session, day)).routes
            if not any(stop.booking for route in routes for stop in route.left):
                await queries.close_day(session, day, now)
    await signals().publish(SHIFTS)


@jobs.scheduled("dispatch.purge", jobs.daily(time(3, 30)))
async def purge(now: datetime) -> None:
    """Empty what is kept for a time only, in short transactions.

    Positions after 24 hours, photos after their days, and after 30 days what no account's end would
    find: what was typed at no booking's stop, and notes at guests' stops. What a phone has sent
    about a person since the account was emptied goes at once.
    """
    async with transaction() as session:
        await queries.empty_positions(session, now - POSITIONS_KEPT)
        kept_days = (await policies.values(session))[PHOTO_DAYS.name]
    taken_before = now - timedelta(days=kept_days)
    some = CHUNK
    while some == CHUNK:
        async with transaction() as session:
            some = await queries.remove_old_photos(session, taken_before, CHUNK)
    before = now - UNKNOWN_KEPT
    await _empty_in_parts(before - _LOOKED_BACK, before, _empty_unknown)
    await _empty_in_parts(now - _LOOKED_BACK, now, _empty_late)


async def _empty_in_parts(first: datetime, before: datetime, empty: Empty) -> None:
    """Have those stops emptied of which phones have sent something in a time, part by part."""
    async with read_only() as session:
        stops = await queries.stops_with_actions(session, first, before)
    for start in range(0, len(stops), CHUNK):
        async with transaction() as session:
            await empty(session, stops[start : start + CHUNK])


async def _empty_unknown(session: AsyncSession, stops: list[str]) -> None:
    """Empty what no account's end would find."""
    owners = await bookings.owners(session, stops)
    await queries.empty_actions(session, {*stops} - owners.keys())
    guests = {booking_id for booking_id, person_id in owners.items() if person_id is None}
    await queries.empty_notes(session, guests)


async def _empty_late(session: AsyncSession, stops: list[str]) -> None:
    """Empty what was sent about people whose accounts were emptied before."""
    emptied = await bookings.of_erased_accounts(session, stops)
    await queries.empty_actions(session, emptied)
    await queries.remove_photos_of(session, emptied)
