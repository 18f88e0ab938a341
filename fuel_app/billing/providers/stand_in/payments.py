"""Payment intents, refunds and disputes of the stand-in."""

from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers.stand_in.cards import (
    NEEDS_CONFIRMATION,
    TEST_CARDS,
    TestCard,
    usable,
)
from fuel_app.billing.providers.stand_in.events import tell
from fuel_app.billing.providers.stand_in.objects import (
    INTENT,
    REFUND,
    add,
    an_id,
    change,
    find,
    seconds,
    shown,
)
from fuel_app.billing.providers.stand_in.parameters import Refused
from fuel_app.billing.tables import StandInObject

HOLD_LASTS = timedelta(days=4, hours=18)  # Visa's, for a payment without the customer
_LEAST = 50  # cents
_TO_CAPTURE, _PAID, _OVER, _UNPAID = STATES = (
    *("requires_capture", "succeeded", "canceled", "requires_payment_method"),
)


async def create_intent(session: AsyncSession, given: dict[str, Any], _id: str) -> StandInObject:
    if given["amount"] < _LEAST:
        raise Refused("amount_too_small", "Amount must be at least $0.50 usd", param="amount")
    card = await usable(session, given["payment_method"], given["customer"])
    row = new_intent(session, given)
    await _confirm(session, row, given["payment_method"], card, off_session=True)
    return row


def new_intent(session: AsyncSession, given: dict[str, Any]) -> StandInObject:
    return add(
        session,
        INTENT,
        given["customer"],
        amount=given["amount"],
        amount_received=0,
        amount_capturable=0,
        currency="usd",
        customer=given["customer"],
        capture_method=given.get("capture_method", "automatic"),
        description=given.get("description"),
        metadata=given.get("metadata", {}),
        payment_method=None,
        status=_UNPAID,
        latest_charge=None,
        last_payment_error=None,
        cancellation_reason=None,
    )


async def confirm(session: AsyncSession, row: StandInObject, card_id: str) -> None:
    """Charge or hold an intent's amount, with the customer there to confirm it.

    Raises:
        Refused: If the card is declined; the intent stays, and says why.
    """
    card = await usable(session, card_id, row.owner)
    await _confirm(session, row, card_id, card, off_session=False)


async def _confirm(
    session: AsyncSession, row: StandInObject, card_id: str, card: TestCard, *, off_session: bool
) -> None:
    confirmed = card is TEST_CARDS[NEEDS_CONFIRMATION] and not off_session
    if card.code and not confirmed:
        codes = {"code": card.code, "decline_code": card.decline_code}
        message = "Your card was declined."
        error = {"type": "card_error", "message": message} | codes
        change(row, last_payment_error=error)
        await tell(session, "payment_intent.payment_failed", row)
        body = await shown(session, row.body, [])
        codes.pop("code")
        raise Refused(card.code, message, 402, payment_intent=body, **codes)
    shown_as = {"brand": "visa", "last4": card.last4, "capture_before": seconds(HOLD_LASTS)}
    charge = {
        "id": an_id("ch"),
        "object": "charge",
        "captured": False,
        "amount_refunded": 0,
        "payment_method_details": {"type": "card", "card": shown_as},
    }
    change(row, payment_method=card_id, latest_charge=charge)
    if row.body["capture_method"] == "manual":
        change(row, status=_TO_CAPTURE, amount_capturable=row.body["amount"])
        await tell(session, "payment_intent.amount_capturable_updated", row)
    else:
        await _paid(session, row, row.body["amount"])


async def _paid(session: AsyncSession, row: StandInObject, amount: int) -> None:
    charge = row.body["latest_charge"] | {"captured": True}
    about = {"status": _PAID, "amount_received": amount, "amount_capturable": 0}
    change(row, latest_charge=charge, **about)
    await tell(session, "payment_intent.succeeded", row)


async def read_intent(session: AsyncSession, _given: dict[str, Any], row_id: str) -> StandInObject:
    """Return an intent; a hold that was not captured in time is cancelled by then."""
    row = await find(session, INTENT, row_id)
    if row.body["status"] == _TO_CAPTURE:
        details = row.body["latest_charge"]["payment_method_details"]
        if details["card"]["capture_before"] <= seconds():
            await cancel(session, row, "automatic")
    return row


async def capture_intent(
    session: AsyncSession, given: dict[str, Any], row_id: str
) -> StandInObject:
    row = await read_intent(session, given, row_id)
    amount = given.get("amount_to_capture", row.body["amount_capturable"])
    _expect(row, _TO_CAPTURE)
    if amount > row.body["amount_capturable"]:
        message = "The amount exceeds the amount capturable."
        raise Refused("amount_too_large", message, param="amount_to_capture")
    if amount < 1:
        raise Refused("parameter_invalid_integer", "Too small", param="amount_to_capture")
    await _paid(session, row, amount)
    return row


async def cancel_intent(session: AsyncSession, given: dict[str, Any], row_id: str) -> StandInObject:
    row = await read_intent(session, given, row_id)
    _expect(row, _TO_CAPTURE, _UNPAID)
    await cancel(session, row, None)
    return row


async def cancel(session: AsyncSession, row: StandInObject, reason: str | None) -> None:
    change(row, status=_OVER, amount_capturable=0, cancellation_reason=reason)
    await tell(session, "payment_intent.canceled", row)


def _expect(row: StandInObject, *states: str) -> None:
    if row.body["status"] not in states:
        message = f"This PaymentIntent has a status of {row.body['status']}."
        raise Refused("payment_intent_unexpected_state", message)


async def create_refund(session: AsyncSession, given: dict[str, Any], _id: str) -> StandInObject:
    intent = await find(session, INTENT, given["payment_intent"], INTENT)
    charge = intent.body["latest_charge"]
    left = intent.body["amount_received"] - charge["amount_refunded"] if charge else 0
    if not left:
        raise Refused("charge_already_refunded", "Nothing is left of this charge.")
    if not 0 < given["amount"] <= left:
        raise Refused("amount_too_large", "Greater than what is left of it.", param="amount")
    row = add(session, REFUND, intent.id, status=_PAID, **given)
    refunded(intent, given["amount"])
    await tell(session, "refund.created", row)
    return row


def refunded(intent: StandInObject, more: int) -> None:
    charge = intent.body["latest_charge"]
    refunded = charge["amount_refunded"] + more
    change(intent, latest_charge=charge | {"amount_refunded": refunded})
