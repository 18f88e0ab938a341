"""The origin of a new customer: the waitlist, a friend, a neighborhood.

What a link says is checked when it is opened, and again when the e-mail is verified. Unknown or
forged values are ignored: they hold nobody up.
"""

from collections.abc import Collection, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules.sign_up import Applicant, PendingSignUp
from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.arrival import INVITED, NEIGHBORHOOD, REFERRER, Arrival
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit import secrets
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.leads.rules import WON
from fuel_app.messages.rules import kinds
from fuel_app.neighborhoods import queries
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from fuel_app.waitlist.tables import WaitlistSubmission


async def arrive(asked: Mapping[str, object]) -> Arrival:
    """Return what the parameters of a link tell; an invitation also fills the contact in."""
    invited = secrets.row_of(kinds.INVITED, asked.get(INVITED))
    referrer = well_formed_id(asked.get(REFERRER))
    neighborhood = well_formed_id(asked.get(NEIGHBORHOOD))
    known: dict[str, str] = {}
    contact: dict[str, str] = {}
    async with reading() as session:
        if neighborhood and (group := await queries.find(session, neighborhood)):
            known[NEIGHBORHOOD], contact["zip_code"] = group.id, group.zip_code
        if referrer and await waitlist.find(session, referrer):
            known[REFERRER] = referrer
        entry = await waitlist.find(session, invited) if invited else None
        if entry and not await accounts.is_linked(session, entry.id):
            known[INVITED] = entry.id
            own = ("first_name", "last_name", "email", "zip_code")
            contact |= {name: getattr(entry, name) for name in own if getattr(entry, name)}
        return Arrival(known, contact)


async def link(session: AsyncSession, customer: StoredCustomer, pending: PendingSignUp) -> None:
    """Give a new customer their waitlist submission, its neighborhood and its referrer.

    That of the invitation, whatever e-mail is used; else that of the verified e-mail; else a new
    one, if a neighborhood or a friend has led here. The first customer keeps it.
    """
    asked, applicant = pending.comes_from, pending.applicant
    row = await _waiting(session, asked.get(INVITED, ""), applicant.email)
    if row is None and {REFERRER, NEIGHBORHOOD} & asked.keys():
        row = await own_entry(session, applicant)
    if row is None:
        return
    customer.submission_id = row.id
    if row.referred_by_id is None:
        row.referred_by_id = await _referrer(session, asked.get(REFERRER), row, applicant)
    if row.neighborhood_id is None and (asked_for := asked.get(NEIGHBORHOOD)):
        group = await queries.find(session, asked_for)
        if group and group.zip_code == applicant.zip_code:
            row.neighborhood_id = group.id
    await session.flush()


async def referrer_of(session: AsyncSession, person_id: str) -> str | None:
    """Return the customer who has referred a person; None if nobody has."""
    return await accounts.referrer_of(session, person_id)


async def linked(session: AsyncSession, submission_ids: Collection[str] | None = None) -> set[str]:
    """Return those of these waitlist submissions that belong to customers; without any, all."""
    if submission_ids is None:
        return await accounts.all_linked(session)
    return await accounts.linked(session, submission_ids)


async def own_entry(session: AsyncSession, person: Applicant) -> WaitlistSubmission | None:
    """Return the submission of a person's e-mail, made if there is none; None if another customer
    has it. As a lead that is won already: no mail welcomes them to a list."""
    entry = WaitlistEntry.model_construct(
        first_name=person.first_name,
        last_name=person.last_name,
        email=person.email,
        phone_number=person.phone,
        zip_code=person.zip_code,
    )
    row = await waitlist.hold_own(session, entry, status=WON)
    return None if await accounts.is_linked(session, row.id) else row


async def _waiting(session: AsyncSession, invited: str, email: str) -> WaitlistSubmission | None:
    """Return the submission of an invitation, else of an e-mail, that no customer has yet."""
    for known in ({"id": invited} if invited else None, {"email": email}):
        row = await waitlist.hold(session, **known) if known else None
        if row and not await accounts.is_linked(session, row.id):
            return row
    return None


async def _referrer(
    session: AsyncSession, asked: str | None, row: WaitlistSubmission, own: Applicant
) -> str | None:
    """Return the submission of another person who has referred this one."""
    found = await waitlist.find(session, asked) if asked and asked != row.id else None
    return found.id if found and found.phone_number != own.phone else None
