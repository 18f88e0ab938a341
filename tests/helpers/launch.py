"""A waitlist to invite."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, update
from sqlmodel import col, select

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.tables import Area, StoredPrice
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Message
from fuel_app.launch.service import waves
from fuel_app.launch.tables import Invitation
from fuel_app.leads import queries as lead_rows
from fuel_app.neighborhoods.tables import Neighborhood
from fuel_app.waitlist.queries import listed
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.factories import row
from tests.helpers.open_area import open_area

ADMIN = Actor(frozenset({Role.ADMIN}), "019ab000-0000-7000-8000-00000000ad01")
NOON = datetime(2026, 11, 24, 17, tzinfo=UTC)  # in New York
BEFORE = datetime(2026, 11, 1, tzinfo=UTC)


async def waits(**differs: Any) -> str:
    """Put somebody on the waitlist. Return the submission's id."""
    entry = WaitlistSubmission(**row("waitlist_submissions", **{"created_at": BEFORE} | differs))
    async with transaction() as session:
        session.add(entry)
        await session.flush()
        await lead_rows.add(session, listed(entry.model_dump()))
    return entry.id


async def a_neighborhood(name: str = "Palm Court", **differs: Any) -> str:
    own = Neighborhood(**row("neighborhoods", name=name, **differs))
    async with transaction() as session:
        session.add(own)
    return own.id


async def invitations() -> list[Invitation]:
    async with reading() as session:
        return list(await session.scalars(select(Invitation)))


async def mails() -> list[Message]:
    """Return the invitations in the outbox, in the order in which they were queued."""
    async with reading() as session:
        found = select(Message).where(Message.kind == "area_open").order_by(Message.id)
        return list(await session.scalars(found))


async def invited() -> list[str]:
    """Return the submissions that were invited, in order."""
    return [each.payload["submission"] for each in await mails()]


async def start(area_id: str) -> None:
    await waves.step_waves("start", area_id, actor=ADMIN)


async def set_prices(area_id: str) -> None:
    """Set a price that holds now, and at `NOON`."""
    price = {"mills": 3459, "source": "Test", "set_by": "system", "grade": "regular"}
    hour = timedelta(hours=1)
    async with transaction() as session:
        session.add_all(
            StoredPrice(area_id=area_id, effective_at=at - hour, **price)
            for at in (NOON, clock.now())
        )


async def forget_prices(area_id: str) -> None:
    async with transaction() as session:
        await session.execute(delete(StoredPrice).where(col(StoredPrice.area_id) == area_id))


async def area_opened_before() -> str:
    """Open an area with a price ten days after the waitlist began. Return its id."""
    area_id = await open_area()
    await set_prices(area_id)
    async with transaction() as session:
        opened = update(Area).where(col(Area.id) == area_id)
        await session.execute(opened.values(opened_at=BEFORE + timedelta(days=10)))
    return area_id
