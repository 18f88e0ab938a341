"""A customer's neighborhood: choosing one of the ZIP, founding one, leaving it.

The signed-in person's, whose waitlist submission is the member.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules.details import AccountGone
from fuel_app.accounts.rules.sign_up import Applicant
from fuel_app.accounts.service import details
from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.arrival import EntryTaken, Membership, NoZip
from fuel_app.customers.service.arrival import own_entry
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import AlreadyInNeighborhood, NeighborhoodGone
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import MEMBERS, signals
from fuel_app.neighborhoods.queries import neighborhoods
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission


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
        found = await neighborhoods.find(session, entry.neighborhood_id)
        pioneers = await neighborhoods.is_pioneer(session, entry.neighborhood_id, entry.id)
        return Membership(customer.zip_code, found, is_pioneer=pioneers)


async def join(person_id: str, neighborhood_id: object) -> None:
    """Join a neighborhood of the customer's ZIP.

    Raises:
        AccountGone, AlreadyInNeighborhood, EntryTaken, NoZip
        NeighborhoodGone: If there is none of this id in the ZIP (any more).
    """
    async with transaction() as session:
        customer, entry = await _alone(session, person_id)
        known_id = well_formed_id(neighborhood_id)
        found = await neighborhoods.find(session, known_id) if known_id else None
        if found is None or found.zip_code != customer.zip_code:
            raise NeighborhoodGone
        await waitlist.set_neighborhood(session, entry.id, found.id)
    await signals().publish(MEMBERS)


async def found(person_id: str, name: str) -> None:
    """Found a neighborhood in the customer's ZIP, with the customer as its pioneer.

    Raises:
        AccountGone, AlreadyInNeighborhood, EntryTaken, NoZip
        NeighborhoodNameTaken: If the ZIP has one of that name, case and spaces aside.
    """
    async with transaction() as session:
        customer, entry = await _alone(session, person_id)
        founded = await neighborhoods.add(session, name, customer.zip_code, entry.id)
        await waitlist.set_neighborhood(session, entry.id, founded, founding=True)
    await signals().publish(MEMBERS)


async def leave(person_id: str) -> None:
    """Leave the neighborhood; without its pioneer it stays without one. Twice changes nothing.

    Raises:
        AccountGone
    """
    async with transaction() as session:
        customer = await _locked(session, person_id)
        entry_id = customer.submission_id
        entry = await waitlist.hold(session, id=entry_id) if entry_id else None
        if entry:
            entry.neighborhood_id = None
            await neighborhoods.dismiss_pioneer(session, entry.id)
    await signals().publish(MEMBERS)


async def _locked(session: AsyncSession, person_id: str) -> StoredCustomer:
    customer = await accounts.find(session, person_id, lock=True)
    if customer is None:
        raise AccountGone
    return customer


async def _alone(
    session: AsyncSession, person_id: str
) -> tuple[StoredCustomer, WaitlistSubmission]:
    """Return a customer in no neighborhood with their submission, made if there is none."""
    customer = await _locked(session, person_id)
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
    await session.flush()
    return customer, entry
