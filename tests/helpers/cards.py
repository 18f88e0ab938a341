"""Payers with a card, and visits to the stand-in's checkout page as a browser makes them."""

from dataclasses import replace

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in import payments
from fuel_app.billing.providers.stand_in.objects import LIMITED, WORKS, add_card
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import Payer
from fuel_app.kit.db.session import transaction
from tests.helpers.people import rows

GUEST_KEY = "guest-with-a-card"


def with_card(payer: Payer) -> Payer:
    """Give a payer a card that works, of which the stand-in knows nothing."""
    payer.provider_id, payer.card_id = f"cus_{payer.id}", f"pm_{payer.id}"
    payer.card_brand, payer.card_last4 = "visa", "4242"
    payer.card_month, payer.card_year = 8, 2030
    payer.card_fingerprint = f"fp_{payer.id}"
    return payer


async def person_with_card(session: AsyncSession, person_id: str) -> None:
    with_card(await invoices.payer_of_person(session, person_id))


async def guest_with_card(key: str = GUEST_KEY) -> str:
    """Return the key of a guest's tab that has a card."""
    async with transaction() as session:
        payer = await invoices.payer_of_guest(session, key)
        if not payer.card_id:
            with_card(payer)
    return key


async def limit_card(**whose: object) -> None:
    """Give a payer the stand-in's card that is declined above $75."""
    [payer] = await rows(Payer, **whose)
    customer = await stripe.create_customer(f"c:{payer.id}", name="Ada", email="a@example.com")
    card_id = await add_card(customer, LIMITED)
    async with transaction() as session:
        row = await session.get_one(Payer, payer.id)
        row.provider_id, row.card_id, row.card_last4 = customer, card_id, "7500"


def visit_in(address: str) -> str:
    """Return the provider's id of a visit from the address of its page."""
    return address.rsplit("/", 1)[-1]


async def add_at_page(address: str, card: str = WORKS) -> str:
    """Add a card on the page. Return the visit."""
    assert await payments.complete_page(visit_in(address), card)
    return visit_in(address)


async def refuse_at_page(address: str, card: str) -> None:
    """Try a card on the page that is refused there."""
    assert not await payments.complete_page(visit_in(address), card)


def keep_at_the_bank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each payment be processing still, whatever was done on the page."""
    read = stripe.read_intent

    async def processing(intent_id: str) -> stripe.Intent:
        return replace(await read(intent_id), status="processing")

    monkeypatch.setattr(stripe, "read_intent", processing)
