"""Holds, charges, refunds and disputes, by the library."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from stripe import CardError, Charge

from fuel_app.billing.providers.stripe.cards import id_of
from fuel_app.billing.providers.stripe.connection import client, outcomes
from fuel_app.billing.providers.stripe.objects import DisputeInfo, Intent, RefundInfo, Rejected
from fuel_app.kit.money import Money

if TYPE_CHECKING:
    from stripe import PaymentIntent, Refund
    from stripe.params import PaymentIntentCreateParams, RefundCreateParams

_CHARGE = "latest_charge"
_NEEDS_CONFIRMATION = "authentication_required"
_FAILED = ("requires_payment_method", "requires_confirmation", "requires_action")
_REFUND_STATES = {"succeeded": "succeeded", "failed": "failed", "canceled": "failed"}
_PAGE = 100


async def charge(
    payment_id: str,
    *,
    customer_id: str,
    card_id: str,
    amount: Money,
    text: str,
    only_hold: bool = False,
) -> Intent:
    """Charge an amount off-session, or only authorise it. A decline is an intent that failed."""
    params: PaymentIntentCreateParams = {
        "amount": amount.cents,
        "currency": "usd",
        "customer": customer_id,
        "payment_method": card_id,
        "capture_method": "manual" if only_hold else "automatic",
        "confirm": True,
        "off_session": True,
        "metadata": {"payment": payment_id},
        "description": text,
        "expand": [_CHARGE],
    }
    try:
        async with outcomes():
            try:
                made = await client().v1.payment_intents.create_async(
                    params, {"idempotency_key": payment_id}
                )
            except CardError as declined:
                return _declined(declined)
    except Rejected as rejected:
        # The same key with another card or text: the first call may have moved money.
        first = rejected.code == "idempotency_error" and await find_intent(customer_id, payment_id)
        if not first:
            raise
        return first
    return _intent(made)


def _declined(declined: CardError) -> Intent:
    failed = declined.error.payment_intent if declined.error else None
    if failed is None:
        raise declined
    return _intent(failed, _code_of(declined.error))


async def capture(intent_id: str, *, amount: Money, key: str) -> Intent:
    """Capture a part or all of a hold; one that is captured is returned as it is.

    Raises:
        Rejected: If it was released or has expired.
    """
    try:
        async with outcomes():
            captured = await client().v1.payment_intents.capture_async(
                intent_id,
                {"amount_to_capture": amount.cents, "expand": [_CHARGE]},
                {"idempotency_key": key},
            )
    except Rejected:
        now = await intent(intent_id)
        if now.status == "succeeded":
            return now
        raise
    return _intent(captured)


async def release(intent_id: str, *, key: str) -> Intent:
    """Release a hold; one that is released, captured or expired is returned as it is."""
    try:
        async with outcomes():
            released = await client().v1.payment_intents.cancel_async(
                intent_id, {"expand": [_CHARGE]}, {"idempotency_key": key}
            )
    except Rejected:
        now = await intent(intent_id)
        if now.status in {"canceled", "succeeded"}:
            return now
        raise
    return _intent(released)


async def intent(intent_id: str) -> Intent:
    """Read an intent anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        return _intent(
            await client().v1.payment_intents.retrieve_async(intent_id, {"expand": [_CHARGE]})
        )


async def find_intent(customer_id: str, payment_id: str) -> Intent | None:
    """Find a payment by our id in its metadata, where its key may have expired."""
    async with outcomes():
        page = await client().v1.payment_intents.list_async(
            {"customer": customer_id, "limit": _PAGE, "expand": [f"data.{_CHARGE}"]}
        )
        async for found in page.auto_paging_iter():
            if _ours(found, "payment") == payment_id:
                return _intent(found)
    return None


def _intent(found: "PaymentIntent", code: str = "") -> Intent:
    charged, card = found.latest_charge, None
    if isinstance(charged, Charge) and charged.payment_method_details:
        card = charged.payment_method_details.card
    before = getattr(card, "capture_before", None)
    is_failed = found.status in _FAILED
    if is_failed and not code:
        code = _code_of(found.last_payment_error)
    if found.status == "requires_action":
        code = _NEEDS_CONFIRMATION
    return Intent(
        id=found.id,
        status="failed" if is_failed else found.status,
        received=Money(found.amount_received),
        payment_id=_ours(found, "payment"),
        capture_before=datetime.fromtimestamp(before, UTC) if before else None,
        code=code if is_failed else "",
        brand=getattr(card, "brand", None) or "",
        last4=getattr(card, "last4", None) or "",
    )


def _code_of(error: Any) -> str:
    return getattr(error, "decline_code", None) or getattr(error, "code", None) or ""


def _ours(found: "PaymentIntent | Refund", name: str) -> str:
    return getattr(found.metadata, name, "")


async def refund(refund_id: str, *, intent_id: str, amount: Money) -> RefundInfo:
    """Refund a part or all of a payment. One that is made is found again without its key, too.

    Raises:
        Rejected: If it is more than what is left of the payment.
    """
    params: RefundCreateParams = {
        "payment_intent": intent_id,
        "amount": amount.cents,
        "metadata": {"refund": refund_id},
    }
    async with outcomes():
        refunds = client().v1.refunds
        page = await refunds.list_async({"payment_intent": intent_id, "limit": _PAGE})
        async for found in page.auto_paging_iter():
            if _ours(found, "refund") == refund_id:
                return _refund(found)
        return _refund(await refunds.create_async(params, {"idempotency_key": refund_id}))


async def read_refund(provider_id: str) -> RefundInfo:
    """Read a refund anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        return _refund(await client().v1.refunds.retrieve_async(provider_id))


def _refund(found: "Refund") -> RefundInfo:
    status = _REFUND_STATES.get(found.status or "", "pending")
    return RefundInfo(found.id, status, _ours(found, "refund"))


async def read_dispute(provider_id: str) -> DisputeInfo:
    """Read a dispute anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        found = await client().v1.disputes.retrieve_async(provider_id)
    return DisputeInfo(found.id, found.status, id_of(found.payment_intent), Money(found.amount))
