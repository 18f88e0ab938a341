"""Fuel prices of areas: the price in effect, its history, and setting another one."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.queries import areas
from fuel_app.areas.queries import prices as queries
from fuel_app.areas.rules.areas import AreaRow
from fuel_app.areas.rules.grades import GRADE_LABELS
from fuel_app.areas.rules.prices import (
    AreaPrices,
    BigJump,
    GradePrices,
    PriceChange,
    PriceChanged,
    PriceForm,
    PriceNow,
    Proposal,
    UnknownGrade,
    effective_from,
    is_jump,
    is_stale,
)
from fuel_app.areas.service.figures import PRICE_DAYS, PRICE_JUMP
from fuel_app.kit import audit, clock, figures
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import FuelPrice
from fuel_app.kit.signals import PRICES, signals

NOUN = "price"
_SHOWN = 20  # changes


async def price_at(
    session: AsyncSession, area_id: str, grade: str, at: datetime
) -> PriceNow | None:
    """Return a grade's price in effect at a moment; None if there is none yet."""
    return (await prices_at(session, area_id, at, grade)).get(grade)


async def prices_at(
    session: AsyncSession, area_id: str, at: datetime, *grades: str
) -> dict[str, PriceNow]:
    """Return the price in effect at a moment by grade, by default of all grades."""
    days = await figures.value(session, PRICE_DAYS)
    return {
        row.grade: PriceNow(
            row.mills, row.effective_at, row.source, is_stale(row.effective_at, at, days)
        )
        for row in await queries.in_effect(session, area_id, at, *grades)
    }


async def set_price(
    area_id: object,
    grade: object,
    form: PriceForm,
    *,
    seen: int,
    confirmed: tuple[int, int] | None = None,
    actor: Actor,
) -> None:
    """Set the price of a grade from now or a later time on.

    Args:
        area_id: Sent by a browser.
        grade: Sent by a browser.
        form: The price as typed.
        seen: The revision on the person's screen.
        confirmed: The price in effect and the new one, as the person has confirmed them.
        actor: The staff member.

    Raises:
        AreaGone: If there is no such area (any more).
        UnknownGrade: If it does not offer the grade.
        PriceChanged: If the price has been set meanwhile.
        InvalidForm: If it would take effect in the past, or too far ahead.
        BigJump: If it differs much from the price in effect then, and these two are not confirmed.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        area = await areas.locked(session, well_formed_id(area_id) or "")
        if not isinstance(grade, str) or grade not in area.grades:
            raise UnknownGrade
        if (await queries.revisions(session, area.id)).get(grade, 0) != seen:
            raise PriceChanged
        at = effective_from(form, clock.now())
        before = await queries.in_effect(session, area.id, at, grade)
        old = before[0].mills if before else None
        percent = await figures.value(session, PRICE_JUMP)
        if old and is_jump(old, form.price, percent) and confirmed != (old, form.price):
            raise BigJump(old, form.price)
        await queries.add(session, area.id, grade, form, at, str(actor))
        after = {"mills": form.price, "source": form.source, "effective_at": at.isoformat()}
        change = Change(area.id, {"mills": old}, {"grade": grade, **after})
        await audit.record(session, Action(NOUN, "set", str(actor)), [change])
    await signals().publish(PRICES)


async def board(*, actor: Actor) -> tuple[int, list[AreaPrices]]:
    """Return the days after which a price is stale, and the prices of every area by name."""
    actor.require(Role.ADMIN)
    now = clock.now()
    async with reading() as session:
        days = await figures.value(session, PRICE_DAYS)
        proposed = await queries.proposals(session)
        found = [
            AreaPrices(area.id, area.name, await _grades(session, area, now, days, proposed))
            for area in await areas.listing(session)
        ]
    setters = {each.now.set_by for area in found for each in area.grades if each.now}
    names = await directory.names(setters)
    return days, [
        replace(area, grades=tuple(replace(g, set_by=names.get(g.set_by, "")) for g in area.grades))
        for area in found
    ]


async def _grades(
    session: AsyncSession,
    area: AreaRow,
    now: datetime,
    days: int,
    proposed: Mapping[str, Proposal],
) -> tuple[GradePrices, ...]:
    current = {row.grade: row for row in await queries.in_effect(session, area.id, now)}
    rows = await queries.history(session, area.id)
    revisions = await queries.revisions(session, area.id)

    def of(grade: str) -> GradePrices:
        history = tuple(row for row in rows if row.grade == grade)
        later = next((row for row in history if row.effective_at > now), None)
        price = current.get(grade)
        stale = price is not None and is_stale(price.effective_at, now, days)
        set_by, revision = price.set_by if price else "", revisions.get(grade, 0)
        return GradePrices(
            grade, price, set_by, stale, later, history, revision, proposed.get(grade)
        )

    return tuple(of(grade) for grade in area.grades)


async def changes(*, actor: Actor) -> list[PriceChange]:
    """Return the last changes, newest first."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        known = {area.id: area.name for area in await areas.listing(session)}
        entries = await audit.history(session, NOUN, *known, limit=_SHOWN)
    names = await directory.names(entry.actor for entry in entries)
    return [_in_words(entry, known[entry.subject_id], names[entry.actor]) for entry in entries]


def _in_words(entry: AuditEntry, area: str, actor: str) -> PriceChange:
    before, after = entry.before or {}, entry.after or {}
    old = FuelPrice(before["mills"]).exact if before.get("mills") else ""
    return PriceChange(
        f"{GRADE_LABELS[after['grade']]}, {area}",
        old,
        FuelPrice(after["mills"]).exact,
        datetime.fromisoformat(after["effective_at"]),
        after["source"],
        entry.at,
        actor,
    )
