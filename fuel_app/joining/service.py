"""Finding, joining and creating neighborhoods."""

from fuel_app.kit import contact
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.errors import NeighborhoodGone
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import MEMBERS
from fuel_app.neighborhoods import queries
from fuel_app.neighborhoods.rules import NAME_MAX, NeighborhoodSummary
from fuel_app.waitlist import queries as waitlist


async def in_zip(zip_code: str, search: object = "") -> list[NeighborhoodSummary]:
    """Return the first `PICKER_LIMIT` neighborhoods of a ZIP by name, and one more if there is,
    whose name contains `search`."""
    async with reading() as session:
        return await queries.in_zip(session, zip_code, contact.text(search)[:NAME_MAX])


async def find(neighborhood_id: object) -> NeighborhoodSummary | None:
    """Return the neighborhood of a join link, or None if there is none (any more)."""
    known_id = well_formed_id(neighborhood_id)
    if known_id is None:
        return None
    async with reading() as session:
        return await queries.find(session, known_id)


async def join(submission_id: str, neighborhood_id: object) -> NeighborhoodSummary:
    """Make a submission a member of a neighborhood. Return it with its new member.

    Raises:
        NeighborhoodGone: If there is no such neighborhood (any more).
        NotOnTheList: If the submission is not there any more.
    """
    neighborhood_id = well_formed_id(neighborhood_id)
    if neighborhood_id is None:
        raise NeighborhoodGone
    async with transaction() as session:
        neighborhood_id = await queries.surviving(session, neighborhood_id)
        await waitlist.set_neighborhood(session, submission_id, neighborhood_id)
        publish(session, MEMBERS)
        return await queries.get(session, neighborhood_id)


async def create(submission_id: str, name: str, zip_code: str) -> NeighborhoodSummary:
    """Create a neighborhood with its pioneer as the first member.

    Raises:
        AlreadyInNeighborhood: If the pioneer is in one: in another tab, or some time ago.
        NeighborhoodNameTaken: If the ZIP has one of that name, case and spaces aside.
        NotOnTheList: If the pioneer's submission is not there any more.
    """
    async with transaction() as session:
        neighborhood_id = await queries.add(session, name, zip_code, submission_id)
        await waitlist.set_neighborhood(session, submission_id, neighborhood_id, founding=True)
        publish(session, MEMBERS)
    return NeighborhoodSummary(neighborhood_id, name, zip_code, members=1)
