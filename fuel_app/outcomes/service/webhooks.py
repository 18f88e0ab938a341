"""Stripe's webhooks: each event is handled once, and only names an object, which is read anew."""

import structlog
from sqlalchemy import update
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import DisputeInfo
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.invoices import DISPUTED, STRIPE
from fuel_app.billing.service import cards, payments
from fuel_app.billing.service.invoices import post_entry
from fuel_app.billing.tables import StoredPayment, WebhookEvent
from fuel_app.kit import jobs
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new, reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.outcomes.service import charges, checkouts

WON = "won"
_INQUIRY = "warning"  # no money has moved yet


async def sync_dispute(dispute_id: str) -> bool:
    """Read a dispute anew and store its status. Return whether its payment is one of ours.

    It is read once more after that: another webhook may have stored a later status meanwhile.

    Raises:
        Rejected: If Stripe knows no such dispute.
        Unavailable
    """
    info = await stripe.read_dispute(dispute_id)
    while await _store_dispute(info):
        stored, info = info, await stripe.read_dispute(dispute_id)
        if info.status == stored.status:
            return True
    return False


async def _store_dispute(info: DisputeInfo) -> bool:
    async with transaction() as session:
        row = await queries.row_by(session, StoredPayment, provider_id=info.intent_id, lock=True)
        if row is None:
            return False
        row.dispute, row.dispute_due_at = info.status, info.due_at
        about = {"invoice_id": row.invoice_id, "text": "Dispute"}
        if not info.status.startswith(_INQUIRY):
            await post_entry(session, f"dispute:{info.id}", DISPUTED, STRIPE, info.amount, **about)
        if info.status == WON:
            await post_entry(
                session, f"dispute_won:{info.id}", STRIPE, DISPUTED, info.amount, **about
            )
        return True


log = structlog.get_logger()

WEBHOOK_JOB = "billing.webhook"


async def receive(body: bytes, signature: str) -> None:
    """Note an event of Stripe, and the job that reads its object anew. A second time: nothing.

    Raises:
        stripe.BadSignature: If it is forged, or not of now.
        stripe.NoEvent: If it is signed, and no event.
    """
    event = stripe.read_event(body, signature)
    values = {"id": event.id, "type": event.type, "object_id": event.object_id}
    async with transaction() as session:
        new = insert_new(session, WebhookEvent).values(
            **values, outcome="queued", received_at=now()
        )
        if await session.scalar(new.returning(col(WebhookEvent.id))):
            await jobs.enqueue(
                session, WEBHOOK_JOB, {"id": event.id}, key=f"{WEBHOOK_JOB}:{event.id}"
            )


async def handle(event_id: str) -> None:
    """Read the object of an event anew, and store what has become of it."""
    async with reading() as session:
        event = await session.get_one(WebhookEvent, event_id)
    outcome = await _outcome(event.type, event.object_id)
    if outcome == "unmatched":
        log.warning("webhook.unmatched", type=event.type, object=event.object_id)
    async with transaction() as session:
        statement = update(WebhookEvent).where(col(WebhookEvent.id) == event_id)
        await session.execute(statement.values(outcome=outcome))


async def _outcome(kind: str, object_id: str) -> str:
    noun = kind.rpartition(".")[0]
    reads = {
        "payment_intent": charges.sync_payment,
        "refund": payments.sync_refund,
        "charge.dispute": sync_dispute,
        "checkout.session": checkouts.complete_checkout,
        "payment_method": cards.reread_card,
    }
    if noun not in reads:
        return "ignored"
    try:
        return "done" if await reads[noun](object_id) else "unmatched"
    except stripe.Rejected:  # Stripe knows no such object (any more)
        return "unmatched"


async def retry_event(actor: Actor, event_id: str) -> None:
    """Read the object of an unmatched event once more, by a job.

    Raises:
        NotAllowed
    """
    actor.require(Role.ADMIN)
    unmatched = col(WebhookEvent.id) == event_id, col(WebhookEvent.outcome) == "unmatched"
    queued = update(WebhookEvent).where(*unmatched).values(outcome="queued")
    async with transaction() as session:
        if known := await session.scalar(queued.returning(col(WebhookEvent.id))):
            await jobs.enqueue(
                session, WEBHOOK_JOB, {"id": known}, key=f"{WEBHOOK_JOB}:{known}:{new_id()}"
            )
