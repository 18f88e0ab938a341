"""The ledger of a plan's fills, in the caller's transaction: what is left, what a booking takes.

Also how it is fitted to a plan that has changed, and how staff read and adjust it.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.kit import audit, policies
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import day_of, now
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.limits import WITHIN, Room
from fuel_app.kit.policies import policy
from fuel_app.plans import queries
from fuel_app.plans.queries import BalanceKey
from fuel_app.plans.rules.ledger import (
    ADJUSTED,
    EXPIRED,
    GRANTED,
    GUEST,
    PLAN,
    RELEASED,
    RESERVED,
    ROLLED,
    USED,
    Adjustment,
    Allowance,
    Claim,
    Entry,
    LedgerView,
    NoFillsLeft,
    NoPeriod,
    Reservation,
    Stock,
    TooFewLeft,
    fills_of,
    grant_key,
    grant_of,
)
from fuel_app.plans.rules.plans import PlanChange, SubscriptionInfo
from fuel_app.plans.tables import LedgerEntry

FILLS_LIMIT = policy(
    "fills_limit",
    "Fills added for a customer in 24 hours without an admin, at most",
    unit="fills",
    default=2,
    least=0,
    most=20,
)


async def allowance(
    session: AsyncSession, person_id: str, day: date, bucket: str = PLAN
) -> Allowance | None:
    """Return the fills for a window on this day in New York: this period's or the next's.

    Guest fills are the quarter's. None where no active plan reaches the day, or it has none. What
    is granted with the first reservation counts.
    """
    grant = await _grant_on(session, person_id, day, bucket)
    return await allowance_of(session, grant) if grant else None


async def allowance_now(
    session: AsyncSession, subscription: SubscriptionInfo, day: date
) -> Allowance | None:
    """Return the fills of a subscription that was read, as `allowance` does."""
    grant = grant_of(subscription, PLAN, day)
    return await allowance_of(session, grant) if grant else None


async def _grant_on(
    session: AsyncSession, person_id: str, day: date, bucket: str, *, lock: bool = False
) -> Allowance | None:
    rows = await queries.subscriptions(session, [person_id], lock=lock)
    return grant_of(queries.info_of(rows[0]), bucket, day) if rows else None


async def allowance_of(session: AsyncSession, grant: Allowance) -> Allowance:
    """Return what a period begins with as its entries have it; by default it is untouched."""
    stored = await queries.balances(session, [grant.balance_key])
    if grant.balance_key not in stored:
        return grant
    fills, rolled, left = stored[grant.balance_key]
    return replace(grant, fills=fills, rolled=rolled, left=left)


async def reserve_fill(session: AsyncSession, wanted: Reservation) -> None:
    """Take a fill of the plan for one of a booking; the same revision of it again takes none.

    The transaction has locked the subscription.

    Raises:
        NoFillsLeft: If none is left, or no active plan reaches the day.
    """
    if wanted.grant is None:
        raise NoFillsLeft
    await _grant(session, wanted.grant, wanted.actor)
    await reserve_returned(session, wanted.grant.balance_key, wanted)


async def reserve_returned(session: AsyncSession, where: BalanceKey, wanted: Reservation) -> None:
    """Take a fill that the transaction has returned itself: without a lock nobody else has it.

    Raises:
        NoFillsLeft
    """
    entry = entry_of(
        where,
        f"reserve:{wanted.fill_id}:{wanted.revision}",
        RESERVED,
        -1,
        actor=wanted.actor,
        booking_id=wanted.booking_id,
        fill_id=wanted.fill_id,
    )
    await queries.add_entry(session, entry)


def entry_of(where: BalanceKey, key: str, kind: str, fills: int, **more: Any) -> LedgerEntry:
    """Return a new entry of a balance, by default the system's."""
    person_id, period, bucket = where
    about = {"person_id": person_id, "period": period, "bucket": bucket, "actor": str(SYSTEM)}
    return LedgerEntry(key=key, kind=kind, fills=fills, **about | more)


async def release_fill(
    session: AsyncSession, fill_id: str, revision: int | str, actor: Actor
) -> None:
    """Return what a fill has taken to the period that it came from, unless it is used."""
    key = f"release:{fill_id}:{revision}"
    await _end_reservation(session, key, RELEASED, 1, fill_id, actor)


async def use_fill(session: AsyncSession, fill_id: str, actor: Actor) -> None:
    """Note that a fill was delivered; it was taken with the reservation."""
    await _end_reservation(session, f"use:{fill_id}", USED, 0, fill_id, actor)


async def _grant(session: AsyncSession, grant: Allowance, actor: str) -> None:
    """Grant the fills of a period, unless they have been granted."""
    entry = entry_of(grant.balance_key, grant.key, GRANTED, grant.fills, actor=actor)
    await queries.add_entry(session, entry)


async def _end_reservation(
    session: AsyncSession, key: str, kind: str, fills: int, fill_id: str, actor: Actor
) -> None:
    held = (await queries.reservations(session, [fill_id])).get(fill_id)
    if held and held.where:
        about = {"actor": str(actor), "booking_id": held.booking_id, "fill_id": fill_id}
        await queries.add_entry(session, entry_of(held.where, key, kind, fills, **about))


async def fit_to_plan(
    session: AsyncSession,
    subscriptions: Mapping[str, SubscriptionInfo],
    claims: Sequence[Claim] = (),
) -> dict[str, date | None]:
    """Grant and expire fills, release and reserve them, until all is as the plans have it.

    Where the next period has become too small the latest bookings lose their fill.

    The transaction has locked the subscriptions and the claims, which come the soonest first.
    Return the period that each fill is taken from, by the fill; None where none is left.
    """
    ids = [each.fill_id for each in claims]
    stored = await queries.reservations(session, ids) if ids else {}
    held = {fill_id: each.where for fill_id, each in stored.items()}
    numbers = {fill_id: each.entries for fill_id, each in stored.items()}
    grants = {
        each.fill_id: grant_of(subscriptions[each.person_id], each.bucket, each.day)
        for each in claims
    }

    async def release(fill_id: str) -> None:
        await release_fill(session, fill_id, f"fit:{numbers[fill_id]}", SYSTEM)
        held[fill_id] = None
        numbers[fill_id] += 1

    for fill_id, where in list(held.items()):
        grant = grants[fill_id]
        if where and (grant is None or grant.balance_key != where):
            await release(fill_id)
    changes = []
    for here, stock in await _stocks(session, subscriptions):
        fills = fills_of(subscriptions[here[0]], stock.bucket, stock.period)
        change, left = stock.change_to(fills), stock.balance
        for fill_id in reversed(ids):
            if left + change < 0 and held.get(fill_id) == here:
                await release(fill_id)
                left += 1
        changes += _adjust_stock(here, stock, max(change, -left))
    await queries.add_entries(session, changes)
    covered: dict[str, date | None] = {}
    for claim in claims:
        grant, where = grants[claim.fill_id], held.get(claim.fill_id)
        if grant and not where:
            name = f"fit:{numbers.get(claim.fill_id, 0)}"
            wanted = Reservation(grant, claim.booking_id, claim.fill_id, name, str(SYSTEM))
            with suppress(NoFillsLeft):
                await reserve_fill(session, wanted)
                where = grant.balance_key
        covered[claim.fill_id] = where[1] if where else None
    return covered


async def _stocks(
    session: AsyncSession, subscriptions: Mapping[str, SubscriptionInfo]
) -> list[tuple[BalanceKey, Stock]]:
    """Return what is stored; each current period is among it, even if nothing was granted yet."""
    starts = {
        person_id: each.periods[0][0].starts if each.periods else date.max
        for person_id, each in subscriptions.items()
    }
    found = []
    for person_id, stocks in (await queries.stocks(session, starts)).items():
        day = starts[person_id]
        if day < date.max and (day, PLAN) not in [(each.period, each.bucket) for each in stocks]:
            stocks.append(Stock(day, PLAN))
        found += [((person_id, each.period, each.bucket), each) for each in stocks]
    return found


def _adjust_stock(here: BalanceKey, stock: Stock, fills: int) -> list[LedgerEntry]:
    """Return the entry that grants or expires fills of a balance, if any."""
    person_id, period, bucket = here
    if fills > 0:
        again = f":{stock.number}" if stock.number else ""
        key = f"{grant_key(person_id, bucket, period)}{again}"
        return [entry_of(here, key, GRANTED, fills)]
    if fills < 0:
        key = f"expire:{person_id}:{period}:{bucket}:{stock.number}"
        return [entry_of(here, key, EXPIRED, fills)]
    return []


async def roll_over(session: AsyncSession, changes: Sequence[PlanChange]) -> None:
    """Move the unused fills that plans roll over from their period to the one begun now."""
    moves: dict[BalanceKey, tuple[BalanceKey, int]] = {}
    for change in changes:
        before, after = change.before, change.after
        if not before.periods or not after.periods:
            continue
        (former, plan), (period, _) = before.periods[0], after.periods[0]
        if former.starts != period.starts and plan.rolls_over:
            out, into = [(before.person_id, each.starts, PLAN) for each in (former, period)]
            moves[out] = into, plan.rolls_over
    entries = []
    stored = await queries.balances(session, moves) if moves else {}
    for out, (*_, left) in stored.items():
        into, most = moves[out]
        if fills := min(most, left):
            key = f"roll:{out[0]}:{out[1]}:{into[1]}"
            entries.append(entry_of(out, f"{key}:out", ROLLED, -fills))
            entries.append(entry_of(into, key, ROLLED, fills))
    await queries.add_entries(session, entries)


SHOWN = 100


async def ledger_of(actor: Actor, person_id: object) -> LedgerView:
    """Return what is left, and the last entries."""
    actor.require(Role.DISPATCHER)
    known_id = well_formed_id(person_id) or ""
    today = day_of(now())
    async with reading() as session:
        current = await allowance(session, known_id, today)
        following = current and await allowance(session, known_id, current.ends)
        guest = await allowance(session, known_id, today, GUEST)
        found = await queries.entries(session, known_id, SHOWN)
        room = await _room(session, actor, known_id)
    who = await directory.names(each.actor for each in found)
    entries = tuple(
        Entry(
            at=row.at,
            kind=row.kind,
            bucket=row.bucket,
            fills=row.fills,
            booking_id=row.booking_id or "",
            who=who[row.actor],
            reason=row.reason,
        )
        for row in found
    )
    return LedgerView(current, following, guest, entries, room)


async def adjust_fills(actor: Actor, person_id: object, form: Adjustment, key: str) -> None:
    """Add fills to this period or take some away. The same key again does nothing.

    Raises:
        NotAllowed
        NoPeriod: If no plan is active.
        TooFewLeft: If fewer are left than are taken away.
        InvalidForm: If it is more than the actor may add for a customer. Taking fills away again
            makes no room.
    """
    actor.require(Role.DISPATCHER)
    known_id = well_formed_id(person_id) or ""
    async with transaction() as session:
        grant = await _grant_on(session, known_id, day_of(now()), PLAN, lock=True)
        if await queries.has_entry(session, f"adjust:{key}"):
            return
        if grant is None:
            raise NoPeriod
        await _grant(session, grant, str(actor))
        room = await _room(session, actor, known_id)
        if room and form.fills > room.left:
            raise InvalidForm({"fills": room.refusal})
        more = {"actor": str(actor), "reason": form.reason}
        entry = entry_of(grant.balance_key, f"adjust:{key}", ADJUSTED, form.fills, **more)
        try:
            await queries.add_entry(session, entry)
        except NoFillsLeft:
            raise TooFewLeft(await queries.fills_left(session, grant.balance_key)) from None
        action = Action("person", "fills_adjusted", str(actor))
        after = {"what": f"{form.fills:+d}, {form.reason}"}
        await audit.record(session, action, [Change(known_id, None, after)])


async def _room(session: AsyncSession, actor: Actor, person_id: str) -> Room | None:
    """Return how many fills an actor may add for a customer now; None for any number."""
    if actor.may(Role.ADMIN):
        return None
    given = await queries.added(session, person_id, now() - WITHIN)
    unlimited = await directory.admins_among(session, [each.actor for each in given])
    counted = [each for each in given if each.actor not in unlimited]
    most = await policies.value(session, FILLS_LIMIT)
    return Room.of(FILLS_LIMIT, most, counted, "for this customer")
