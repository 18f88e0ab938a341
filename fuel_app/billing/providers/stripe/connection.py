"""Client of Stripe's API, the outcomes of its calls, and its signed webhooks."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Annotated, Any, NoReturn

import httpx
import stripe
import structlog
from pydantic import BaseModel, StringConstraints, ValidationError
from stripe import HTTPXClient, StripeClient, WebhookSignature

from fuel_app.billing.providers.stand_in.events import secret
from fuel_app.billing.providers.stand_in.transport import StandIn
from fuel_app.billing.providers.stripe.objects import (
    BadSignature,
    Event,
    NoEvent,
    Rejected,
    Unavailable,
)
from fuel_app.settings import settings

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
