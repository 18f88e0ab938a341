"""Credit for who referred a customer, after the customer's first paid fill."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.service import crediting, payers
from fuel_app.billing.service.figures import REFERRAL_CREDIT
from fuel_app.billing.tables import Payer, StoredInvoice
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.customers.service import arrival, facts, vehicles
from fuel_app.kit import figures
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.money import Money

_TEXT = "Your friend's first fill-up"


async def credit(session: AsyncSession, invoice: StoredInvoice) -> None:
    """Credit the referrer of a customer whose first fill was paid; once, and never oneself."""
    friend = await get_row(session, Payer, invoice.payer_id)
    amount = Money(await figures.value(session, REFERRAL_CREDIT))
    if not (friend.person_id and amount.cents):
        return
    if await queries.paid_fills(session, friend.id) > 1:
        return
    referrer_id = await arrival.referrer_of(session, friend.person_id)
    if referrer_id is None or await _shares(session, friend.person_id, referrer_id):
        return
    referrer = await payers.of_person(session, referrer_id, lock=True)
    if friend.card_fingerprint and friend.card_fingerprint == referrer.card_fingerprint:
        return
    key = f"referral:{friend.person_id}"
    await crediting.give_credit(session, referrer, amount, text=_TEXT, actor=SYSTEM, key=key)


async def _shares(session: AsyncSession, person_id: str, referrer_id: str) -> bool:
    """Return whether both are one person, or share a phone or a plate."""
    known = await facts.facts_of(session, [person_id, referrer_id])
    phones = [each.phone for each in known.values() if each.phone]
    plates = [
        {bare_plate(each.license_plate) for each in await vehicles.of_person(session, whose)}
        for whose in (person_id, referrer_id)
    ]
    is_one = person_id == referrer_id or len(set(phones)) < len(phones)
    return is_one or not plates[0].isdisjoint(plates[1])
