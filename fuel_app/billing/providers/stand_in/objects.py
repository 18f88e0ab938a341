"""Objects of the stand-in, in the database: customers, test cards, events of changes.

Each request changes them in one transaction. Parameters are checked against the types that Stripe's
library has for them.
"""

import json
import re
from calendar import timegm
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from hashlib import sha256
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin
from urllib.parse import parse_qsl

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select
from stripe import RequestOptions, WebhookSignature
from typing_extensions import get_type_hints, is_typeddict

from fuel_app.billing.tables import StandInObject
from fuel_app.kit import clock, jobs, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_ELSEWHERE = {"StripeContext": object, "Mapping": Mapping}  # imported for type checkers alone


class Refused(Exception):  # noqa: N818 (expected)
    """An error as Stripe's API answers it."""

    def __init__(self, code: str, message: str, status: int = 400, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        kind = "card_error" if status == 402 else "invalid_request_error"
        self.error = {"type": kind, "code": code, "message": message} | more


def decoded(form: str) -> dict[str, Any]:
    """Return `metadata[payment]=x` as {'metadata': {'payment': 'x'}}."""
    values: dict[str, Any] = {}
    for name, value in parse_qsl(form, keep_blank_values=True):
        *path, last = re.findall(r"[^\[\]]+", name)
        at = values
        for part in path:
            at = at.setdefault(part, {})
        at[last] = value
    return values


def checked(values: Any, params: Any, place: str = "") -> dict[str, Any]:
    """Return a decoded form with the types of the library's request type.

    Raises:
        Refused: If a parameter is unknown, missing or of another type.
    """
    fields = _fields(params)
    if not isinstance(values, dict):
        raise _invalid(place)
    if unknown := set(values) - set(fields):
        name = _inside(place, min(unknown))
        raise Refused("parameter_unknown", f"Received unknown parameter: {name}", param=name)
    if missing := (params.__required_keys__ & set(fields)) - set(values):
        name = _inside(place, min(missing))
        raise Refused("parameter_missing", f"Missing required param: {name}.", param=name)
    return {
        name: _converted(value, fields[name], _inside(place, name))
        for name, value in values.items()
    }


@cache
def _fields(params: Any) -> dict[str, Any]:
    fields = get_type_hints(params, localns=_ELSEWHERE)
    options = RequestOptions.__annotations__ if RequestOptions in params.__orig_bases__ else ()
    return {name: hint for name, hint in fields.items() if name not in options}


def _converted(value: Any, hint: Any, place: str) -> Any:
    kinds = get_args(hint) if get_origin(hint) in {Union, UnionType} else (hint,)
    words = {word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)}
    if words - {""}:  # the library's types take any text beside the known words
        kinds = tuple(kind for kind in kinds if kind is not str)
    if value == "" and "" not in words:
        message = f"You passed an empty string for '{place}'."
        raise Refused("parameter_invalid_empty", message, param=place)
    failed: Refused | None = None
    for kind in kinds:
        try:
            return _as(value, kind, place)
        except Refused as refused:
            failed = failed or refused
    raise failed or _invalid(place)


def _as(value: Any, kind: Any, place: str) -> Any:
    origin = get_origin(kind)
    if is_typeddict(kind):
        return checked(value, kind, place)
    if origin is list and isinstance(value, dict) and all(key.isdigit() for key in value):
        (of,) = get_args(kind)
        return [_converted(value[key], of, place) for key in sorted(value, key=int)]
    if origin is dict and isinstance(value, dict):
        return {key: _converted(each, str, _inside(place, key)) for key, each in value.items()}
    if isinstance(value, str):
        if kind is str or (origin is Literal and value in get_args(kind)):
            return value
        if kind is int and _INTEGER.fullmatch(value):
            return int(value)
        if kind is bool and value in {"true", "false"}:
            return value == "true"
    raise _invalid(place)


def _invalid(place: str) -> Refused:
    return Refused("parameter_invalid", f"Invalid value for {place}", param=place)


def _inside(place: str, name: str) -> str:
    return f"{place}[{name}]" if place else name


CUSTOMER, CARD, SESSION = "customer", "payment_method", "checkout.session"
INTENT, REFUND, DISPUTE = "payment_intent", "refund", "dispute"
_PREFIXES = {
    CUSTOMER: "cus",
    CARD: "pm",
    SESSION: "cs_test",
    INTENT: "pi",
    REFUND: "re",
    DISPUTE: "du",
}
_CHANGED = (INTENT, SESSION)
_EMBEDDED = ("latest_charge", "setup_intent")


def seconds(after: timedelta = timedelta(0)) -> int:
    """Return the time as Stripe writes it."""
    return timegm((clock.now() + after).utctimetuple())


def an_id(prefix: str) -> str:
    return f"{prefix}_{new_id().replace('-', '')}"


def add(session: AsyncSession, kind: str, owner: str = "", **more: Any) -> StandInObject:
    """Store a new object.

    Args:
        owner: The customer or payment whose list has it.
    """
    row_id = an_id(_PREFIXES[kind])
    about = {"id": row_id, "object": kind, "created": seconds(), "livemode": False}
    row = StandInObject(id=row_id, kind=kind, owner=owner, body=about | {"metadata": {}} | more)
    session.add(row)
    return row


async def find(session: AsyncSession, kind: str, row_id: str, param: str = "id") -> StandInObject:
    """Return an object, locked if calls of ours change it.

    Raises:
        Refused: If there is none.
    """
    row = await session.get(StandInObject, row_id, with_for_update=kind in _CHANGED)
    if row is None or row.kind != kind:
        status = 404 if param == "id" else 400
        raise Refused("resource_missing", f"No such {kind}: '{row_id}'", status, param=param)
    return row


def reader(kind: str) -> Callable[..., Awaitable[StandInObject]]:
    """Return the call that reads an object of a kind that time does not change."""

    async def read(session: AsyncSession, _given: object, row_id: str) -> StandInObject:
        return await find(session, kind, row_id)

    return read


def change(row: StandInObject, **changes: Any) -> None:
    row.body = row.body | changes


def lister(kind: str, owner: str) -> Callable[..., Awaitable[list[StandInObject]]]:
    """Return the call that lists the objects of an owner that a parameter names, newest first."""

    async def listed(session: AsyncSession, given: dict[str, Any], _id: str) -> list[StandInObject]:
        statement = select(StandInObject).where(StandInObject.owner == given[owner])
        rows = statement.where(StandInObject.kind == kind).order_by(col(StandInObject.id).desc())
        return list(await session.scalars(rows))

    return listed


async def shown(session: AsyncSession, body: dict[str, Any], expand: list[str]) -> dict[str, Any]:
    """Return an object as it is answered: others in it by their ids, unless they are expanded."""
    answer = {name: value for name, value in body.items() if not name.startswith("_")}
    for name in _EMBEDDED:
        if answer.get(name) and name not in expand:
            answer[name] = answer[name]["id"]
    if body["object"] == SESSION and body[INTENT] and INTENT in expand:
        intent = await find(session, INTENT, body[INTENT])
        answer[INTENT] = await shown(session, intent.body, [])
    return answer


JOB = "stand_in.event"


def secret() -> str:
    """Return the webhooks' secret of this installation."""
    return f"whsec_{secrets.digest('stand-in', 'webhooks').hex()}"


async def send_event(session: AsyncSession, kind: str, row: StandInObject) -> None:
    """Send an event about an object, once this transaction is committed."""
    about = {"type": kind, "id": row.id, "object": row.kind, "at": seconds()}
    await jobs.enqueue(session, JOB, about)


def signed(event_id: str, about: Mapping[str, Any]) -> tuple[bytes, str]:
    """Return a webhook's body and its signature, as Stripe sends them."""
    body = json.dumps(
        {
            "id": f"evt_{event_id}",
            "object": "event",
            "type": about["type"],
            "created": about["at"],
            "livemode": False,
            "data": {"object": {"id": about["id"], "object": about["object"]}},
        }
    )
    return body.encode(), WebhookSignature.generate_signature_header(body, secret())


@dataclass(frozen=True, slots=True)
class TestCard:
    """A test card, and how charging it fails: by Stripe's codes; empty where it does not."""

    __test__ = False  # pytest's word for what it collects

    label: str
    last4: str
    code: str = ""
    decline_code: str = ""
    limit: int = 0  # cents; up to it a payment does not fail; 0: each does


WORKS, DECLINED, NEEDS_CONFIRMATION = "works", "declined", "needs_confirmation"
LIMITED = "limited"
TEST_CARDS = {
    WORKS: TestCard("Works", "4242"),
    DECLINED: TestCard("Is declined at once", "0002", "card_declined", "generic_decline"),
    "declined_later": TestCard(
        "Can be added, is declined when it is charged", "0341", "card_declined", "generic_decline"
    ),
    "insufficient_funds": TestCard(
        "Can be added, has insufficient funds", "9995", "card_declined", "insufficient_funds"
    ),
    LIMITED: TestCard(
        "Can be added, is declined above $75", "7500", "card_declined", "insufficient_funds", 7500
    ),
    "expires": TestCard("Can be added, then expires", "0069", "expired_card", "expired_card"),
    NEEDS_CONFIRMATION: TestCard(
        "Needs your confirmation for each payment",
        "3184",
        "authentication_required",
        "authentication_required",
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
    await send_event(session, "payment_method.detached", row)
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
    """Give a customer a new card without a checkout. Return its id."""
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
