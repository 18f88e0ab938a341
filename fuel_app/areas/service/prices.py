"""Fuel prices: in effect, set by admins; and the policies of areas."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas import queries
from fuel_app.areas.rules.prices import (
    BigJumps,
    FuelPriceChanged,
    GradeLine,
    Jump,
    NewPrice,
    PriceNow,
    PriceRow,
    PriceTerms,
    UnknownGrade,
    age_words,
    effective_from,
    grade_name,
    is_jump,
    is_stale,
)
from fuel_app.areas.tables import StoredPrice
from fuel_app.kit import audit, clock, policies
from fuel_app.kit.attention import Attention, Waiting
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.policies import policy
from fuel_app.kit.signals import PRICES, signals

PRICE_JUMP = policy(
    "price_jump",
    "Fuel price changes are confirmed above",
    unit="percent",
    default=20,
    least=1,
    most=100,
)
PRICE_DAYS = policy(
    "price_days", "Fuel prices can be booked for", unit="days", default=14, least=1, most=90
)
PRICE_REMINDER_DAYS = policy(
    "price_reminder_days",
    "Fuel prices need attention after",
    unit="days",
    default=7,
    least=1,
    most=90,
)
SLOT_CAPACITY = policy(
    "slot_capacity", "Room in a new delivery window", unit="fills", default=6, least=1, most=200
)


NOUN = "price"


async def price_at(
    session: AsyncSession,
    area_id: str,
    grade: str,
    at: datetime,
    numbers: Mapping[str, int] | None = None,
) -> PriceNow | None:
    """Return a grade's price in effect at a moment; None if there is none yet.

    The `numbers` are the values of all policies, if the caller has read them.
    """
    return (await prices_at(session, area_id, at, grade, numbers=numbers)).get(grade)


async def price_in_zip(
    session: AsyncSession, zip_code: str, grade: str, at: datetime
) -> PriceRow | None:
    """Return a grade's price in effect in a ZIP; None outside every open area, or without one."""
    return await queries.price_in_zip(session, zip_code, grade, at)


async def prices_at(
    session: AsyncSession,
    area_id: str,
    at: datetime,
    *grades: str,
    numbers: Mapping[str, int] | None = None,
) -> dict[str, PriceNow]:
    """Return the price in effect at a moment by grade, by default of all grades."""
    days = numbers[PRICE_DAYS.name] if numbers else await policies.value(session, PRICE_DAYS)
    return {
        row.grade: PriceNow(
            row.mills, row.effective_at, row.source, is_stale(row.effective_at, at, days)
        )
        for row in await queries.prices_in_effect(session, area_id, at, *grades)
    }


async def set_prices(
    new: Sequence[NewPrice],
    terms: PriceTerms,
    *,
    confirmed: Collection[Jump] = (),
    actor: Actor,
) -> None:
    """Set prices from now or a later time on: all of them, or none.

    Args:
        confirmed: The large changes that the person has confirmed.

    Raises:
        AreaGone: If there is no such area (any more).
        UnknownGrade: If an area does not offer a grade.
        FuelPriceChanged: If one of the prices has been set meanwhile.
        InvalidForm: If they would take effect in the past, or too far ahead.
        BigJumps: If some differ much from the price in effect then, and are not confirmed.
    """
    actor.require(Role.ADMIN)
    async with transaction() as session:
        at = effective_from(terms, clock.now())
        percent = await policies.value(session, PRICE_JUMP)
        jumps: list[Jump] = []
        for area_id, of_area in groupby(sorted(new, key=_area_of), key=_area_of):
            area = await queries.lock_area(session, well_formed_id(area_id) or "")
            rows = await queries.prices_in_effect(session, area.id, at)
            before = {row.grade: row.mills for row in rows}
            for each in of_area:
                if each.grade not in area.grades:
                    raise UnknownGrade
                if await queries.price_revision(session, area.id, each.grade) != each.seen:
                    raise FuelPriceChanged
                old = before.get(each.grade)
                if old and is_jump(old, each.mills, percent):
                    jumps.append(Jump(grade_name(each.grade, area.name), old, each.mills))
                await _set_price(session, area.id, each, terms, at, old, actor)
        if not set(jumps) <= set(confirmed):
            raise BigJumps(jumps)
    await signals().publish(PRICES)


def _area_of(new: NewPrice) -> str:
    return new.area_id


async def _set_price(
    session: AsyncSession,
    area_id: str,
    new: NewPrice,
    terms: PriceTerms,
    at: datetime,
    old: int | None,
    actor: Actor,
) -> None:
    price = {"grade": new.grade, "mills": new.mills, "source": terms.source}
    who = str(actor)
    session.add(
        StoredPrice(area_id=area_id, **price, cost_mills=new.cost, effective_at=at, set_by=who)
    )
    cost = {} if new.cost is None else {"cost_mills": new.cost}
    after = price | cost | {"effective_at": at.isoformat()}
    change = Change(area_id, {"mills": old}, after)
    await audit.record(session, Action(NOUN, "set", who), [change])


async def board(*, actor: Actor) -> list[GradeLine]:
    """Return the prices of each grade of each area, with the names of those who set them."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        days = await policies.value(session, PRICE_DAYS)
        proposed = await queries.proposals(session)
        histories = [
            (area, await queries.price_history(session, area.id))
            for area in await queries.list_areas(session)
        ]
    names = await directory.names(row.set_by for _, rows in histories for row in rows)
    now = clock.now()
    return [
        GradeLine.of(
            area.id,
            area.name,
            grade,
            [replace(row, set_by=names[row.set_by]) for row in rows if row.grade == grade],
            proposed.get(grade),
            now,
            days,
        )
        for area, rows in histories
        for grade in area.grades
    ]


OLD_PRICES = Attention(
    "prices", "Fuel prices to set", href=routes.SETTINGS_PRICES, is_for_admins=True
)


async def prices_old(session: AsyncSession, now: datetime) -> Attention:
    """Return the grades on offer without a price, then those with an old one: three statements."""
    days = await policies.value(session, PRICE_REMINDER_DAYS)
    newest = await queries.newest_prices(session, now)
    old = [
        (newest.get((area_id, grade)), grade_name(grade, area), f"{area_id} {grade}")
        for area_id, area, grades in await queries.grades_of_open(session)
        for grade in grades
        if is_stale(newest.get((area_id, grade), _NEVER), now, days)
    ]
    return OLD_PRICES.with_lines(
        Waiting(
            id=key,
            text=name,
            detail=f"Set {age_words(since, now)}" if since else "No price: cannot be booked",
            href=routes.SETTINGS_PRICES,
        )
        for since, name, key in sorted(old, key=lambda each: each[0] or _NEVER)
    )


_NEVER = datetime.min.replace(tzinfo=UTC)


async def costs_at(session: AsyncSession, at: datetime) -> dict[tuple[str, str], int]:
    """Return what a gallon cost the company at a moment, in mills, by area and grade."""
    return await queries.costs_at(session, at)


async def published(session: AsyncSession) -> dict[str, int]:
    """Return the newest weekly price of the EIA by grade, in mills."""
    return {grade: each.mills for grade, each in (await queries.proposals(session)).items()}
