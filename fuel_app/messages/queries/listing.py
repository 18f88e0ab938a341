"""Queries of the staff's list of messages.

An index answers how many match; a search reads every recipient in one. Where few match, that finds
the page too: in the order of ids, it would read every row for them.
"""

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.lists import Page, pages_of
from fuel_app.kit.outbox import QUEUED, SENT, Message
from fuel_app.messages.rules.delivery import KEPT_HERE
from fuel_app.messages.rules.kinds import SECURITY
from fuel_app.messages.rules.listing import KEPT, PAGE_SIZE, SHOWN_OF_PERSON, MessageQuery, Waiting

_FEW = 1_000
_id = col(Message.id)


async def page(session: AsyncSession, query: MessageQuery) -> Page[Message]:
    """Return a page of rows; beyond the end, the last one."""
    matching = _matching(query)
    some = sorted(await session.scalars(select(_id).where(*matching).limit(_FEW + 1)))
    total = len(some)
    if total > _FEW:
        counted = select(func.count()).select_from(Message).where(*matching)
        total = await session.scalar(counted) or 0
    pages = pages_of(total, PAGE_SIZE)
    number = min(query.page, pages)
    start = (number - 1) * PAGE_SIZE
    order = _id.desc() if query.descending else _id.asc()
    if total > _FEW:
        found = select(Message).where(*matching).limit(PAGE_SIZE).offset(start)
    else:
        ids = some[::-1] if query.descending else some
        found = select(Message).where(_id.in_(ids[start : start + PAGE_SIZE]))
    return Page(tuple(await session.scalars(found.order_by(order))), number, pages, total)


async def waiting(session: AsyncSession) -> list[Waiting]:
    """Return per channel the messages that wait for a retry, by the index of state and error."""
    error, created_at = col(Message.error), col(Message.created_at)
    channel = col(Message.channel)
    found = await session.execute(
        select(channel, func.count(), func.min(created_at), func.max(error))
        .where(col(Message.state) == QUEUED, error.is_not(None))
        .group_by(channel)
        .order_by(channel)
    )
    return [Waiting(*row) for row in found]


def _matching(query: MessageQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.q:
        conditions.append(col(Message.recipient).contains(query.of_recipient, autoescape=True))
    if query.of_state:
        state = SENT if query.of_state == KEPT else query.of_state
        conditions.append(col(Message.state) == state)
    if query.of_state in (SENT, KEPT):
        is_kept = func.coalesce(col(Message.error), "").in_(KEPT_HERE)
        conditions.append(is_kept if query.of_state == KEPT else ~is_kept)
    if query.of_kind:
        conditions.append(col(Message.kind) == query.of_kind)
    return conditions


async def of_person(session: AsyncSession, person_id: str, *, security: bool) -> list[Message]:
    """Return a person's latest messages, newest first."""
    theirs = select(Message).where(col(Message.person_id) == person_id)
    if not security:
        theirs = theirs.where(col(Message.kind).not_in(SECURITY))
    return list(await session.scalars(theirs.order_by(_id.desc()).limit(SHOWN_OF_PERSON)))
