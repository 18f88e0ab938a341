"""Staff accounts: the first admin, invitations, roles, deactivation; and anybody's audit log.

Who changes an admin locks all admins first, so that one always is left.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, people
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.queries.login_history import NOUN, SIGNED_OUT, record
from fuel_app.accounts.rules import STAFF_ROLES, SYSTEM_NAME, Actor, NotAllowed, Purpose, Role
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.rules.staff import (
    AdminExists,
    EmailHasAccount,
    FirstAdmin,
    HasRoles,
    Invitation,
    InvitationGone,
    Invite,
    IsDeactivated,
    LastAdmin,
    NewAccount,
    OtherAccount,
    PersonChange,
    PersonGone,
    StaffMember,
    describe_kind,
    describe_values,
    parse_roles,
    role_names,
    stored_roles,
)
from fuel_app.accounts.service import directory
from fuel_app.accounts.service.passwords import hash_new
from fuel_app.accounts.service.sessions import SignedIn, start_for_person
from fuel_app.accounts.tables import Challenge, Person
from fuel_app.kit import audit, clock, outbox, secrets
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import PEOPLE, SESSIONS
from fuel_app.kit.throttle import LINKS, throttle

log = structlog.get_logger()


async def lock_admins_for(session: AsyncSession, actor: Actor) -> frozenset[str]:
    """Return the active admins, locked. Refuse an actor who is none of them (any more)."""
    actor.require(Role.ADMIN)
    admins = await people.lock_admins(session)
    if actor.is_shared or (actor.person_id and actor.person_id not in admins):
        raise NotAllowed
    return admins


async def lock_person(session: AsyncSession, person_id: object) -> Person:
    """Return and lock a person, deactivated or not. Raises PersonGone."""
    person = await people.lock_any(session, well_formed_id(person_id) or "")
    if person is None:
        raise PersonGone
    return person


async def add_person(
    session: AsyncSession, form: NewAccount | FirstAdmin, email: str, password_hash: str
) -> Person:
    """Store a person with a verified e-mail. Raises EmailHasAccount."""
    now = clock.now()
    person = Person(
        email=email,
        first_name=form.first_name,
        last_name=form.last_name,
        password_hash=password_hash,
        password_changed_at=now,
        email_verified_at=now,
    )
    if not await people.add(session, person):
        raise EmailHasAccount
    return person


async def note_roles(
    session: AsyncSession,
    actor: str,
    person_id: str,
    before: Collection[Role],
    after: Collection[Role],
    **more: Any,
) -> None:
    """Write a change of roles to the audit log."""
    former, current = {"roles": stored_roles(before)}, {"roles": stored_roles(after)} | more
    await record(session, "roles_changed", person_id, actor=actor, before=former, after=current)


async def create_first_admin(actor: Actor, form: FirstAdmin, visitor: Visitor) -> SignedIn:
    """Create the first admin, end every session of the shared password, and open the admin's.

    Raises:
        NotAllowed: If it is not a session of the shared password.
        AdminExists: If there is an admin, perhaps since a moment ago.
        EmailHasAccount: If the e-mail is another account's.
        InvalidForm: If the password is easy to guess.
    """
    if not actor.is_shared:
        raise NotAllowed
    hashed = await hash_new(form.password, form.first_name, form.last_name, form.email)
    async with transaction() as session:
        if await people.lock_admins(session):
            raise AdminExists
        roles = frozenset({Role.ADMIN})
        person = await add_person(session, form, form.email, hashed)
        await people.add_roles(session, person.id, roles)
        await note_roles(session, str(actor), person.id, (), roles)
        await stored.end_all_shared(session)
        opened = await start_for_person(session, person, visitor, second_factor=False)
    log.info("staff.first_admin", person=person.id)
    return opened


async def list_staff(actor: Actor) -> list[StaffMember]:
    """Return all people with a role of the staff. Raises NotAllowed."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return await people.list_staff(session)


async def set_roles(actor: Actor, person_id: object, roles: Iterable[Role]) -> bool:
    """Set a person's roles of the staff. Return whether anything has changed.

    Their sessions end, so that none outlives a role.

    Raises:
        NotAllowed: If the actor is no admin (any more).
        PersonGone: If there is no such person.
        LastAdmin: If no admin would be left.
    """
    wanted = frozenset(roles).intersection(STAFF_ROLES)
    async with transaction() as session:
        admins = await lock_admins_for(session, actor)
        person = await lock_person(session, person_id)
        before = (await people.roles(session, person.id)).intersection(STAFF_ROLES)
        if wanted == before:
            return False
        if Role.ADMIN not in wanted:
            refuse_last_admin(admins, person.id)
        await people.add_roles(session, person.id, wanted)
        await people.remove_roles(session, person.id, before - wanted)
        if Role.ADMIN not in wanted:
            await challenges.drop_by_inviter(session, person.id)
        await note_roles(session, str(actor), person.id, before, wanted)
        await stored.end_of_person(session, person.id)
    return True


async def deactivate(actor: Actor, person_id: object) -> bool:
    """Deactivate a person, whose sessions end at once. Return whether they were active.

    Raises:
        NotAllowed, PersonGone, LastAdmin: As `set_roles` does.
    """
    async with transaction() as session:
        admins = await lock_admins_for(session, actor)
        person = await lock_person(session, person_id)
        if person.deactivated_at is not None:
            return False
        refuse_last_admin(admins, person.id)
        person.deactivated_at = clock.now()
        await challenges.drop_by_inviter(session, person.id)
        await record(session, "deactivated", person.id, actor=str(actor))
        await stored.end_of_person(session, person.id)
    return True


async def sign_out_everywhere(actor: Actor, person_id: object) -> None:
    """Sign a person out everywhere, such as on a lost phone. Raises as `set_roles`."""
    async with transaction() as session:
        await lock_admins_for(session, actor)
        person = await lock_person(session, person_id)
        await stored.end_of_person(session, person.id)
        what = {"what": "all sessions, by an admin"}
        await record(session, SIGNED_OUT, person.id, actor=str(actor), after=what)


async def reactivate(actor: Actor, person_id: object) -> bool:
    """Let a person sign in again, with their roles. Return whether they were deactivated.

    Raises:
        NotAllowed, PersonGone: As `set_roles` does.
    """
    async with transaction() as session:
        await lock_admins_for(session, actor)
        person = await lock_person(session, person_id)
        if person.deactivated_at is None:
            return False
        person.deactivated_at = person.delete_at = None
        await record(session, "reactivated", person.id, actor=str(actor))
        publish(session, SESSIONS)
    return True


def refuse_last_admin(admins: frozenset[str], person_id: str) -> None:
    """Refuse to end the last one of the active admins, locked before. Raises LastAdmin."""
    if admins == {person_id}:
        raise LastAdmin


async def restore_admin(email: str) -> str:
    """Make the person with this e-mail an active admin without password and second factors.

    For the command line, whose user could write the database anyway. Where there is no such person
    one is added. The sessions of the shared password end, as with the first admin. Return the token
    of the link that sets the password.
    """
    async with transaction() as session:
        await people.lock_admins(session)
        now = clock.now()
        person = await people.find_or_add(session, email)
        before = await people.roles(session, person.id)
        person.deactivated_at = person.delete_at = None
        person.email_verified_at = person.email_verified_at or now
        person.password_hash = None  # it may be known to an attacker
        await people.remove_factors(session, person)
        await people.add_roles(session, person.id, {Role.ADMIN})
        await note_roles(session, SYSTEM_NAME, person.id, before, before | {Role.ADMIN})
        await stored.end_of_person(session, person.id)
        await stored.end_all_shared(session)
        challenge_id = await challenges.issue(
            session, Purpose.RESET, now, person_id=person.id, data={"email": email}
        )
    return secrets.token(Purpose.RESET, challenge_id)


async def invite(actor: Actor, form: Invite) -> None:
    """Invite a person to the staff by e-mail. It replaces an earlier invitation of this address.

    Raises:
        NotAllowed: If the actor is no admin (any more).
        HasRoles, IsDeactivated: If the address belongs to such a person.
    """
    async with transaction() as session:
        await lock_admins_for(session, actor)
        person = await people.find_holder(session, form.email)
        if person and person.deactivated_at:
            raise IsDeactivated
        if person and form.roles <= await people.roles(session, person.id):
            raise HasRoles
        await challenges.drop_by_email(session, Purpose.INVITE, form.email)
        data = {"email": form.email, "roles": stored_roles(form.roles), "by": str(actor)}
        challenge_id = await challenges.issue(session, Purpose.INVITE, clock.now(), data=data)
        by = (await people.names(session, {actor.person_id})).get(actor.person_id, str(actor))
        payload = {"challenge": challenge_id, "by": by}
        await outbox.add(session, "invitation", to=form.email, payload=payload)
        after = {"roles": stored_roles(form.roles)}
        await record(session, "invited", challenge_id, actor=str(actor), after=after)
        publish(session, PEOPLE)


async def list_invitations(actor: Actor) -> list[Invitation]:
    """Return the open invitations, the newest first. Raises NotAllowed."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        open_ones = await challenges.invitations(session, clock.now())
    return await _with_names(open_ones)


async def withdraw_invitation(actor: Actor, invitation_id: object) -> bool:
    """Withdraw an open invitation: its link is of no use any more. Return whether it was open.

    Raises:
        NotAllowed: If the actor is no admin (any more).
    """
    known_id = well_formed_id(invitation_id) or ""
    async with transaction() as session:
        await lock_admins_for(session, actor)
        if not await challenges.withdraw(session, known_id):
            return False
        await record(session, "withdrawn", known_id, actor=str(actor))
        publish(session, PEOPLE)
    return True


async def find_invitation(token: object) -> Invitation | None:
    """Return the open invitation of a link, which stays open; None if there is none (any more)."""
    async with reading() as session:
        challenge = await challenges.by_link(session, Purpose.INVITE, token, clock.now())
        if challenge is None:
            return None
        person = await people.find_holder(session, challenge.data["email"])
    if person and person.deactivated_at:
        return None
    (invitation,) = await _with_names([challenge], person_id=person.id if person else "")
    return invitation


async def find_own_invitation(actor: Actor) -> Invitation | None:
    """Return the open invitation to the signed-in person's e-mail; None if there is none."""
    async with reading() as session:
        person = await people.by_id(session, actor.person_id) if actor.person_id else None
        challenge = await _find_own(session, person) if person else None
    if person is None or challenge is None:
        return None
    (invitation,) = await _with_names([challenge], person_id=person.id)
    return invitation


async def accept_invitation(token: object, form: NewAccount, visitor: Visitor) -> SignedIn:
    """Create the invited person, use the invitation up, and open a session in this browser.

    Raises:
        InvitationGone: If it is unknown, used, withdrawn or expired.
        TooManyRequests: After 20 unknown ones from one address in 15 minutes.
        EmailHasAccount: If a person has this e-mail by now, who accepts by signing in.
        InvalidForm: If the password is easy to guess.
    """
    async with throttle().failing(LINKS, visitor.address):
        invitation = await find_invitation(token)
        if invitation is None:  # checking a password is for the invited alone
            raise InvitationGone
        own = form.first_name, form.last_name, invitation.email
    hashed = await hash_new(form.password, *own)
    async with transaction() as session:
        challenge = await challenges.spend_link(session, Purpose.INVITE, token, clock.now())
        if challenge is None:
            raise InvitationGone
        person = await add_person(session, form, challenge.data["email"], hashed)
        await _give_roles(session, person.id, challenge, frozenset())
        return await start_for_person(session, person, visitor, second_factor=False)


async def accept_own_invitation(actor: Actor) -> None:
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
        challenge = await _find_own(session, person)
        spent = challenge and await challenges.spend(session, Purpose.INVITE, challenge.id, now)
        if spent is None:
            raise InvitationGone
        await _give_roles(session, person.id, spent, await people.roles(session, person.id))
        await stored.end_of_person(session, person.id)


async def _find_own(session: AsyncSession, person: Person) -> Challenge | None:
    """Return the open invitation to a person's e-mail, which has to be verified."""
    if not person.email or person.email_verified_at is None:
        return None
    open_ones = await challenges.invitations(session, clock.now())
    return next((each for each in open_ones if each.data["email"] == person.email), None)


async def _give_roles(
    session: AsyncSession, person_id: str, invitation: Challenge, before: frozenset[Role]
) -> None:
    publish(session, PEOPLE)
    after = before | parse_roles(invitation.data["roles"])
    await people.add_roles(session, person_id, after)
    by = invitation.data["by"]
    await note_roles(session, person_id, person_id, before, after, invited_by=by)


async def _with_names(opened: Sequence[Challenge], person_id: str = "") -> list[Invitation]:
    """Return invitations with the names of those who sent them."""
    who = await directory.names(each.data["by"] for each in opened)
    return [
        Invitation(
            id=each.id,
            email=each.data["email"],
            roles=role_names(parse_roles(each.data["roles"])),
            by=who[each.data["by"]],
            until=clock.short_date(clock.day_of(each.expires_at)),
            person_id=person_id,
        )
        for each in opened
    ]


async def list_changes(actor: Actor, person_id: object) -> list[PersonChange]:
    """Return the last hundred entries about a person, newest first."""
    actor.require(Role.DISPATCHER)
    async with reading() as session:
        entries = await audit.history(session, NOUN, well_formed_id(person_id) or "", limit=100)
        who = await directory.names_in(session, (entry.actor for entry in entries))
    return [
        PersonChange(
            what=describe_kind(entry.kind),
            before=describe_values(entry.before),
            after=describe_values(entry.after),
            who=who[entry.actor],
            when=clock.date_and_time(entry.at),
        )
        for entry in entries
    ]
