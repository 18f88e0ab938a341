"""The staff's list of messages, on both databases."""

import pytest
import sqlalchemy as sa

from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.outbox import Message
from fuel_app.messages import queries
from fuel_app.messages.rules.listing import PAGE_SIZE, MessageQuery

pytestmark = pytest.mark.usefixtures("database")
COUNT = 2 * PAGE_SIZE + 20
EVERY = 3  # of them, one has failed


@pytest.mark.parametrize("few", [0, 1_000], ids=["many match", "few match"])
@pytest.mark.parametrize("sort", ["-queued", "queued"])
@pytest.mark.parametrize("state", ["", "failed"])
async def test_pages_hold_every_match_once_in_order(few, sort, state, monkeypatch):
    monkeypatch.setattr(queries, "_FEW", few)
    ids = await _stored()
    matching = ids[::EVERY] if state else ids
    pages = -(-len(matching) // PAGE_SIZE)
    shown = []
    async with reading() as session:
        for number in range(1, pages + 1):
            query = MessageQuery(sort=sort, state=state, q="person", page=number)
            found = await queries.list_page(session, query)
            assert (found.page, found.pages, found.total) == (number, pages, len(matching))
            shown += [row.id for row in found.rows]
        beyond = await queries.list_page(session, MessageQuery(state=state, page=99))
    assert shown == (matching if sort == "queued" else matching[::-1])
    assert beyond.page == pages


async def _stored() -> list[str]:
    """Store messages. Return their ids in order."""
    ids, at = sorted(new_id() for _ in range(COUNT)), clock.now()
    rows = [
        Message(
            id=each,
            kind="completed",
            channel="mail",
            recipient=f"person.{number}@example.com",
            payload={},
            state="queued" if number % EVERY else "failed",
            send_at=at,
        ).model_dump()
        for number, each in enumerate(ids)
    ]
    async with transaction() as session:
        await session.execute(sa.insert(Message), rows)
    return ids
