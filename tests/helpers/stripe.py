"""Cards and payments of the stand-in for Stripe, and what banks do to them."""

from datetime import timedelta

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in import payments
from fuel_app.billing.providers.stand_in.objects import (
    DISPUTE,
    INTENT,
    REFUND,
    WORKS,
    add,
    add_card,
    change,
    find,
    seconds,
    send_event,
)
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money

FORTY = Money(4_000)


async def a_customer() -> str:
    return await stripe.create_customer(new_id(), name="Ada Lovelace", email="ada@example.com")


async def a_customer_with_card(test_card: str = WORKS) -> tuple[str, str]:
    """Return the ids of a customer and of a card."""
    customer_id = await a_customer()
    return customer_id, await add_card(customer_id, test_card)


async def a_hold(test_card: str = WORKS, amount: Money = FORTY) -> stripe.Intent:
    return await a_charge(test_card, amount, only_hold=True)


async def a_charge(
    test_card: str = WORKS, amount: Money = FORTY, *, only_hold: bool = False
) -> stripe.Intent:
    customer_id, card_id = await a_customer_with_card(test_card)
    about = {"customer_id": customer_id, "card_id": card_id, "amount": amount, "text": "Plan"}
    return await stripe.charge(new_id(), **about, only_hold=only_hold)


async def expire_hold(intent_id: str) -> None:
    """Let a hold expire before it is captured."""
    async with transaction() as session:
        await payments.cancel_row(session, await find(session, INTENT, intent_id), "automatic")


async def fail_refund(refund_id: str) -> None:
    """Let a bank send a refund back."""
    async with transaction() as session:
        row = await find(session, REFUND, refund_id)
        change(row, status="failed")
        intent = await find(session, INTENT, row.body["payment_intent"])
        payments.refunded(intent, -row.body["amount"])
        await send_event(session, "refund.failed", row)


async def open_dispute(intent_id: str) -> str:
    """Dispute a whole payment, as its customer's bank does. Return the dispute's id."""
    async with transaction() as session:
        amount = (await find(session, INTENT, intent_id)).body["amount_received"]
        about = {"amount": amount, "payment_intent": intent_id, "status": "needs_response"}
        about |= {"evidence_details": {"due_by": seconds(timedelta(days=7))}}
        row = add(session, DISPUTE, intent_id, **about)
        await send_event(session, "charge.dispute.created", row)
        return row.id


async def close_dispute(dispute_id: str, status: str) -> None:
    """Decide a dispute: 'won' or 'lost'."""
    async with transaction() as session:
        row = await find(session, DISPUTE, dispute_id)
        change(row, status=status)
        await send_event(session, "charge.dispute.closed", row)
