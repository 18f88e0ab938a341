"""Customers, their cards, and visits to Stripe's page, where a card's number is typed."""

from typing import TYPE_CHECKING, Any

from stripe import PaymentIntent, SetupIntent

from fuel_app.billing.providers.stripe.connection import client, outcomes
from fuel_app.billing.providers.stripe.objects import Card, CheckoutSession, Rejected
from fuel_app.kit.money import Money

if TYPE_CHECKING:
    from stripe import PaymentMethod, checkout
    from stripe.params import CustomerCreateParams
    from stripe.params.checkout import SessionCreateParams


async def create_customer(key: str, *, name: str, email: str) -> str:
    """Make a customer of Stripe; the same key returns the same one. Return its id."""
    params: CustomerCreateParams = {"email": email}
    if name:  # Stripe takes no empty texts
        params["name"] = name
    async with outcomes():
        made = await client().v1.customers.create_async(params, {"idempotency_key": key})
    return made.id


async def begin_setup(
    setup_id: str, *, customer_id: str, success_url: str, cancel_url: str
) -> CheckoutSession:
    """Begin to add a card on Stripe's page."""
    params: SessionCreateParams = {"mode": "setup", "currency": "usd", "customer": customer_id}
    return await _begin(setup_id, params, success_url, cancel_url)


async def begin_hosted(
    payment_id: str,
    *,
    customer_id: str,
    amount: Money,
    text: str,
    success_url: str,
    cancel_url: str,
    only_hold: bool = False,
) -> CheckoutSession:
    """Begin a payment that the customer confirms on Stripe's page, or only a hold."""
    params: SessionCreateParams = {
        "mode": "payment",
        "customer": customer_id,
        "line_items": [
            {
                "price_data": {
                    "currency": "usd",
                    "product_data": {"name": text},
                    "unit_amount": amount.cents,
                },
                "quantity": 1,
            }
        ],
        "payment_intent_data": {
            "capture_method": "manual" if only_hold else "automatic",
            "metadata": {"payment": payment_id},
            "setup_future_usage": "off_session",
        },
    }
    return await _begin(payment_id, params, success_url, cancel_url)


async def _begin(
    setup_id: str, params: "SessionCreateParams", success_url: str, cancel_url: str
) -> CheckoutSession:
    params |= {
        "client_reference_id": setup_id,
        "success_url": success_url,
        "cancel_url": cancel_url,
        "expand": ["setup_intent", "payment_intent"],
    }
    async with outcomes():
        made = await client().v1.checkout.sessions.create_async(
            params, {"idempotency_key": setup_id}
        )
    return _session(made)


async def checkout_session(session_id: str) -> CheckoutSession:
    """Read a visit anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        found = await client().v1.checkout.sessions.retrieve_async(
            session_id, {"expand": ["setup_intent", "payment_intent"]}
        )
    return _session(found)


async def expire_session(session_id: str) -> None:
    """End a session that is still open; one that has ended stays as it is."""
    try:
        async with outcomes():
            await client().v1.checkout.sessions.expire_async(session_id)
    except Rejected:
        now = await checkout_session(session_id)
        if not (now.is_complete or now.is_expired):
            raise


def _session(found: "checkout.Session") -> CheckoutSession:
    payment = found.payment_intent
    used = payment or found.setup_intent  # expanded
    method = used.payment_method if isinstance(used, PaymentIntent | SetupIntent) else None
    return CheckoutSession(
        id=found.id,
        url=found.url or "",
        is_complete=found.status == "complete",
        is_expired=found.status == "expired",
        setup_id=found.client_reference_id or "",
        card_id=id_of(method) if found.status == "complete" else "",
        intent_id=id_of(payment),
    )


async def card(card_id: str) -> Card:
    """Read a card anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        return _card(await client().v1.payment_methods.retrieve_async(card_id))


async def detach_card(card_id: str) -> None:
    """Remove a card from its customer; one that is removed stays so."""
    try:
        async with outcomes():
            await client().v1.payment_methods.detach_async(card_id)
    except Rejected:
        if (await card(card_id)).customer_id:
            raise


def _card(found: "PaymentMethod") -> Card:
    shown = found.card
    return Card(
        id=found.id,
        brand=shown.brand if shown else found.type,
        last4=(shown.last4 if shown else None) or "",
        month=shown.exp_month if shown else 0,
        year=shown.exp_year if shown else 0,
        fingerprint=(shown.fingerprint if shown else None) or "",
        customer_id=id_of(found.customer),
    )


def id_of(named: Any) -> str:
    """Return the id of an object that may be expanded; empty for none."""
    return named if isinstance(named, str) else named.id if named else ""
