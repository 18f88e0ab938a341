"""A customer's neighborhood and origin: the waitlist, a friend's link, an invitation.

Their waitlist submission is the member. What a link says is checked when it is opened, and when
the e-mail is verified; unknown or forged values are ignored.
"""

from collections.abc import Collection, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import AccountGone, Applicant, PendingSignUp
from fuel_app.accounts.service import directory
from fuel_app.areas.service import company
from fuel_app.customers import queries
from fuel_app.customers.rules.sign_up import (
    INVITED,
    NEIGHBORHOOD,
    REFERRER,
    Arrival,
    EntryTaken,
    Membership,
    NoZip,
)
from fuel_app.customers.service import account
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import secrets
from fuel_app.kit.contact import phone_text
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import AlreadyInNeighborhood
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import MEMBERS, signals
from fuel_app.leads.rules import WON
from fuel_app.messages.rules import kinds
from fuel_app.neighborhoods import queries as neighborhood_queries
from fuel_app.neighborhoods.rules import tier_for
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission


async def read_link(asked: Mapping[str, object]) -> Arrival:
    """Return what the parameters of a link tell; an invitation also fills the contact in."""
    invited = secrets.row_of(kinds.INVITED, asked.get(INVITED))
    referrer = well_formed_id(asked.get(REFERRER))
    neighborhood = well_formed_id(asked.get(NEIGHBORHOOD))
    known: dict[str, str] = {}
    contact: dict[str, str] = {}
    promises: tuple[str, ...] = ()
    async with reading() as session:
        if neighborhood and (group := await neighborhood_queries.find(session, neighborhood)):
            known[NEIGHBORHOOD], contact["zip_code"] = group.id, group.zip_code
        if referrer and await waitlist.find(session, referrer):
            known[REFERRER] = referrer
        entry = await waitlist.find(session, invited) if invited else None
        is_used = entry is not None and await queries.is_linked(session, entry.id)
        if entry and not is_used:
            known[INVITED] = entry.id
            own = {name: getattr(entry, name) for name in ("first_name", "last_name", "email")}
            own |= {"phone": phone_text(entry.phone_number), "zip_code": entry.zip_code}
            contact |= {name: value for name, value in own.items() if value}
            promises = await _promises(session, entry)
        return Arrival(known, contact, promises, is_used)


async def _promises(session: AsyncSession, entry: WaitlistSubmission) -> tuple[str, ...]:
    """Return what a member of the waitlist was promised, a sentence each."""
    said = []
    opened_at = await company.opened_at(session, entry.zip_code)
    if offer := await account.free_fill(session, entry.id, opened_at):
        said.append(f"Your first fill-up: {offer}")
    if entry.neighborhood_id:
        group = await neighborhood_queries.get(session, entry.neighborhood_id)
        tier = tier_for(await queries.count_confirmed(session, group.id))
        off = (
            f"{tier.saving} off your plan" if tier.level else "the more join, the less you all pay"
        )
        said.append(f"Your neighborhood, {group.name}: {off}.")
    return tuple(said)


async def link_customer(
    session: AsyncSession, customer: StoredCustomer, pending: PendingSignUp
) -> None:
    """Give a new customer their waitlist submission, its neighborhood and its referrer.

    That of the invitation, whatever e-mail is used; else that of the verified e-mail; else a new
    one, if a neighborhood or a friend has led here. The first customer keeps it.
    """
    asked, applicant = pending.comes_from, pending.applicant
    row = await _find_free_entry(session, asked.get(INVITED, ""), applicant.email)
    if row is None and {REFERRER, NEIGHBORHOOD} & asked.keys():
        row = await find_or_add_entry(session, applicant)
    if row is None:
        return
    customer.submission_id = row.id
    if row.referred_by_id is None:
        row.referred_by_id = await _find_referrer(session, asked.get(REFERRER), row, applicant)
    if row.neighborhood_id is None and (asked_for := asked.get(NEIGHBORHOOD)):
        group = await neighborhood_queries.find(session, asked_for)
        if group and group.zip_code == applicant.zip_code:
            row.neighborhood_id = group.id
    await session.flush()


async def referrer_of(session: AsyncSession, person_id: str) -> str | None:
    """Return the customer who has referred a person; None if nobody has."""
    return await queries.referrer_of(session, person_id)


async def linked_submissions(
    session: AsyncSession, submission_ids: Collection[str] | None = None
) -> set[str]:
    """Return those of these waitlist submissions that belong to customers; without any, all."""
    return await queries.linked_submissions(session, submission_ids)


async def find_or_add_entry(session: AsyncSession, person: Applicant) -> WaitlistSubmission | None:
    """Return the submission of a person's e-mail, made if there is none; None if another customer
    has it. As a lead that is won already: no mail welcomes them to a list."""
    entry = WaitlistEntry.model_construct(
        first_name=person.first_name,
        last_name=person.last_name,
        email=person.email,
        phone_number=person.phone,
        zip_code=person.zip_code,
    )
    row = await waitlist.lock_or_add(session, entry, status=WON)
    return None if await queries.is_linked(session, row.id) else row


async def _find_free_entry(
    session: AsyncSession, invited: str, email: str
) -> WaitlistSubmission | None:
    """Return the submission of an invitation, else of an e-mail, that no customer has yet."""
    for known in ({"id": invited} if invited else None, {"email": email}):
        row = await waitlist.lock(session, **known) if known else None
        if row and not await queries.is_linked(session, row.id):
            return row
    return None


async def _find_referrer(
    session: AsyncSession, asked: str | None, row: WaitlistSubmission, own: Applicant
) -> str | None:
    """Return the submission of another person who has referred this one."""
    found = await waitlist.find(session, asked) if asked and asked != row.id else None
    return found.id if found and found.phone_number != own.phone else None


async def membership(person_id: str) -> Membership:
    """Return the neighborhood of a customer, and the ZIP of which they may choose another."""
    async with reading() as session:
        customer, entry = await queries.find_with_entry(session, person_id)
        if customer is None:  # one of the staff
            return Membership("", None)
        if entry is None or entry.neighborhood_id is None:
            return Membership(customer.zip_code, None)
        found = await neighborhood_queries.find(session, entry.neighborhood_id)
        pioneers = await neighborhood_queries.is_pioneer(session, entry.neighborhood_id, entry.id)
        confirmed = await queries.count_confirmed(session, entry.neighborhood_id)
        return Membership(customer.zip_code, found, is_pioneer=pioneers, confirmed=confirmed)


async def claim_entry(person_id: str) -> str:
    """Return the submission by which a customer joins a neighborhood, made if there is none.

    Raises:
        AccountGone: If the person is no customer (any more).
        AlreadyInNeighborhood, NoZip
        EntryTaken: If another customer has that of the e-mail.
    """
    async with transaction() as session:
        customer = await queries.find(session, person_id, lock=True)
        if customer is None:
            raise AccountGone
        if not customer.zip_code:
            raise NoZip
        if customer.submission_id:
            entry = await waitlist.lock(session, id=customer.submission_id)
        else:
            own = await directory.read_details(session, person_id)
            named = (own.first_name, own.last_name, own.email, own.phone)
            entry = await find_or_add_entry(session, Applicant(*named, customer.zip_code))
        if entry is None:
            raise EntryTaken
        if entry.neighborhood_id:
            raise AlreadyInNeighborhood
        customer.submission_id = entry.id
        return entry.id


async def leave(person_id: str) -> None:
    """Leave the neighborhood; without its pioneer it stays without one. Twice changes nothing."""
    async with transaction() as session:
        customer = await queries.find(session, person_id, lock=True)
        entry_id = customer.submission_id if customer else None
        entry = await waitlist.lock(session, id=entry_id) if entry_id else None
        if entry:
            entry.neighborhood_id = None
            await neighborhood_queries.dismiss_pioneer(session, entry.id)
    await signals().publish(MEMBERS)


async def confirmed_members(
    session: AsyncSession, person_ids: Collection[str]
) -> dict[str, tuple[str, int]]:
    """Return the names of customers' neighborhoods, with the members who count for money.

    These are customers with a verified e-mail; screens go on counting the whole waitlist.
    """
    return await queries.confirmed_members(session, person_ids)


async def confirmed_in(session: AsyncSession, neighborhood_id: str) -> int:
    """Return how many members of a neighborhood count for money."""
    return await queries.count_confirmed(session, neighborhood_id)
