"""Stripe by its official library; without a key the same library talks to the stand-in."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import httpx
import stripe
import structlog
from pydantic import BaseModel, StringConstraints, ValidationError
from stripe import (
    CardError,
    Charge,
    HTTPXClient,
    PaymentIntent,
    SetupIntent,
    StripeClient,
    WebhookSignature,
)

from fuel_app.billing.providers.stand_in.objects import secret
from fuel_app.billing.providers.stand_in.transport import StandIn
from fuel_app.kit.money import Money
from fuel_app.settings import settings


class Unavailable(Exception):  # noqa: N818 (expected)
    """The outcome of a call is not known: repeat it with the same key."""


class Rejected(Exception):  # noqa: N818 (expected)
    """A call that Stripe refuses whenever it is repeated, with its code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class BadSignature(Exception):  # noqa: N818 (expected)
    """A webhook that is not Stripe's, or was signed more than five minutes ago or ahead."""


class NoEvent(Exception):  # noqa: N818 (expected)
    """A signed webhook whose body is no event: sent again, it is none either."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A payment as Stripe has it."""

    id: str
    status: str  # 'requires_capture', 'succeeded', 'canceled', 'processing', or 'failed'
    received: Money
    payment_id: str  # ours, from the metadata; '' for one that is not ours
    capture_before: datetime | None = None
    code: str = ""  # why it failed: a decline code, else the error's code
    brand: str = ""  # of the card that was charged or is held
    last4: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A payment method; `customer_id` is empty once it is detached."""

    id: str
    brand: str
    last4: str
    month: int
    year: int
    fingerprint: str
    customer_id: str


@dataclass(frozen=True, slots=True)
class CheckoutSession:
    """A checkout on Stripe's page. Once complete it has a card (setup) or an intent (payment)."""

    id: str
    url: str
    is_complete: bool
    is_expired: bool
    setup_id: str  # ours
    card_id: str = ""
    intent_id: str = ""


@dataclass(frozen=True, slots=True)
class RefundInfo:
    id: str
    status: str  # 'pending', 'succeeded', 'failed'
    refund_id: str  # ours, from the metadata


@dataclass(frozen=True, slots=True)
class DisputeInfo:
    id: str
    status: str
    intent_id: str
    amount: Money
    due_at: datetime | None = None  # evidence is taken until then


@dataclass(frozen=True, slots=True)
class Event:
    """A webhook's event; its object is read anew."""

    id: str
    type: str
    object_id: str


log = structlog.get_logger()

API_VERSION = "2026-10-28.endive"
_TIMEOUT_S = 20  # of a call; the longest event of a tab is twice that
_RETRIES = 2
_TOLERANCE_S = 300  # of a webhook's signature, by our clock
_NO_KEY = "sk_test_stand_in"


class _Http(HTTPXClient):
    """The library's client with httpx's present name for a body; the former one warns."""

    def _get_request_args_kwargs(self, *request: Any, **named: Any) -> Any:
        address, options = super()._get_request_args_kwargs(*request, **named)
        options["content"] = options.pop("data") or None
        return address, options


class _StandInHttp(_Http):
    """The same on the stand-in, which needs no waits."""

    def __init__(self) -> None:
        super().__init__(verify_ssl_certs=False)
        self._client_async = httpx.AsyncClient(transport=StandIn(), trust_env=False)

    async def sleep_async(self, secs: object) -> None:
        return None

    def _handle_request_error(self, e: Exception) -> NoReturn:
        if not isinstance(e, httpx.TransportError):  # not the network's, but the stand-in's own
            raise e
        super()._handle_request_error(e)


@cache
def client() -> StripeClient:
    """Return this process's client; without a key, one of the stand-in."""
    key = settings.stripe_secret_key
    return StripeClient(
        key.get_secret_value() if key else _NO_KEY,
        stripe_version=API_VERSION,
        http_client=_Http(timeout=_TIMEOUT_S) if key else _StandInHttp(),
        max_network_retries=_RETRIES,
    )


@asynccontextmanager
async def outcomes() -> AsyncIterator[None]:
    """Translate the library's errors. Their texts may hold what people typed, so none goes on.

    The call has one timeout with all its retries: a tab waits for the press that makes it.

    Raises:
        Unavailable: After timeouts, lost connections, rate limits (429), conflicts (409), errors of
            Stripe's (5xx), and where the key itself is refused (401, 403).
        Rejected: After a refusal for good.
    """
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            yield
    except TimeoutError:
        log.warning("stripe.unavailable", kind="Timeout", status=None)
        raise Unavailable("Timeout") from None
    except stripe.IdempotencyError:
        raise Rejected("idempotency_error") from None
    except (stripe.InvalidRequestError, stripe.CardError) as refused:
        log.warning("stripe.rejected", reason=refused.code, param=refused.param)
        raise Rejected(refused.code or "invalid_request") from None
    except stripe.StripeError as failed:
        kind = type(failed).__name__
        log.warning("stripe.unavailable", kind=kind, status=failed.http_status)
        raise Unavailable(kind) from None


def read_event(body: bytes, signature: str) -> Event:
    """Verify a webhook's raw body and return its event, which was signed within five minutes.

    Raises:
        BadSignature: If no secret fits; there are two while one is rolled.
        NoEvent: If the body is none.
    """
    if not any(_fits(body, signature, known) for known in _secrets()):
        raise BadSignature
    try:
        event = _Event.model_validate_json(body)
    except ValidationError:
        raise NoEvent from None
    return Event(event.id, event.type, event.data.object.id or "")


def _secrets() -> tuple[str, ...]:
    return settings.stripe_webhook_secrets or (secret(),)


def _fits(body: bytes, signature: str, known: str) -> bool:
    """Return whether a signature is of this secret and of now. The library refuses old ones."""
    try:
        WebhookSignature.verify_header(body, signature, known, _TOLERANCE_S)
    except (stripe.SignatureVerificationError, ValueError, TypeError):  # not UTF-8, not ASCII
        return False
    signed_at = next(each for each in signature.split(",") if each.startswith("t="))
    return int(signed_at.split("=")[1]) <= time.time() + _TOLERANCE_S


_Name = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,100}$")]


class _Named(BaseModel):
    id: _Name | None = None  # a balance has none


class _Data(BaseModel):
    object: _Named


class _Event(BaseModel):
    """The parts of an event that count, as they can be stored."""

    id: _Name
    type: _Name
    data: _Data


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
    return await _begin_session(setup_id, params, success_url, cancel_url)


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
    return await _begin_session(payment_id, params, success_url, cancel_url)


async def _begin_session(
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
    return _session_of(made)


async def read_session(session_id: str) -> CheckoutSession:
    """Read a checkout anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        found = await client().v1.checkout.sessions.retrieve_async(
            session_id, {"expand": ["setup_intent", "payment_intent"]}
        )
    return _session_of(found)


async def expire_session(session_id: str) -> None:
    """End a session that is still open; one that has ended stays as it is."""
    try:
        async with outcomes():
            await client().v1.checkout.sessions.expire_async(session_id)
    except Rejected:
        now = await read_session(session_id)
        if not (now.is_complete or now.is_expired):
            raise


def _session_of(found: "checkout.Session") -> CheckoutSession:
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


async def read_card(card_id: str) -> Card:
    """Read a card anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        return _card_of(await client().v1.payment_methods.retrieve_async(card_id))


async def detach_card(card_id: str) -> None:
    """Remove a card from its customer; one that is removed stays so."""
    try:
        async with outcomes():
            await client().v1.payment_methods.detach_async(card_id)
    except Rejected:
        if (await read_card(card_id)).customer_id:
            raise


def _card_of(found: "PaymentMethod") -> Card:
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
    return _intent_of(made)


def _declined(declined: CardError) -> Intent:
    failed = declined.error.payment_intent if declined.error else None
    if failed is None:
        raise declined
    return _intent_of(failed, _code_of(declined.error))


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
        now = await read_intent(intent_id)
        if now.status == "succeeded":
            return now
        raise
    return _intent_of(captured)


async def release(intent_id: str, *, key: str) -> Intent:
    """Release a hold; one that is released, captured or expired is returned as it is."""
    try:
        async with outcomes():
            released = await client().v1.payment_intents.cancel_async(
                intent_id, {"expand": [_CHARGE]}, {"idempotency_key": key}
            )
    except Rejected:
        now = await read_intent(intent_id)
        if now.status in {"canceled", "succeeded"}:
            return now
        raise
    return _intent_of(released)


async def read_intent(intent_id: str) -> Intent:
    """Read an intent anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        return _intent_of(
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
                return _intent_of(found)
    return None


def _intent_of(found: "PaymentIntent", code: str = "") -> Intent:
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
                return _refund_of(found)
        return _refund_of(await refunds.create_async(params, {"idempotency_key": refund_id}))


async def read_refund(provider_id: str) -> RefundInfo:
    """Read a refund anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        return _refund_of(await client().v1.refunds.retrieve_async(provider_id))


def _refund_of(found: "Refund") -> RefundInfo:
    status = _REFUND_STATES.get(found.status or "", "pending")
    return RefundInfo(found.id, status, _ours(found, "refund"))


async def read_dispute(provider_id: str) -> DisputeInfo:
    """Read a dispute anew.

    Raises:
        Rejected: If there is none.
    """
    async with outcomes():
        found = await client().v1.disputes.retrieve_async(provider_id)
    due_by = found.evidence_details.due_by
    return DisputeInfo(
        found.id,
        found.status,
        id_of(found.payment_intent),
        Money(found.amount),
        datetime.fromtimestamp(due_by, UTC) if due_by else None,
    )
