"""Admins change an area or its hours, and what is booked in what closes or leaves."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.rules.hours import WEEKDAYS, BookableArea, Hours
from fuel_app.areas.service import areas, hours
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import parse_slot_id
from fuel_app.bookings.service import changes, road
from fuel_app.companies.service import sites
from fuel_app.customers.service import directory as customer_directory
from fuel_app.dispatch.service import interruptions
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import AuditEntry, Done
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import AREAS, BOOKINGS, SHIFTS, signals
from fuel_app.launch.rules import (
    CANCEL,
    OFFER,
    AffectedBookings,
    Answer,
    HasCompanies,
    HoursNeedAnswer,
    LeftOut,
    StillServed,
    ZipsNeedAnswer,
    affected_by,
    movable,
)
from fuel_app.outcomes.service import plans
from fuel_app.plans.service import subscriptions


@dataclass(frozen=True, slots=True)
class AreaHours:
    """An area with its hours, and the bookings of each window: by day and opening hour."""

    area: BookableArea
    today: date
    booked: Mapping[tuple[date, int], int]


async def read_hours(area_id: object, *, actor: Actor) -> AreaHours:
    """Return an area's hours with what is booked in the coming week, and on days that differ.

    Raises AreaGone.
    """
    area, today = await hours.read(area_id, actor=actor), clock.day_of(clock.now())
    last = max((each.day for each in area.hours.exceptions), default=today)
    days = max(len(WEEKDAYS), (last - today).days + 1)
    async with reading() as session:
        found = await road.booked_from(session, today, days)
    booked: Counter[tuple[date, int]] = Counter()
    counts = [(parse_slot_id(each.slot_id), each.count) for each in found]
    for slot, count in [(s, n) for s, n in counts if s and s.area_id == area.id]:
        booked[slot.day, slot.opens] += count
    return AreaHours(area, today, booked)


@dataclass(frozen=True, slots=True)
class HoursOutcome:
    """The bookings that a change of hours has cancelled, and those held for another time."""

    cancelled: int = 0
    offered: int = 0


async def change_hours(
    area_id: object,
    seen: Hours,
    wanted: Hours,
    *,
    asked: AffectedBookings | None = None,
    answer: Answer = Answer(),  # noqa: B008 (frozen)
    actor: Actor,
) -> HoursOutcome:
    """Change an area's hours, and do with the bookings in what closes as the admin has answered.

    Args:
        seen: The hours on the person's screen.
        asked: The bookings of the question that has been answered.

    Raises:
        AreaGone, AreaChanged
        HoursNeedAnswer: If bookings stand in the way, and not exactly those of the question.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        # Blocks new bookings in the area until the commit.
        changed_id = await hours.change(session, area_id, seen, wanted, actor=actor)
        if asked and answer.how == OFFER:  # lock order: shifts before bookings
            await interruptions.lock_days(session, {each.day for each in asked.closed})
        affected = affected_by(seen, wanted, await changes.lock_ahead(session, changed_id))
        if affected.key != (asked.key if asked else ()):
            raise HoursNeedAnswer(affected, await _names(session, affected.closed))
        outcome = await _answered(session, affected.closed, answer, actor)
    await signals().publish(AREAS, BOOKINGS, SHIFTS)
    return outcome


async def _answered(
    session: AsyncSession, closed: Sequence[Booking], answer: Answer, actor: Actor
) -> HoursOutcome:
    """Do with bookings in windows that close as the admin has answered."""
    if answer.how == OFFER:
        held = await interruptions.hold_for_other_time(
            session, actor, movable(closed), answer.reason
        )
        return HoursOutcome(offered=len(held))
    if answer.how != CANCEL:
        return HoursOutcome()
    for booking in closed:
        await changes.cancel_free(session, booking.id, actor=actor, reason=answer.reason)
    return HoursOutcome(cancelled=len(closed))


async def _names(session: AsyncSession, bookings: Sequence[Booking]) -> dict[str, str]:
    """Return the names of the customers of bookings by id; guests have none."""
    people = [booking.person_id for booking in bookings if booking.person_id]
    return await directory.names_in(session, people)


async def close_area(area_id: object, *, actor: Actor) -> None:
    """Return an area to its waitlist.

    Raises:
        AreaGone, AreaChanged, HasCustomers: As `areas.close` does.
        HasCompanies: If a company has an open site there.
    """
    async with transaction() as session:
        area = await areas.close(session, area_id, actor=actor)
        if await sites.count_companies(session, area.zips):
            raise HasCompanies
    await signals().publish(AREAS)


@dataclass(frozen=True, slots=True)
class AreaOutcome:
    """Outcome of a change; Undo changes the area back, and nothing else."""

    done: Done
    cancelled: int = 0  # bookings
    ended: int = 0  # plans that end with their period for it


async def change_area(
    area_id: object,
    seen: AreaForm,
    form: AreaForm,
    *,
    asked: LeftOut | None = None,
    answer: Answer = Answer(),  # noqa: B008 (frozen)
    actor: Actor,
) -> AreaOutcome:
    """Change an area.

    A ZIP code that another open or paused area has by then takes nothing from its customers.

    Args:
        seen: The area on the person's screen.
        asked: The bookings and customers of the question that has been answered.
        answer: Whether what is booked in ZIP codes that leave is kept or cancelled. Either way the
            plans of customers with no address that is served end with their period, and they are
            told.

    Raises:
        AreaGone, AreaChanged, InvalidForm
        ZipsNeedAnswer: If bookings or customers are left out, and not exactly those of the
            question.
    """
    async with transaction() as session:
        # Blocks new bookings in the area until the commit.
        done, lost = await areas.change(session, area_id, seen, form, actor=actor)
        left_out = await _find_left_out(session, area_id, lost)
        if left_out.key != (asked.key if asked else ()):
            raise ZipsNeedAnswer(left_out, await _names(session, left_out.bookings))
        cancelled = left_out.bookings if answer.how == CANCEL else ()
        for booking in cancelled:
            await changes.cancel_free(session, booking.id, actor=actor, reason=answer.reason)
        ended = 0
        for person in left_out.losing_plans:
            ended += await plans.end_unserved(session, person.id, actor)
    await signals().publish(AREAS, BOOKINGS)
    return AreaOutcome(done, len(cancelled), ended)


async def _find_left_out(session: AsyncSession, area_id: object, lost: Collection[str]) -> LeftOut:
    if not lost:
        return LeftOut()
    residents = await customer_directory.residents(session, lost, await areas.served(session))
    # Lock order: subscription before bookings.
    losing = [each.id for each in residents if each.loses_plan]
    await subscriptions.subscriptions_of(session, losing, lock=True)
    booked = await changes.lock_ahead(session, well_formed_id(area_id) or "")
    return LeftOut(
        tuple(each for each in booked if each.place.zip_code in lost),
        residents,
        await sites.count_companies(session, sorted(lost)),
    )


@audit.undoes(areas.NOUN, "change", topics=(AREAS,))
async def _revert_area(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    (entry,) = entries
    lost = await areas.change_back(session, entry)
    if (await _find_left_out(session, entry.subject_id, lost)).key:
        raise StillServed
    return {entry.subject_id}
