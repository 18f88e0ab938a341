"""Invitations of staff: sent, listed, withdrawn, accepted."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, people
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.queries.login_history import record
from fuel_app.accounts.rules import Actor, Purpose, Role
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.rules.staff import (
    HasRoles,
    Invitation,
    InvitationGone,
    Invite,
    IsDeactivated,
    NewAccount,
    OtherAccount,
    parsed_roles,
    role_names,
    stored_roles,
)
from fuel_app.accounts.service import directory
from fuel_app.accounts.service.entries import admins_for, new_person, note_roles
from fuel_app.accounts.service.passwords import hash_of_new
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.accounts.service.sign_in import open_session
from fuel_app.accounts.tables import Challenge, Person
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import reading, tell, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import PEOPLE
from fuel_app.kit.throttle import LINKS, throttle

MESSAGE = "invitation"


async def invite(actor: Actor, form: Invite) -> None:
    """Invite a person to the staff by e-mail. It replaces an earlier invitation of this address.

    Raises:
        NotAllowed: If the actor is no admin (any more).
        HasRoles, IsDeactivated: If the address belongs to such a person.
    """
    async with transaction() as session:
        await admins_for(session, actor)
        person = await people.holder(session, form.email)
        if person and person.deactivated_at:
            raise IsDeactivated
        if person and form.roles <= await people.roles(session, person.id):
            raise HasRoles
        await challenges.drop_by_email(session, Purpose.INVITE, form.email)
        data = {"email": form.email, "roles": stored_roles(form.roles), "by": str(actor)}
        challenge_id = await challenges.issue(session, Purpose.INVITE, clock.now(), data=data)
        by = (await people.names(session, {actor.person_id})).get(actor.person_id, str(actor))
        payload = {"challenge": challenge_id, "by": by}
        await outbox.add(session, MESSAGE, to=form.email, payload=payload)
        after = {"roles": stored_roles(form.roles)}
        await record(session, "invited", challenge_id, actor=str(actor), after=after)
        tell(session, PEOPLE)


async def invitations(actor: Actor) -> list[Invitation]:
    """Return the open invitations, the newest first.

    Raises:
        NotAllowed: If the actor is no admin.
    """
    actor.require(Role.ADMIN)
    async with reading() as session:
        found = await challenges.invitations(session, clock.now())
    return await _named(found)


async def withdraw(actor: Actor, invitation_id: object) -> bool:
    """Withdraw an open invitation: its link is of no use any more. Return whether it was open.

    Raises:
        NotAllowed: If the actor is no admin (any more).
    """
    known_id = well_formed_id(invitation_id) or ""
    async with transaction() as session:
        await admins_for(session, actor)
        if not await challenges.withdraw(session, known_id):
            return False
        await record(session, "withdrawn", known_id, actor=str(actor))
        tell(session, PEOPLE)
    return True


async def of_link(token: object) -> Invitation | None:
    """Return the open invitation of a link, which stays open; None if there is none (any more)."""
    async with reading() as session:
        found = await challenges.by_link(session, Purpose.INVITE, token, clock.now())
        if found is None:
            return None
        person = await people.holder(session, found.data["email"])
    if person and person.deactivated_at:
        return None
    (invitation,) = await _named([found], person_id=person.id if person else "")
    return invitation


async def own(actor: Actor) -> Invitation | None:
    """Return the open invitation to the signed-in person's e-mail; None if there is none."""
    async with reading() as session:
        person = await people.by_id(session, actor.person_id) if actor.person_id else None
        found = await _own(session, person) if person else None
    if person is None or found is None:
        return None
    (invitation,) = await _named([found], person_id=person.id)
    return invitation


async def accept(token: object, form: NewAccount, visitor: Visitor) -> SignedIn:
    """Create the invited person, use the invitation up, and open a session in this browser.

    Raises:
        InvitationGone: If it is unknown, used, withdrawn or expired.
        TooManyRequests: After 20 unknown ones from one address in 15 minutes.
        EmailHasAccount: If a person has this e-mail by now, who accepts by signing in.
        InvalidForm: If the password is easy to guess.
    """
    async with throttle().failing(LINKS, visitor.address):
        invitation = await of_link(token)
        if invitation is None:  # checking a password is for the invited alone
            raise InvitationGone
        own = form.first_name, form.last_name, invitation.email
    hashed = await hash_of_new(form.password, *own)
    async with transaction() as session:
        found = await challenges.spend_link(session, Purpose.INVITE, token, clock.now())
        if found is None:
            raise InvitationGone
        person = await new_person(session, form, found.data["email"], hashed)
        await _give_roles(session, person.id, found, frozenset())
        return await open_session(session, person, visitor, second_factor=False)


async def accept_as(actor: Actor) -> None:
    """Give the signed-in person the roles of their own invitation, and end all their sessions.

    They sign in anew, with what their new roles ask for: this session may be old or an attacker's.

    Raises:
        InvitationGone: If there is none for their e-mail (any more).
        OtherAccount: If the session is not a person's.
    """
    now = clock.now()
    async with transaction() as session:
        person = await people.by_id(session, actor.person_id, lock=True)
        here = await stored.find(session, now=now, id=actor.session_id)
        if person is None or here is None or here.person_id != person.id:
            raise OtherAccount
        found = await _own(session, person)
        spent = found and await challenges.spend(session, Purpose.INVITE, found.id, now)
        if spent is None:
            raise InvitationGone
        await _give_roles(session, person.id, spent, await people.roles(session, person.id))
        await stored.end_of_person(session, person.id)


async def _own(session: AsyncSession, person: Person) -> Challenge | None:
    """Return the open invitation to a person's e-mail, which has to be verified."""
    if not person.email or person.email_verified_at is None:
        return None
    open_ones = await challenges.invitations(session, clock.now())
    return next((each for each in open_ones if each.data["email"] == person.email), None)


async def _give_roles(
    session: AsyncSession, person_id: str, invitation: Challenge, before: frozenset[Role]
) -> None:
    tell(session, PEOPLE)
    after = before | parsed_roles(invitation.data["roles"])
    await people.add_roles(session, person_id, after)
    by = invitation.data["by"]
    await note_roles(session, person_id, person_id, before, after, invited_by=by)


async def _named(found: Sequence[Challenge], person_id: str = "") -> list[Invitation]:
    """Return invitations with the names of those who sent them."""
    who = await directory.names(each.data["by"] for each in found)
    return [
        Invitation(
            id=each.id,
            email=each.data["email"],
            roles=role_names(parsed_roles(each.data["roles"])),
            by=who[each.data["by"]],
            until=clock.short_date(clock.day_of(each.expires_at)),
            person_id=person_id,
        )
        for each in found
    ]
