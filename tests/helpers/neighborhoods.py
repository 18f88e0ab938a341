"""Neighborhoods and people for tests, past the forms."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit import audit
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import metadata, new_id
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.queries import naming
from fuel_app.neighborhoods.rules import MemberQuery, NeighborhoodChange, NeighborhoodDetail
from fuel_app.office import service as office
from fuel_app.waitlist.queries import listed
from tests.factories import UNKNOWN_ID, row
from tests.helpers.bookings import STAFF

LEADS = metadata.tables["leads"]
NEIGHBORHOODS = metadata.tables["neighborhoods"]
PEOPLE = metadata.tables["waitlist_submissions"]
BY = Actor(frozenset({Role.ADMIN}), session_id=new_id())  # the shared password
NO_ID = (None, "", "abc", 5, [], "x" * 10_240, UNKNOWN_ID)
START = datetime(2026, 3, 8, 6, 59, tzinfo=UTC)


Insert = tuple[sa.Executable, list[dict[str, Any]]]


def inserts(
    name: str, members: int = 0, *, pioneer: tuple[str, str] | None = None, **differs: Any
) -> tuple[str, list[Insert]]:
    """Return the id of a neighborhood and the statements, with their rows, that store it."""
    own = row("neighborhoods", **naming(name), **differs)
    people = [
        row(
            "waitlist_submissions", neighborhood_id=own["id"], created_at=START + timedelta(hours=n)
        )
        for n in range(members)
    ]
    statements: list[Insert] = [(NEIGHBORHOODS.insert(), [own])]
    if pioneer:
        people[0] |= {"first_name": pioneer[0], "last_name": pioneer[1]}
    if people:
        leads = [listed(person) for person in people]
        statements += [(PEOPLE.insert(), people), (LEADS.insert(), leads)]
    if pioneer:
        led = sa.update(NEIGHBORHOODS).where(NEIGHBORHOODS.c.id == sa.bindparam("own"))
        values = {"own": own["id"], "pioneer": people[0]["id"]}
        statements.append((led.values(pioneer_id=sa.bindparam("pioneer")), [values]))
    return own["id"], statements


async def neighborhood(name: str, members: int = 0, **differs: Any) -> str:
    """Store a neighborhood with members, the pioneer (first and last name) among them."""
    neighborhood_id, statements = inserts(name, members, **differs)
    async with transaction() as session:
        for statement, rows in statements:
            await session.execute(statement, rows)
    return neighborhood_id


async def members_of(neighborhood_id: str) -> list[str]:
    """Return the ids in the order in which they joined."""
    found = sa.select(PEOPLE.c.id).where(PEOPLE.c.neighborhood_id == neighborhood_id)
    async with reading() as session:
        return list((await session.scalars(found.order_by(PEOPLE.c.created_at, PEOPLE.c.id))).all())


async def detail(neighborhood_id: str, **asked: str) -> NeighborhoodDetail:
    found = await office.neighborhood_detail(neighborhood_id, MemberQuery.parse(asked), actor=STAFF)
    assert found is not None
    return found


async def rename(neighborhood_id: object, name: str) -> NeighborhoodChange:
    change = await neighborhoods.rename(neighborhood_id, name, actor=BY)
    assert change is not None
    return change


async def merge(survivor: object, gone: object) -> NeighborhoodChange:
    return await neighborhoods.merge(survivor, gone, actor=BY)


async def hand_over(neighborhood_id: object, member_id: str) -> NeighborhoodChange:
    found = sa.select(PEOPLE.c.email).where(PEOPLE.c.id == member_id)
    async with reading() as session:
        email = await session.scalar(found) or ""
    return await neighborhoods.hand_over(neighborhood_id, email, actor=BY)


async def undo(action_id: str) -> None:
    async for _ in audit.undo(action_id, actor=str(BY)):
        pass


async def remove(table: sa.Table, row_id: str) -> None:
    async with transaction() as session:
        await session.execute(sa.delete(table).where(table.c.id == row_id))
