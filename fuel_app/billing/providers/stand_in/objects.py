"""Objects of the stand-in, in the database: each request changes them in one transaction."""

from calendar import timegm
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from fuel_app.billing.providers.stand_in.parameters import Refused
from fuel_app.billing.tables import StandInObject
from fuel_app.kit import clock
from fuel_app.kit.db.tables import new_id

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
        theirs = select(StandInObject).where(StandInObject.owner == given[owner])
        rows = theirs.where(StandInObject.kind == kind).order_by(col(StandInObject.id).desc())
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
