"""Staff look at the groups: the table, one of them, all on a map."""

from fuel_app.areas.providers import zip_places
from fuel_app.areas.rules import outline
from fuel_app.areas.rules import service_area_Place as Place
from fuel_app.db import neighborhood_changes, neighborhood_list, neighborhood_members, neighborhoods
from fuel_app.domain.neighborhood_changes import GroupChange
from fuel_app.domain.neighborhood_detail import FIRST_PAGE, GroupDetail, MemberQuery
from fuel_app.domain.neighborhood_list import PAGE_SIZE, GroupPage, GroupQuery, ZipArea, pages_of
from fuel_app.domain.neighborhoods import Group
from fuel_app.kit.db.session import reading
from fuel_app.waitlist.rules import well_formed_id

AREAS_SHOWN = 400  # circles on the map: those with the most members


async def page(query: GroupQuery) -> GroupPage:
    """One page of the table; a page beyond the end is the last one."""
    async with reading() as session:
        total = await neighborhood_list.count(session, query)
        number = min(query.page, pages_of(total))
        start = (number - 1) * PAGE_SIZE
        rows = await neighborhood_list.page(session, query, offset=start, total=total)
        return GroupPage(tuple(rows), number, total)


async def areas(query: GroupQuery) -> list[ZipArea]:
    """Where the groups are that the query finds: one area for each ZIP, largest first."""
    places = await zip_places()
    async with reading() as session:
        found = await neighborhood_list.by_zip(session, query, most=AREAS_SHOWN)
    return [ZipArea(*row, *places[row[0]]) for row in found if row[0] in places]


async def service_area() -> list[Place]:
    """A line around where we deliver; empty if it cannot be drawn."""
    return outline(await zip_places())


async def detail(neighborhood_id: object, query: MemberQuery = FIRST_PAGE) -> GroupDetail | None:
    """One group with a page of its members; None if there is no such group (any more)."""
    known_id = well_formed_id(neighborhood_id)
    if known_id is None:
        return None
    async with reading() as session:
        return await neighborhood_members.detail(session, known_id, query)


async def others_in_zip(zip_code: str, neighborhood_id: str) -> list[Group]:
    """The groups that this one of the ZIP could be merged with."""
    async with reading() as session:
        found = await neighborhoods.in_zip(session, zip_code)
    return [other for other in found if other.id != neighborhood_id]


async def history(neighborhood_id: str) -> list[GroupChange]:
    """What staff have done to a group, newest first."""
    async with reading() as session:
        return await neighborhood_changes.history(session, neighborhood_id)
