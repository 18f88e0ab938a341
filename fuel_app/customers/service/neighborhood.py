"""A customer's neighborhood. Their waitlist submission is the member."""

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules.details import AccountGone
from fuel_app.accounts.rules.sign_up import Applicant
from fuel_app.accounts.service import details
from fuel_app.customers.queries import accounts, members
from fuel_app.customers.rules.arrival import EntryTaken, Membership, NoZip
from fuel_app.customers.service.arrival import own_entry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import AlreadyInNeighborhood
from fuel_app.kit.signals import MEMBERS, signals
from fuel_app.neighborhoods import queries
from fuel_app.neighborhoods import service as neighborhood_details
from fuel_app.waitlist import queries as waitlist


async def membership(person_id: str) -> Membership:
    """Return the neighborhood of a customer, and the ZIP of which they may choose another."""
    async with reading() as session:
        customer = await accounts.find(session, person_id)
        if customer is None:  # one of the staff
            return Membership("", None)
        entry_id = customer.submission_id
        entry = await waitlist.find(session, entry_id) if entry_id else None
        if entry is None or entry.neighborhood_id is None:
            return Membership(customer.zip_code, None)
        found = await queries.find(session, entry.neighborhood_id)
        pioneers = await queries.is_pioneer(session, entry.neighborhood_id, entry.id)
        confirmed = await members.of_neighborhood(session, entry.neighborhood_id)
        return Membership(customer.zip_code, found, is_pioneer=pioneers, confirmed=confirmed)


async def entry_of(person_id: str) -> str:
    """Return the submission by which a customer joins a neighborhood, made if there is none.

    Raises:
        AccountGone: If the person is no customer (any more).
        AlreadyInNeighborhood, NoZip
        EntryTaken: If another customer has that of the e-mail.
    """
    async with transaction() as session:
        customer = await accounts.find(session, person_id, lock=True)
        if customer is None:
            raise AccountGone
        if not customer.zip_code:
            raise NoZip
        if customer.submission_id:
            entry = await waitlist.hold(session, id=customer.submission_id)
        else:
            own = await details.read(session, person_id)
            named = (own.first_name, own.last_name, own.email, own.phone)
            entry = await own_entry(session, Applicant(*named, customer.zip_code))
        if entry is None:
            raise EntryTaken
        if entry.neighborhood_id:
            raise AlreadyInNeighborhood
        customer.submission_id = entry.id
        return entry.id


async def leave(person_id: str) -> None:
    """Leave the neighborhood; without its pioneer it stays without one. Twice changes nothing."""
    async with transaction() as session:
        customer = await accounts.find(session, person_id, lock=True)
        entry_id = customer.submission_id if customer else None
        entry = await waitlist.hold(session, id=entry_id) if entry_id else None
        if entry:
            entry.neighborhood_id = None
            await queries.dismiss_pioneer(session, entry.id)
    await signals().publish(MEMBERS)


async def confirmed_members(
    session: AsyncSession, person_ids: Collection[str]
) -> dict[str, tuple[str, int]]:
    """Return the names of customers' neighborhoods, with the members who count for money.

    These are customers with a verified e-mail; screens go on counting the whole waitlist.
    """
    return await members.confirmed(session, person_ids)


@neighborhood_details.count_confirmed
async def confirmed_in(session: AsyncSession, neighborhood_id: str) -> int:
    """Return how many members of a neighborhood count for money."""
    return await members.of_neighborhood(session, neighborhood_id)
