"""A customer's ledger of fills as the staff read and adjust it."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.kit import audit, figures
from fuel_app.kit.audit import Action, Change
from fuel_app.kit.clock import day_of, now
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.limits import WITHIN, Room
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import (
    ADJUSTED,
    GUEST,
    PLAN,
    Adjustment,
    Entry,
    LedgerView,
    NoFillsLeft,
    NoPeriod,
    TooFewLeft,
)
from fuel_app.plans.service import ledger
from fuel_app.plans.service.figures import FILLS_LIMIT
from fuel_app.plans.tables import LedgerEntry

SHOWN = 100


async def of_person(actor: Actor, person_id: object) -> LedgerView:
    """Return what is left, and the last entries."""
    actor.require(Role.DISPATCHER)
    known_id = well_formed_id(person_id) or ""
    today = day_of(now())
    async with reading() as session:
        current = await ledger.allowance(session, known_id, today)
        following = current and await ledger.allowance(session, known_id, current.ends)
        guest = await ledger.allowance(session, known_id, today, GUEST)
        found = await queries.entries(session, known_id, SHOWN)
        room = await _room(session, actor, known_id)
    who = await directory.names(each.actor for each in found)
    entries = tuple(_entry(each, who[each.actor]) for each in found)
    return LedgerView(current, following, guest, entries, room)


async def adjust(actor: Actor, person_id: object, form: Adjustment, key: str) -> None:
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
        # What is added at once is counted one by one.
        await queries.locked(session, [known_id])
        if await queries.has_entry(session, f"adjust:{key}"):
            return
        grant = await ledger.give(session, known_id, PLAN, day_of(now()), actor)
        if grant is None:
            raise NoPeriod
        room = await _room(session, actor, known_id)
        if room and form.fills > room.left:
            raise InvalidForm({"fills": room.refusal})
        where = {"person_id": known_id, "period": grant.period, "bucket": PLAN}
        entry = {"reason": form.reason, **where}
        try:
            await ledger.add(session, actor, f"adjust:{key}", ADJUSTED, form.fills, **entry)
        except NoFillsLeft:
            raise TooFewLeft from None
        action = Action("person", "fills_adjusted", str(actor))
        after = {"what": f"{form.fills:+d}, {form.reason}"}
        await audit.record(session, action, [Change(known_id, None, after)])


async def _room(session: AsyncSession, actor: Actor, person_id: str) -> Room | None:
    """Return how many fills an actor may add for a customer now; None for any number."""
    if actor.may(Role.ADMIN):
        return None
    given = await queries.added(session, person_id, now() - WITHIN)
    unlimited = await directory.unlimited(session, [each.actor for each in given])
    counted = [each for each in given if each.actor not in unlimited]
    most = await figures.value(session, FILLS_LIMIT)
    return Room.of(FILLS_LIMIT, most, counted, "for this customer")


def _entry(row: LedgerEntry, who: str) -> Entry:
    booking = row.booking_id or ""
    return Entry(row.at, row.kind, row.bucket, row.fills, booking, who, row.reason)
