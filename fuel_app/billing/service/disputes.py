"""Disputes: a customer's bank takes a payment back until it is decided."""

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import DisputeInfo
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.journal import DISPUTED, STRIPE
from fuel_app.billing.service.journal import post
from fuel_app.kit.db.session import transaction

WON = "won"
_INQUIRY = "warning"  # no money has moved yet


async def sync(dispute_id: str) -> bool:
    """Read a dispute anew and store its status. Return whether its payment is one of ours.

    It is read once more after that: another webhook may have stored a later status meanwhile.

    Raises:
        Rejected: If Stripe knows no such dispute.
        Unavailable
    """
    info = await stripe.read_dispute(dispute_id)
    while await _store(info):
        stored, info = info, await stripe.read_dispute(dispute_id)
        if info.status == stored.status:
            return True
    return False


async def _store(info: DisputeInfo) -> bool:
    async with transaction() as session:
        row = await queries.payment_by_intent(session, info.intent_id)
        if row is None:
            return False
        row.dispute = info.status
        about = {"invoice_id": row.invoice_id, "text": "Dispute"}
        if not info.status.startswith(_INQUIRY):
            await post(session, f"dispute:{info.id}", DISPUTED, STRIPE, info.amount, **about)
        if info.status == WON:
            await post(session, f"dispute_won:{info.id}", STRIPE, DISPUTED, info.amount, **about)
        return True
