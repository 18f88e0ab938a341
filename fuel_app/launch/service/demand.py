"""Where people wait, and how far the waves of each area are."""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.areas import AreaRow
from fuel_app.areas.service import areas
from fuel_app.kit import clock, figures
from fuel_app.kit.db.session import reading
from fuel_app.launch.queries import demand as queries
from fuel_app.launch.rules.demand import NO_ZIP, AreaWaves, Place
from fuel_app.launch.service.waves import INVITATIONS_PER_DAY


async def zips(*, actor: Actor) -> list[Place]:
    """Return every ZIP by the people who wait there; the last one is 'No ZIP', if it is needed."""
    actor.require(Role.ADMIN)
    of_zip = _by_zip(await areas.listing(actor=actor))
    async with reading() as session:
        counts = await queries.waiting_by_zip(session)
    found = [
        _place(each, each or NO_ZIP, each, waiting, of_zip) for each, waiting in counts.items()
    ]
    return sorted(found, key=lambda each: (not each.id, -each.waiting, each.id))


async def neighborhoods(*, actor: Actor) -> list[Place]:
    """Return every neighborhood by the members who wait."""
    actor.require(Role.ADMIN)
    of_zip = _by_zip(await areas.listing(actor=actor))
    async with reading() as session:
        rows = await queries.waiting_by_neighborhood(session)
    return [_place(*row, of_zip) for row in rows]


async def waves(*, actor: Actor) -> list[AreaWaves]:
    """Return every area with its waitlist and how far its waves are, by name."""
    rows = await areas.listing(actor=actor)
    async with reading() as session:
        waiting = await queries.invitable_by_zip(session)
        states = await queries.states(session)
        sent = await queries.sent(session, clock.day_of(clock.now()))
        per_day = await figures.value(session, INVITATIONS_PER_DAY)
    return [
        AreaWaves(
            row.id,
            row.name,
            row.status,
            states.get(row.id, ""),
            sum(waiting.get(zip_code, 0) for zip_code in row.zips),
            *sent.get(row.id, (0, 0)),
            per_day,
        )
        for row in rows
    ]


def _by_zip(rows: list[AreaRow]) -> dict[str, AreaRow]:
    return {zip_code: row for row in rows for zip_code in row.zips}


def _place(
    place_id: str, name: str, zip_code: str, waiting: int, of_zip: dict[str, AreaRow]
) -> Place:
    area = of_zip.get(zip_code)
    own = (area.name, area.status) if area else ("", "")
    return Place(place_id, name, zip_code, waiting, *own)
