"""Changing an area, and with its ZIP codes what is booked there."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.service import areas
from fuel_app.billing.service import subscribing
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.areas import LeftOut, StillServed, ZipsNeedAnswer
from fuel_app.bookings.service import changing
from fuel_app.customers.service import directory as customers
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import AuditEntry, Done
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import AREAS, BOOKINGS, signals
from fuel_app.plans.service import subscriptions


@dataclass(frozen=True, slots=True)
class Changed:
    """Outcome of a change; Undo changes the area back, and nothing else."""

    done: Done
    cancelled: int = 0  # bookings
    ended: int = 0  # plans that end with their period for it


async def change(
    area_id: object,
    seen: AreaForm,
    form: AreaForm,
    *,
    answers: LeftOut | None = None,
    cancel_because: str = "",
    actor: Actor,
) -> Changed:
    """Change an area.

    A ZIP code that another open or paused area has by then takes nothing from its customers.

    Args:
        seen: The area on the person's screen.
        answers: The bookings and customers of the question that has been answered.
        cancel_because: Cancel what is booked in ZIP codes that leave, free of charge, and tell the
            customers this reason; empty to keep it. Either way the plans of customers with no
            address that is served end with their period, and they are told.

    Raises:
        AreaGone, AreaChanged, InvalidForm
        ZipsNeedAnswer: If bookings or customers are left out, and not exactly those of the
            question.
    """
    cancelled = ended = 0
    try:
        async with transaction() as session:
            # From here on nobody books in the area until the commit.
            done, lost = await areas.change(session, area_id, seen, form, actor=actor)
            now = await _left_out(session, area_id, lost)
            if now.key != (answers.key if answers else ()):
                raise ZipsNeedAnswer(now, {})
            for each in now.bookings if cancel_because else ():
                await changing.cancel_in(session, each.id, actor=actor, reason=cancel_because)
                cancelled += 1
            for person in now.losing_plans:
                ended += await subscribing.end_unserved(session, person.id, actor)
    except ZipsNeedAnswer as asked:
        people = (each.person_id for each in asked.left_out.bookings if each.person_id)
        raise ZipsNeedAnswer(asked.left_out, await directory.names(people)) from None
    await signals().publish(AREAS, BOOKINGS)
    return Changed(done, cancelled, ended)


async def _left_out(session: AsyncSession, area_id: object, lost: Collection[str]) -> LeftOut:
    if not lost:
        return LeftOut()
    residents = await customers.residents(session, lost, await areas.served(session))
    # Before the bookings, as whoever changes the plan locks them.
    await subscriptions.locked_all(session, [each.id for each in residents if each.loses_plan])
    rows = await queries.ahead(session, well_formed_id(area_id) or "", clock.now())
    booked = (queries.booking_of(row) for row in rows if row.place["zip_code"] in lost)
    return LeftOut(tuple(booked), residents)


@audit.undoes(areas.NOUN, "change", topics=(AREAS,))
async def _change_back(session: AsyncSession, entries: Sequence[AuditEntry]) -> set[str]:
    (entry,) = entries
    lost = await areas.change_back(session, entry)
    if (await _left_out(session, entry.subject_id, lost)).key:
        raise StillServed
    return {entry.subject_id}
