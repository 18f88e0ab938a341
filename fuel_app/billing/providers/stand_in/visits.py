"""Checkout sessions of the stand-in, and what the buttons of its page do."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app import routes
from fuel_app.billing.providers.stand_in import payments
from fuel_app.billing.providers.stand_in.cards import DECLINED, attach
from fuel_app.billing.providers.stand_in.events import tell
from fuel_app.billing.providers.stand_in.objects import (
    CUSTOMER,
    INTENT,
    SESSION,
    add,
    an_id,
    change,
    find,
    seconds,
)
from fuel_app.billing.providers.stand_in.parameters import Refused
from fuel_app.billing.tables import StandInObject
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money

_OPEN, _DONE, _EXPIRED = "open", "complete", "expired"
_LASTS = timedelta(hours=24)


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
        expires_at=seconds(_LASTS),
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
        await _end(session, row, _EXPIRED)
    return row


async def expire_session(
    session: AsyncSession, given: dict[str, Any], row_id: str
) -> StandInObject:
    row = await read_session(session, given, row_id)
    if row.body["status"] != _OPEN:
        raise Refused("", f"This Session has a status of {row.body['status']}.")
    await _end(session, row, _EXPIRED)
    return row


async def _end(session: AsyncSession, row: StandInObject, status: str) -> None:
    change(row, status=status, url=None)
    kind = "completed" if status == _DONE else status
    await tell(session, f"checkout.session.{kind}", row)


@dataclass(frozen=True, slots=True)
class Visit:
    """A session as its page shows it. `amount` is None where a card is added."""

    is_open: bool
    is_complete: bool
    amount: Money | None
    text: str
    success_url: str
    cancel_url: str


async def visit(session_id: str) -> Visit | None:
    """Return a session for its page, by an id that a browser sends; None if there is none."""
    if not session_id.isidentifier():  # PostgreSQL takes no NUL
        return None
    async with transaction() as session:
        try:
            return _visit(await read_session(session, {}, session_id))
        except Refused:
            return None


def _visit(row: StandInObject) -> Visit:
    body = row.body
    lines = body["_lines"]
    total = sum(line["price_data"]["unit_amount"] * line["quantity"] for line in lines)
    return Visit(
        is_open=body["status"] == _OPEN,
        is_complete=body["status"] == _DONE,
        amount=Money(total) if lines else None,
        text=lines[0]["price_data"]["product_data"]["name"] if lines else "",
        success_url=body["success_url"].replace("{CHECKOUT_SESSION_ID}", row.id),
        cancel_url=body["cancel_url"],
    )


async def complete(session_id: str, kind: str) -> bool:
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
        elif not await _pay(session, row, card.id):
            return False
        await _end(session, row, _DONE)
        return True


async def _pay(session: AsyncSession, row: StandInObject, card_id: str) -> bool:
    """Pay a session; all its attempts are of one intent."""
    if row.body[INTENT]:
        intent = await find(session, INTENT, row.body[INTENT])
    else:
        amount = _visit(row).amount or Money(0)
        about = {"customer": row.body["customer"], "amount": amount.cents} | row.body["_payment"]
        intent = payments.new_intent(session, about)
        change(row, payment_intent=intent.id)
    try:
        await payments.confirm(session, intent, card_id)
    except Refused:
        change(await find(session, "payment_method", card_id), customer=None)
        return False
    return True
