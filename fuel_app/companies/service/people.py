"""The people of a company: invited by mail, given roles and sites, removed; one owner stays.

Who changes the owners locks the company first.
"""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.rules.staff import NewAccount
from fuel_app.accounts.service import directory
from fuel_app.accounts.service.passwords import hash_new
from fuel_app.accounts.service.sessions import SignedIn, start_for_person
from fuel_app.accounts.service.staff import add_person
from fuel_app.companies import queries
from fuel_app.companies.rules.companies import CLOSED
from fuel_app.companies.rules.people import (
    INVITED_FOR,
    MOST_PEOPLE,
    ROLE_NAMES,
    Action,
    CompanyInvitationGone,
    CompanyInvite,
    CompanyRole,
    IsMember,
    LastOwner,
    Member,
    MemberChange,
    MemberGone,
    OpenInvitation,
    OtherPersonsInvitation,
    TooManyPeople,
    limited_to,
)
from fuel_app.companies.service.access import allow, allow_change, record
from fuel_app.companies.tables import Company, CompanyInvitation, CompanyPerson, StoredSite
from fuel_app.kit import clock, outbox, secrets
from fuel_app.kit.contact import mailbox
from fuel_app.kit.db.session import get_row, publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.secrets import digest
from fuel_app.kit.signals import COMPANIES
from fuel_app.kit.throttle import COMPANY_INVITES, COMPANY_INVITES_TO, LINKS, throttle
from fuel_app.messages.rules.kinds import INVITED_TO_COMPANY


async def list_people(actor: Actor, company_id: object) -> list[Member]:
    """Return a company's people, then its open invitations. Raises as `allow` does."""
    async with reading() as session:
        who = await allow(session, actor, company_id, Action.SEE_PEOPLE)
        known = await _sites(session, who.company_id)
        sites = {each.id: each.name for each in known if who.sees(each.id)}
        members = [
            Member(
                id=person.id,
                name=f"{person.first_name} {person.last_name}".strip(),
                email=person.email or "",
                role=member.role,
                role_name=ROLE_NAMES[member.role],
                sites=_site_names(member.sites, sites),
                site_ids=member.sites or [],
                is_you=person.id == actor.person_id,
            )
            for member, person in await queries.people(session, who.company_id)
        ]
        invited = await queries.invitations(session, who.company_id, clock.now())
    return members + [
        Member(
            id=each.id,
            name="",
            email=each.email,
            role=each.role,
            role_name=ROLE_NAMES[each.role],
            sites=_site_names(each.sites, sites),
            site_ids=each.sites or [],
            is_invitation=True,
            until=clock.short_date(clock.day_of(each.expires_at)),
        )
        for each in invited
    ]


def _site_names(limited: Sequence[str] | None, names: dict[str, str]) -> str:
    if limited is None:
        return "All sites"
    return ", ".join(names[each] for each in limited if each in names) or "No site any more"


async def _sites(session: AsyncSession, company_id: str) -> list[StoredSite]:
    return await queries.lines(session, StoredSite, company_id)


async def invite(actor: Actor, company_id: object, form: CompanyInvite) -> None:
    """Invite a person by e-mail, in place of an earlier invitation to this address.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; NotAllowed for a closed company, too.
        IsMember, TooManyPeople
        TooManyRequests: After 30 in an hour by one person, or 5 to one mailbox.
    """
    await throttle().spend(COMPANY_INVITES, str(actor))
    await throttle().spend(COMPANY_INVITES_TO, digest("invited", mailbox(form.email)).hex())
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_COMPANY)
        company = await queries.find(session, who.company_id)
        people = await queries.people(session, company.id)
        if any(person.email == form.email for _, person in people):
            raise IsMember
        open_ones = await queries.invitations(session, company.id, clock.now())
        others = sum(each.email != form.email for each in open_ones)
        if len(people) + others >= MOST_PEOPLE:
            raise TooManyPeople
        known = frozenset(each.id for each in await _sites(session, company.id))
        sites = limited_to(form.role, form.sites, known)
        await add_invitation(session, company, form.email, form.role, sites, by=str(actor))
        await record(session, "invited", actor, company.id, {"role": form.role})


async def add_invitation(
    session: AsyncSession,
    company: Company,
    email: str,
    role: str,
    sites: list[str] | None,
    *,
    by: str,
) -> None:
    """Store an invitation, and queue its mail; earlier ones to this address end."""
    now = clock.now()
    await queries.withdraw_invitations(session, company.id, email, now)
    row = CompanyInvitation(
        company_id=company.id,
        email=email,
        role=role,
        sites=sites,
        invited_by=by,
        expires_at=now + INVITED_FOR,
    )
    session.add(row)
    await session.flush()
    payload = {"company_invitation": row.id, "company": company.name, "role": ROLE_NAMES[role]}
    await outbox.add(session, "company_invitation", to=email, payload=payload)
    publish(session, COMPANIES)


async def withdraw(actor: Actor, company_id: object, invitation_id: object) -> bool:
    """Withdraw an open invitation. Return whether it was open. Raises as `allow` does."""
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_COMPANY)
        row = await queries.find_invitation(
            session, well_formed_id(invitation_id) or "", clock.now(), lock=True
        )
        if row is None or row.company_id != who.company_id:
            return False
        row.withdrawn_at = clock.now()
        await record(session, "invitation_withdrawn", actor, who.company_id, {"role": row.role})
    return True


async def change_member(
    actor: Actor, company_id: object, person_id: object, form: MemberChange
) -> None:
    """Give a person another role or other sites.

    Raises:
        CompanyGone, NotAllowed: As `allow` does.
        MemberGone, LastOwner
    """
    async with transaction() as session:
        who = await allow_change(session, actor, company_id, Action.CHANGE_COMPANY)
        member = await _find_member(session, who.company_id, person_id)
        if form.role != CompanyRole.OWNER:
            await refuse_last_owner(session, member)
        known = frozenset(each.id for each in await _sites(session, who.company_id))
        before = member.role
        member.role, member.sites = form.role, limited_to(form.role, form.sites, known)
        change = {"role": form.role, "was": before, "person": member.person_id}
        await record(session, "role_changed", actor, who.company_id, change)


async def remove_member(actor: Actor, company_id: object, person_id: object) -> None:
    """Remove a person from a company, or let one leave: the next event finds them gone.

    Raises:
        CompanyGone, NotAllowed: As `allow` does; everybody may leave.
        MemberGone, LastOwner
    """
    leaves = person_id == actor.person_id
    async with transaction() as session:
        action = Action.SEE_OVERVIEW if leaves else Action.CHANGE_COMPANY
        await queries.find(session, well_formed_id(company_id) or "", lock=True)
        who = await allow(session, actor, company_id, action)
        member = await _find_member(session, who.company_id, person_id)
        await refuse_last_owner(session, member)
        await _take_out(session, member)
        change = {"person": member.person_id}
        await record(session, "left" if leaves else "removed", actor, who.company_id, change)


async def _take_out(session: AsyncSession, member: CompanyPerson) -> None:
    """Delete a member, and withdraw the invitations that they have sent.

    Who is in no company any more loses the role of companies' people.
    """
    await queries.withdraw_sent_by(session, member.company_id, member.person_id, clock.now())
    await session.delete(member)
    await session.flush()
    if not await queries.memberships(session, member.person_id):
        await directory.set_company_role(session, member.person_id, has=False)


async def refuse_last_owner(session: AsyncSession, member: CompanyPerson) -> None:
    """Refuse to lose the last owner, the company being locked. Raises LastOwner."""
    if member.role != CompanyRole.OWNER:
        return
    if not await queries.has_other_owner(session, member.company_id, member.person_id):
        raise LastOwner


async def _find_member(session: AsyncSession, company_id: str, person_id: object) -> CompanyPerson:
    member = await queries.find_member(session, company_id, well_formed_id(person_id) or "")
    if member is None:
        raise MemberGone
    return member


async def find_invitation(token: object) -> OpenInvitation | None:
    """Return the open invitation of a link, which stays open; None if there is none (any more)."""
    known_id = secrets.row_of(INVITED_TO_COMPANY, token) or ""
    async with reading() as session:
        row = await queries.find_invitation(session, known_id, clock.now())
        if row is None:
            return None
        company = await get_row(session, Company, row.company_id)
        if company.state == CLOSED:
            return None
        return await _open(session, row, company)


async def find_own_invitation(actor: Actor) -> OpenInvitation | None:
    """Return the oldest open invitation to the signed-in person's verified e-mail."""
    if not actor.person_id:
        return None
    async with reading() as session:
        details = await directory.read_details(session, actor.person_id)
        if not details.email_verified:
            return None
        invited = await queries.invitations_to(session, details.email, clock.now())
        found = [pair for pair in invited if pair[1].state != CLOSED]
        return await _open(session, *found[0]) if found else None


async def _open(session: AsyncSession, row: CompanyInvitation, company: Company) -> OpenInvitation:
    holder = await directory.find_holder(session, row.email)
    return OpenInvitation(
        id=row.id,
        company=company.name,
        email=row.email,
        role=ROLE_NAMES[row.role],
        until=clock.short_date(clock.day_of(row.expires_at)),
        person_id=holder or "",
    )


async def accept_as_new(token: object, form: NewAccount, visitor: Visitor) -> SignedIn:
    """Create the invited person, use the invitation up, and open a session in this browser.

    Raises:
        CompanyInvitationGone: If it is unknown, used, withdrawn or expired.
        TooManyRequests: After 20 unknown ones from one address in 15 minutes.
        EmailHasAccount: If a person has this e-mail by now, who accepts by signing in.
        InvalidForm: If the password is easy to guess.
    """
    async with throttle().failing(LINKS, visitor.address):
        found = await find_invitation(token)
        if found is None:  # checking a password is for the invited alone
            raise CompanyInvitationGone
    hashed = await hash_new(form.password, form.first_name, form.last_name, found.email)
    async with transaction() as session:
        row = await _spend(session, found.id)
        person = await add_person(session, form, row.email, hashed)
        await _join(session, row, person.id)
        return await start_for_person(session, person, visitor, second_factor=False)


async def accept_as_person(actor: Actor, invitation_id: object) -> None:
    """Use up an invitation for the signed-in person, whose e-mail it is for.

    Raises:
        CompanyInvitationGone: If it is unknown, used, withdrawn or expired.
        OtherPersonsInvitation: If the person has another e-mail, or none that is verified.
        LastOwner: If it would make the last owner less than that.
    """
    known_id = well_formed_id(invitation_id) or ""
    async with transaction() as session:
        details = await directory.read_details(session, actor.person_id, lock=True)
        row = await _spend(session, known_id)
        if not details.email_verified or details.email != row.email:
            raise OtherPersonsInvitation
        await _join(session, row, actor.person_id)


async def _spend(session: AsyncSession, invitation_id: str) -> CompanyInvitation:
    """Use an invitation up. The company is locked first, as by those who invite."""
    now = clock.now()
    row = await queries.find_invitation(session, invitation_id, now)
    if row is not None:
        company = await queries.find(session, row.company_id, lock=True)
        row = await queries.find_invitation(session, invitation_id, now, lock=True)
        if company.state == CLOSED:
            row = None
    if row is None:
        raise CompanyInvitationGone
    row.accepted_at = now
    return row


async def _join(session: AsyncSession, row: CompanyInvitation, person_id: str) -> None:
    """Make a person a member; who is one already gets the role of the invitation."""
    member = await queries.find_member(session, row.company_id, person_id)
    if member is None:
        member = CompanyPerson(company_id=row.company_id, person_id=person_id, role=row.role)
        session.add(member)
    elif row.role != CompanyRole.OWNER:
        await refuse_last_owner(session, member)
    member.role, member.sites, member.chosen_at = row.role, row.sites, clock.now()
    await session.flush()
    await directory.set_company_role(session, person_id, has=True)
    joined = Actor(person_id=person_id)
    change = {"role": row.role, "person": person_id, "invited_by": row.invited_by}
    await record(session, "joined", joined, row.company_id, change)


async def leave_all(session: AsyncSession, person_id: str) -> None:
    """Take a person whose account closes out of all companies.

    Raises:
        LastOwner: If one of them has no other owner.
    """
    for each in await queries.memberships(session, person_id):
        await queries.find(session, each.company_id, lock=True)
    for member in await queries.members_of(session, person_id):
        company = await queries.find(session, member.company_id)
        if company.state != CLOSED:
            await refuse_last_owner(session, member)
        await _take_out(session, member)
        await record(session, "left", Actor(person_id=person_id), company.id, {})


async def erase_person(session: AsyncSession, email: str) -> None:
    """Remove the personal data of a person whose account is erased: they have left before."""
    await queries.erase_person(session, email)


async def export_person(session: AsyncSession, person_id: str) -> dict[str, object]:
    """Return a person's companies, for the download of their data."""
    own = await queries.memberships(session, person_id)
    return {"companies": [{"company": each.company_name, "role": each.role} for each in own]}
