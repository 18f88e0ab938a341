"""Admins make areas, open them, pause and close them."""

from typing import Literal

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas import queries
from fuel_app.areas.rules import areas as rules
from fuel_app.areas.rules.areas import (
    WAITLIST,
    AreaChanged,
    AreaForm,
    AreaGone,
    AreaRow,
    HasCustomers,
    HasOpened,
    NeedsNamedAdmin,
    NotReady,
    Point,
)
from fuel_app.areas.rules.hours import default_week
from fuel_app.areas.rules.prices import unpriced
from fuel_app.areas.service import hours, prices
from fuel_app.areas.service.prices import SLOT_CAPACITY
from fuel_app.areas.tables import Area
from fuel_app.kit import audit, clock, policies
from fuel_app.kit.audit import Action, AuditEntry, Change, Done
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import ChangedSince, InvalidForm, Refusal
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import AREAS, signals
from fuel_app.settings import settings

log = structlog.get_logger()

NOUN = "area"


async def listing(*, actor: Actor) -> list[AreaRow]:
    """Return every area, by name."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return await queries.list_areas(session)


async def create(form: AreaForm, *, actor: Actor) -> str:
    """Make an area with the usual windows that collects a waitlist. Return its id.

    Raises:
        InvalidForm: If another area has the name or one of the ZIPs.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        area = Area(name=form.name, status=WAITLIST)
        await queries.write(session, area, form)
        capacity = await policies.value(session, SLOT_CAPACITY)
        await queries.set_week(session, area.id, default_week(capacity))
        await _record(session, "create", area.id, None, _values(form), actor)
    await signals().publish(AREAS)
    return area.id


async def change(
    session: AsyncSession, area_id: object, seen: AreaForm, form: AreaForm, *, actor: Actor
) -> tuple[Done, set[str]]:
    """Lock an area and change its name, ZIPs, grades, tax rate, and whether streets are allowed.

    What becomes of customers and bookings in ZIPs that leave is the caller's, in the same
    transaction.

    Returns:
        The change, and the ZIPs that no open or paused area has any more.

    Raises:
        AreaGone: If there is no such area (any more).
        AreaChanged: If it has been changed since.
        InvalidForm: If another area has the name or one of the ZIPs.
    """
    actor.require(Role.ADMIN)
    area = await queries.lock_area(session, well_formed_id(area_id) or "")
    if _values(area) != _values(seen):
        raise AreaChanged
    if form == seen:
        return Done("", 0), set()
    await queries.write(session, await session.get_one(Area, area.id), form)
    done = await _record(session, "change", area.id, _values(seen), _values(form), actor)
    return done, await _lost(session, area)


async def change_back(session: AsyncSession, entry: AuditEntry) -> set[str]:
    """Undo a change of an area. Return the ZIPs that no open or paused area has any more.

    Raises:
        ChangedSince: If it has been changed again, or cannot be as it was any more.
    """
    try:
        area = await queries.lock_area(session, entry.subject_id)
        if _values(area) != entry.after:
            raise ChangedSince
        before = AreaForm.model_construct(**entry.before or {})
        await queries.write(session, await session.get_one(Area, area.id), before)
    except (AreaGone, InvalidForm):  # another area has the name or a ZIP by now
        raise ChangedSince from None
    return await _lost(session, area)


async def served(session: AsyncSession) -> set[str]:
    """Return the ZIPs of all open and paused areas."""
    rows = await queries.list_areas(session)
    return {each for row in rows if row.status != WAITLIST for each in row.zips}


async def _lost(session: AsyncSession, before: AreaRow) -> set[str]:
    return set() if before.status == WAITLIST else {*before.zips} - await served(session)


async def checklist(area_id: object, *, actor: Actor) -> list[Point]:
    """Return what the opening of an area needs."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return await _points(session, well_formed_id(area_id) or "")


def problem_of_opening(points: list[Point], *, actor: Actor) -> str:
    """Return why an area with this checklist cannot open; empty if it can."""
    try:
        _passed_over(points, actor)
    except Refusal as refusal:
        return str(refusal)
    return ""


async def step(kind: Literal["open", "pause", "resume"], area_id: object, *, actor: Actor) -> None:
    """Open an area, stop its new bookings, or take them again.

    The first one that opens opens the company.

    Raises:
        NeedsNamedAdmin: If the shared password would open it.
        NotReady: If points of an opening are missing, except on localhost, which passes them over.
        AreaGone: If there is no such area (any more).
        AreaChanged: If its status has been changed meanwhile.
    """
    async with transaction() as session:
        await _step(session, kind, area_id, actor)
    await signals().publish(AREAS)


async def close(session: AsyncSession, area_id: object, *, actor: Actor) -> AreaRow:
    """Return an area to its waitlist. Return it as it was.

    Raises:
        AreaGone, AreaChanged: As `step` does.
        HasCustomers: If there is a customer.
    """
    area = await _step(session, "close", area_id, actor)
    if await directory.has_customers(session):
        raise HasCustomers
    return area


async def _step(session: AsyncSession, kind: str, area_id: object, actor: Actor) -> AreaRow:
    actor.require(Role.ADMIN)
    before, after = rules.STATUS_CHANGES[kind]
    become: dict[str, object] = {"status": after}
    area = await queries.lock_area(session, well_formed_id(area_id) or "")
    if not await queries.step_status(session, area.id, before, after):
        raise AreaChanged
    if kind == "open":
        become["passed_over"] = _passed_over(await _points(session, area.id), actor)
    await _record(session, kind, area.id, {"status": area.status}, become, actor)
    log.info("area.stepped", kind=kind)
    return area


async def remove(area_id: object, *, actor: Actor) -> None:
    """Delete an area that has never been open.

    Raises:
        AreaGone: If there is no such area (any more).
        HasOpened: If it has been open.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        area = await queries.lock_area(session, well_formed_id(area_id) or "")
        if area.opened_at:
            raise HasOpened
        await queries.remove_area(session, area.id)
        await _record(session, "delete", area.id, _values(area), None, actor)
    await signals().publish(AREAS)


def _passed_over(points: list[Point], actor: Actor) -> list[str]:
    """Return the missing points of an opening, or refuse it: only localhost passes them over."""
    actor.require(Role.ADMIN)
    if not actor.person_id:
        raise NeedsNamedAdmin
    missing = [point.label for point in points if not point.done]
    if missing and (settings.is_public or settings.is_https):
        raise NotReady(missing)
    return missing


async def _points(session: AsyncSession, area_id: str) -> list[Point]:
    area = await hours.bookable_by_id(session, area_id)
    if area is None:
        raise AreaGone
    current = await prices.prices_at(session, area.id, clock.now())
    return rules.checklist(
        area.id,
        placeholders=settings.placeholders(),
        has_mail=settings.smtp_url is not None,
        has_payments=not settings.test_payments,
        hours=area.hours,
        unpriced=unpriced(area.grades, current),
    )


async def _record(
    session: AsyncSession,
    kind: str,
    area_id: str,
    before: dict[str, object] | None,
    after: dict[str, object] | None,
    actor: Actor,
) -> Done:
    action = Action(NOUN, kind, str(actor))
    await audit.record(session, action, [Change(area_id, before, after)])
    return Done(action.id, 1)


def _values(area: AreaForm | AreaRow) -> dict[str, object]:
    return {
        "name": area.name,
        "zips": list(area.zips),
        "grades": list(area.grades),
        "tax": area.tax,
        "streets": area.streets,
    }
