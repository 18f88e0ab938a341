"""Customers of the stand-in and their test cards."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers.stand_in.events import tell
from fuel_app.billing.providers.stand_in.objects import CARD, CUSTOMER, add, change, find
from fuel_app.billing.providers.stand_in.parameters import Refused
from fuel_app.billing.tables import StandInObject
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction


@dataclass(frozen=True, slots=True)
class TestCard:
    """A test card, and how charging it fails: by Stripe's codes; empty where it does not."""

    __test__ = False  # pytest's word for what it collects

    label: str
    last4: str
    code: str = ""
    decline_code: str = ""


WORKS, DECLINED, NEEDS_CONFIRMATION = "works", "declined", "needs_confirmation"
TEST_CARDS = {
    WORKS: TestCard("Works", "4242"),
    DECLINED: TestCard("Is declined at once", "0002", "card_declined", "generic_decline"),
    "declined_later": TestCard(
        "Can be added, is declined when it is charged", "0341", "card_declined", "generic_decline"
    ),
    "insufficient_funds": TestCard(
        "Can be added, has insufficient funds", "9995", "card_declined", "insufficient_funds"
    ),
    "expires": TestCard("Can be added, then expires", "0069", "expired_card", "expired_card"),
    NEEDS_CONFIRMATION: TestCard(
        "Needs your confirmation for each payment",
        *("3184", "authentication_required", "authentication_required"),
    ),
}


async def create_customer(session: AsyncSession, given: dict[str, Any], _id: str) -> StandInObject:
    return add(session, CUSTOMER, **given)


async def detach_card(session: AsyncSession, _given: dict[str, Any], row_id: str) -> StandInObject:
    row = await find(session, CARD, row_id)
    if not row.body["customer"]:
        message = "The payment method you provided is not attached to a customer."
        raise Refused("payment_method_unexpected_state", message, param="payment_method")
    change(row, customer=None)
    await tell(session, "payment_method.detached", row)
    return row


async def attach(
    session: AsyncSession, customer_id: str, kind: str, fingerprint: str = ""
) -> StandInObject:
    """Give a customer a new card; by default its number's fingerprint is no other customer's."""
    await find(session, CUSTOMER, customer_id, "customer")
    number = f"{customer_id}:{kind}"  # else one person's second account would be everybody's
    today, card = clock.day_of(clock.now()), TEST_CARDS[kind]
    about = {
        "brand": "visa",
        "last4": card.last4,
        "exp_month": 12,
        "exp_year": today.year + (0 if card.code == "expired_card" else 4),
        "fingerprint": fingerprint or sha256(number.encode()).hexdigest()[:16],
    }
    return add(session, CARD, type="card", customer=customer_id, card=about, _kind=kind)


async def add_card(customer_id: str, kind: str = WORKS, fingerprint: str = "") -> str:
    """Give a customer a new card without a visit to the page. Return its id."""
    async with transaction() as session:
        return (await attach(session, customer_id, kind, fingerprint)).id


async def usable(session: AsyncSession, card_id: str, customer_id: str) -> TestCard:
    """Return the test card of a payment.

    Raises:
        Refused: If it is not the customer's (any more).
    """
    row = await find(session, CARD, card_id, CARD)
    if row.body["customer"] != customer_id:
        message = "The customer does not have a payment method with this ID."
        raise Refused("resource_missing", message, param=CARD)
    return TEST_CARDS[row.body["_kind"]]
