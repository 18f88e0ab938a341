"""Payment intents, refunds, disputes and checkout sessions of the stand-in."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.billing.providers.stand_in.objects import (
    CUSTOMER,
    DECLINED,
    INTENT,
    NEEDS_CONFIRMATION,
    REFUND,
    SESSION,
    TEST_CARDS,
    Refused,
    TestCard,
    add,
    an_id,
    attach,
    change,
    find,
    seconds,
    send_event,
    shown,
    usable,
)
from fuel_app.billing.tables import StandInObject
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money

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
    is_within = row.body["amount"] <= card.limit
    if card.code and not (confirmed or is_within):
        codes = {"code": card.code, "decline_code": card.decline_code}
        message = "Your card was declined."
        error = {"type": "card_error", "message": message} | codes
        change(row, last_payment_error=error)
        await send_event(session, "payment_intent.payment_failed", row)
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
        await send_event(session, "payment_intent.amount_capturable_updated", row)
    else:
        await _mark_paid(session, row, row.body["amount"])


async def _mark_paid(session: AsyncSession, row: StandInObject, amount: int) -> None:
    charge = row.body["latest_charge"] | {"captured": True}
    about = {"status": _PAID, "amount_received": amount, "amount_capturable": 0}
    change(row, latest_charge=charge, **about)
    await send_event(session, "payment_intent.succeeded", row)


async def read_intent(session: AsyncSession, _given: dict[str, Any], row_id: str) -> StandInObject:
    """Return an intent; a hold that was not captured in time is cancelled by then."""
    row = await find(session, INTENT, row_id)
    if row.body["status"] == _TO_CAPTURE:
        details = row.body["latest_charge"]["payment_method_details"]
        if details["card"]["capture_before"] <= seconds():
            await cancel_row(session, row, "automatic")
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
    await _mark_paid(session, row, amount)
    return row


async def cancel_intent(session: AsyncSession, given: dict[str, Any], row_id: str) -> StandInObject:
    row = await read_intent(session, given, row_id)
    _expect(row, _TO_CAPTURE, _UNPAID)
    await cancel_row(session, row, None)
    return row


async def cancel_row(session: AsyncSession, row: StandInObject, reason: str | None) -> None:
    change(row, status=_OVER, amount_capturable=0, cancellation_reason=reason)
    await send_event(session, "payment_intent.canceled", row)


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
    await send_event(session, "refund.created", row)
    return row


def refunded(intent: StandInObject, more: int) -> None:
    charge = intent.body["latest_charge"]
    refunded = charge["amount_refunded"] + more
    change(intent, latest_charge=charge | {"amount_refunded": refunded})


_OPEN, _DONE, _EXPIRED = "open", "complete", "expired"
_SESSION_LASTS = timedelta(hours=24)


async def create_session(session: AsyncSession, given: dict[str, Any], _id: str) -> StandInObject:
    await find(session, CUSTOMER, given["customer"], CUSTOMER)
    is_setup = given["mode"] == "setup"
    if is_setup and "currency" not in given:
        raise Refused("parameter_missing", "Missing required param: currency.", param="currency")
    setup = {"id": an_id("seti"), "object": "setup_intent", "payment_method": None}
    row = add(
        session,
        SESSION,
        mode=given["mode"],
        customer=given["customer"],
        client_reference_id=given.get("client_reference_id"),
        success_url=given["success_url"],
        cancel_url=given["cancel_url"],
        status=_OPEN,
        expires_at=seconds(_SESSION_LASTS),
        setup_intent=setup if is_setup else None,
        payment_intent=None,
        _lines=given.get("line_items", []),
        _payment=given.get("payment_intent_data", {}),
    )
    own = urlsplit(given["success_url"])  # where the visitor is
    address = f"{own.scheme}://{own.netloc}{routes.test_checkout(row.id)}"
    change(row, url=address)
    return row


async def read_session(session: AsyncSession, _given: dict[str, Any], row_id: str) -> StandInObject:
    """Return a session; one that was not completed in a day has expired."""
    row = await find(session, SESSION, row_id)
    if row.body["status"] == _OPEN and row.body["expires_at"] <= seconds():
        await _end_session(session, row, _EXPIRED)
    return row


async def expire_session(
    session: AsyncSession, given: dict[str, Any], row_id: str
) -> StandInObject:
    row = await read_session(session, given, row_id)
    if row.body["status"] != _OPEN:
        raise Refused("", f"This Session has a status of {row.body['status']}.")
    await _end_session(session, row, _EXPIRED)
    return row


async def _end_session(session: AsyncSession, row: StandInObject, status: str) -> None:
    change(row, status=status, url=None)
    kind = "completed" if status == _DONE else status
    await send_event(session, f"checkout.session.{kind}", row)


@dataclass(frozen=True, slots=True)
class CheckoutPage:
    """A session as its page shows it. `amount` is None where a card is added."""

    is_open: bool
    is_complete: bool
    amount: Money | None
    text: str
    success_url: str
    cancel_url: str


async def read_page(session_id: str) -> CheckoutPage | None:
    """Return a session for its page, by an id that a browser sends; None if there is none."""
    if not session_id.isidentifier():  # PostgreSQL takes no NUL
        return None
    async with transaction() as session:
        try:
            return _page_of(await read_session(session, {}, session_id))
        except Refused:
            return None


def _page_of(row: StandInObject) -> CheckoutPage:
    body = row.body
    lines = body["_lines"]
    total = sum(line["price_data"]["unit_amount"] * line["quantity"] for line in lines)
    return CheckoutPage(
        is_open=body["status"] == _OPEN,
        is_complete=body["status"] == _DONE,
        amount=Money(total) if lines else None,
        text=lines[0]["price_data"]["product_data"]["name"] if lines else "",
        success_url=body["success_url"].replace("{CHECKOUT_SESSION_ID}", row.id),
        cancel_url=body["cancel_url"],
    )


async def complete_page(session_id: str, kind: str) -> bool:
    """Add a test card, or pay with one. Return False if it is declined: the session stays open."""
    async with transaction() as session:
        row = await read_session(session, {}, session_id)
        if row.body["status"] != _OPEN:
            return True
        customer, setup = row.body["customer"], row.body["setup_intent"]
        if setup and kind == DECLINED:
            return False
        card = await attach(session, customer, kind)
        if setup:
            change(row, setup_intent=setup | {"payment_method": card.id})
        elif not await _pay_on_page(session, row, card.id):
            return False
        await _end_session(session, row, _DONE)
        return True


async def _pay_on_page(session: AsyncSession, row: StandInObject, card_id: str) -> bool:
    """Pay a session; all its attempts are of one intent."""
    if row.body[INTENT]:
        intent = await find(session, INTENT, row.body[INTENT])
    else:
        amount = _page_of(row).amount or Money(0)
        about = {"customer": row.body["customer"], "amount": amount.cents} | row.body["_payment"]
        intent = new_intent(session, about)
        change(row, payment_intent=intent.id)
    try:
        await confirm(session, intent, card_id)
    except Refused:
        change(await find(session, "payment_method", card_id), customer=None)
        return False
    return True
