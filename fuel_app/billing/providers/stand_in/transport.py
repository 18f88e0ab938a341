"""The stand-in's side of HTTP: faults, idempotency keys, and which call a request is."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from hashlib import sha256
from typing import Any

import httpx
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from stripe import params
from stripe.params import checkout

from fuel_app.billing.providers.stand_in import objects, payments
from fuel_app.billing.providers.stand_in.objects import (
    CARD,
    DISPUTE,
    INTENT,
    REFUND,
    Refused,
    an_id,
    checked,
    decoded,
    lister,
    reader,
    shown,
)
from fuel_app.billing.tables import StandInKey, StandInObject
from fuel_app.kit.db.session import transaction

# Not done: an error's status, or no connection. Done, but we get no answer: lost and slow.
DOWN, LOST, SLOW = "down", "lost", "slow"
_WHOLE_CALL = 3  # the library retries twice


@dataclass(slots=True)
class Faults:
    """The faults of this process."""

    delay: timedelta = timedelta(0)  # before each answer
    _next: deque[tuple[str, str]] = field(default_factory=deque)

    def fail_next(self, kind: str, times: int = _WHOLE_CALL, on: str = "") -> None:
        """Let the next requests meet a fault: '500', '503', '429', '409', down, lost or slow.

        Args:
            on: A part of their address, such as 'capture'; empty for all.
        """
        self._next.extend([(kind, on)] * times)

    def take(self, path: str) -> str:
        """Return the fault of a request; empty for none."""
        if self._next and self._next[0][1] in path:
            return self._next.popleft()[0]
        return ""


@cache
def faults() -> Faults:
    return Faults()


_PER_PAGE = 10
_KEY_USED = "Keys for idempotent requests can only be used with the same parameters"

Found = StandInObject | list[StandInObject]


# With the library's type of the request, and what answers it.
_CALLS: dict[str, tuple[Any, Callable[[AsyncSession, dict[str, Any], str], Awaitable[Found]]]] = {
    "POST /v1/customers": (params.CustomerCreateParams, objects.create_customer),
    "GET /v1/payment_methods/*": (params.PaymentMethodRetrieveParams, reader(CARD)),
    "POST /v1/payment_methods/*/detach": (params.PaymentMethodDetachParams, objects.detach_card),
    "POST /v1/checkout/sessions": (checkout.SessionCreateParams, payments.create_session),
    "GET /v1/checkout/sessions/*": (checkout.SessionRetrieveParams, payments.read_session),
    "POST /v1/checkout/sessions/*/expire": (checkout.SessionExpireParams, payments.expire_session),
    "POST /v1/payment_intents": (params.PaymentIntentCreateParams, payments.create_intent),
    "GET /v1/payment_intents": (params.PaymentIntentListParams, lister(INTENT, "customer")),
    "GET /v1/payment_intents/*": (params.PaymentIntentRetrieveParams, payments.read_intent),
    "POST /v1/payment_intents/*/capture": (
        params.PaymentIntentCaptureParams,
        payments.capture_intent,
    ),
    "POST /v1/payment_intents/*/cancel": (params.PaymentIntentCancelParams, payments.cancel_intent),
    "POST /v1/refunds": (params.RefundCreateParams, payments.create_refund),
    "GET /v1/refunds": (params.RefundListParams, lister(REFUND, "payment_intent")),
    "GET /v1/refunds/*": (params.RefundRetrieveParams, reader(REFUND)),
    "GET /v1/disputes/*": (params.DisputeRetrieveParams, reader(DISPUTE)),
}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: dict[str, Any]
    is_replayed: bool = False


class StandIn(httpx.AsyncBaseTransport):
    """Answers the library's requests."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        fault = faults().take(path)
        if faults().delay:
            await asyncio.sleep(faults().delay.total_seconds())
        if fault == DOWN:
            raise httpx.ConnectError(fault)
        if fault.isdigit():
            error = {"type": "api_error", "message": "The stand-in fails on demand."}
            return httpx.Response(int(fault), json={"error": error})
        key = request.headers.get("idempotency-key", "")
        body = (await request.aread()) or request.url.query
        try:
            answer = await _answer(f"{request.method} {path}", body.decode(), key)
        except IntegrityError:  # another request with this key, at the same time
            error = {"type": "idempotency_error", "code": "idempotency_key_in_use"}
            answer = Answer(409, {"error": error})
        if fault == LOST:
            raise httpx.ReadError(fault)
        if fault == SLOW:
            raise httpx.ReadTimeout(fault)
        headers = {"Request-Id": an_id("req")}
        if answer.is_replayed:
            headers["Idempotent-Replayed"] = "true"
        return httpx.Response(answer.status, json=answer.body, headers=headers)


async def _answer(target: str, form: str, key: str) -> Answer:
    name, row_id = _named(target)
    try:
        if name not in _CALLS:
            raise Refused("", f"Unrecognized request URL ({target}).", 404)
        given = checked(decoded(form), _CALLS[name][0])
    except Refused as refused:
        return Answer(refused.status, {"error": refused.error})
    async with transaction() as session:
        if not target.startswith("POST"):
            return await _call(session, name, given, row_id)
        fingerprint = sha256(f"{target}\n{form}".encode()).hexdigest()
        if known := await session.get(StandInKey, key):
            if known.fingerprint != fingerprint:
                return Answer(400, {"error": {"type": "idempotency_error", "message": _KEY_USED}})
            return Answer(known.status, known.body, is_replayed=True)
        answer = await _call(session, name, given, row_id)
        about = {"status": answer.status, "body": answer.body}
        session.add(StandInKey(key=key, fingerprint=fingerprint, **about))
        return answer


def _named(target: str) -> tuple[str, str]:
    """Return a call's name, such as 'GET /v1/refunds/*', and the id in its address."""
    if target in _CALLS:
        return target, ""
    start, _, last = target.rpartition("/")
    before, _, middle = start.rpartition("/")
    if f"{before}/*/{last}" in _CALLS:
        return f"{before}/*/{last}", middle
    return f"{start}/*", last


async def _call(session: AsyncSession, name: str, given: dict[str, Any], row_id: str) -> Answer:
    expand = given.pop("expand", [])
    _, answer = _CALLS[name]
    try:
        found = await answer(session, given, row_id)
        if isinstance(found, list):
            inner = [path.removeprefix("data.") for path in expand]
            return Answer(200, await _page(session, found, given, inner))
        return Answer(200, await shown(session, found.body, expand))
    except Refused as refused:
        return Answer(refused.status, {"error": refused.error})


async def _page(
    session: AsyncSession, rows: list[StandInObject], given: dict[str, Any], expand: list[str]
) -> dict[str, Any]:
    after = given.get("starting_after")
    if after:
        rows = rows[[row.id for row in rows].index(after) + 1 :]
    limit = given.get("limit", _PER_PAGE)
    data = [await shown(session, row.body, expand) for row in rows[:limit]]
    url = f"/v1/{rows[0].kind}s" if rows else ""
    return {"object": "list", "url": url, "has_more": len(rows) > limit, "data": data}
